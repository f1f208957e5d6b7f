internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The pushes of an extension's process.
extension LocationClient {
    /// A push, or the end of the extension's time.
    enum PushEvent: Sendable {
        case payload(WirePush)
        /// The process will be terminated.
        case warning
        case finish
        /// The connection to locationd ended, so the process has no further task.
        case abandoned
    }

    /// Sets the handler of this process's pushes, and delivers earlier pushes at once.
    func handlePushes(_ handler: @escaping @Sendable (PushEvent) -> Void) {
        let early = self.state.withLock { state in
            state.pushes = handler
            defer { state.earlyPushes = [] }
            return state.earlyPushes
        }
        for event in early { handler(event) }
    }

    func completedAgain() { self.transport.completedAgain() }

    func completePush(high: UInt64, low: UInt64) {
        self.transport.send(
            .with {
                $0.pushCompleted = .with {
                    $0.pushHigh = high
                    $0.pushLow = low
                }
            }
        )
    }

    func pushed(_ event: PushEvent) {
        let handler = self.state.withLock { state in
            // locationd enforces the limit (Policy.pushesWaitingMax).
            if state.pushes == nil { state.earlyPushes.append(event) }
            return state.pushes
        }
        handler?(event)
    }
}
