internal import Foundation
internal import Synchronization
internal import WhereaboutsLocationWireMessages

extension CLLocationPushServiceExtension {
    /// Runs the extension's process until locationd ends it.
    ///
    /// Call this method in `main.swift`. If locationd did not start the process, it prints the reason and exits with
    /// status 64.
    ///
    /// - Parameter make: a closure that creates the object, on the main thread.
    public static func run(_ make: () -> Self) -> Never {
        let service = make()
        let client = LocationClient.current()
        guard client.mirror.isConnected else {
            FileHandle.standardError.write(
                Data(
                    """
                    \(CommandLine.arguments[0]): a location push service extension is started by locationd when a push \
                    comes, not by hand; try `locationctl install` and then a push.\n
                    """.utf8
                )
            )
            exit(64)
        }
        service.serve(client) { exit(0) }
        while true { RunLoop.main.run() }
    }

    /// Passes each push to this object.
    ///
    /// - Parameters:
    ///   - client: the connection of the extension's process.
    ///   - end: ends the process; called when the device orders it.
    package func serve(_ client: LocationClient, end: @escaping @Sendable () -> Void) {
        // Only the main queue uses the object: it receives the pushes and the warning there.
        nonisolated(unsafe) let service = self
        client.handlePushes { event in
            DispatchQueue.main.async {
                switch event {
                case .payload(let push): unsafe service.handle(push, client)
                case .warning: unsafe service.serviceExtensionWillTerminate()
                case .finish, .abandoned: end()
                }
            }
        }
    }

    private func handle(_ push: WirePush, _ client: LocationClient) {
        let isCompleted = Mutex(false)
        let complete: @Sendable () -> Void = {
            // Calling the completion twice is harmless.
            let isFirst = isCompleted.withLock { completed in
                defer { completed = true }
                return !completed
            }
            guard isFirst else { return client.completedAgain() }
            client.completePush(high: push.pushHigh, low: push.pushLow)
        }
        // The gateway and locationd accept only JSON objects.
        guard let payload = try? JSONSerialization.jsonObject(with: push.payload) as? [String: Any] else {
            return complete()
        }
        self.didReceiveLocationPushPayload(payload, completion: complete)
    }
}
