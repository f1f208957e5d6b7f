public import Foundation
internal import WhereaboutsVocabulary

extension Sharer {
    /// Keeps the device registered for location pushes, or registered as paused, for as long as the app runs.
    ///
    /// If the server cannot be reached, is busy or refuses, the registration is repeated with growing pauses. An app calls this once, and
    /// holds its service session for Always at the same time.
    ///
    /// - Parameters:
    ///   - topic: the bundle identifier of the app, without `.location-query`.
    ///   - permissions: what the app may do, from the diagnostics of its session.
    ///   - deviceToken: asks the system for the device's token, as `startMonitoringLocationPushes` does. The person is shown a
    ///     ``SharingError`` that it throws; every other error is reported as an unreachable network.
    ///   - show: shows the person the state of sharing.
    public func share(
        topic: String,
        permissions: some AsyncSequence<SharingPermission, Never> & Sendable,
        deviceToken: @escaping @Sendable () async throws -> Data,
        show: @Sendable (SharingStatus) -> Void
    ) async {
        var generator = SystemRandomNumberGenerator()
        var inputs = MachineInputs<Enrolling.Input>()
        let feed = inputs.feed
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await permission in permissions { feed(.permission(permission)) }
            }
            var enrolling = Enrolling()
            while let input = await inputs.next(deadline: enrolling.deadline, timer: .deadlineReached, in: &group) {
                for effect in enrolling.handle(input, now: inputs.clock.now.monotonic, using: &generator) {
                    switch effect {
                    case .fetchToken: group.addTask { feed(await Self.fetched(deviceToken)) }
                    case .tell(let token): group.addTask { feed(await self.told(token, topic: topic)) }
                    case .show(let status): show(status)
                    }
                }
            }
            group.cancelAll()
        }
    }

    private static func fetched(_ deviceToken: @Sendable () async throws -> Data) async -> Enrolling.Input {
        do {
            return .token([UInt8](try await deviceToken()))
        } catch let error as SharingError {
            return .failed(error)
        } catch {
            return .failed(
                SharingError(
                    .network,
                    "this device cannot receive location pushes yet, because it does not reach its push service; check the network"
                )
            )
        }
    }

    private func told(_ token: [UInt8], topic: String) async -> Enrolling.Input {
        do {
            try await self.register(deviceToken: Data(token), topic: topic)
            return .heard
        } catch let error as SharingError {
            return .failed(error)
        } catch {
            return .failed(SharingError(.network, "the server could not be notified (\(error))"))
        }
    }
}
