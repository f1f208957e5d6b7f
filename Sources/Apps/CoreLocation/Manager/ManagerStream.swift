internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// A manager's stream, which can be started and stopped repeatedly; each run has a number that identifies its updates.
final class ManagerStream: Sendable {
    private struct State {
        var runs: UInt64 = 0
        var isOn = false
        var stream: UInt64?
    }

    private let client: LocationClient
    private let state = Mutex(State())

    init(client: LocationClient) {
        self.client = client
    }

    /// Whether this run is the current one.
    func isOn(_ run: UInt64) -> Bool { self.state.withLock { $0.isOn && $0.runs == run } }

    /// Opens the stream; does nothing while it is on.
    ///
    /// - Parameters:
    ///   - service: called again under the client's lock, so that the later of two changes wins.
    ///   - receive: receives the updates of this run; nil: the device cannot be reached.
    /// - Returns: whether the stream was closed before.
    @discardableResult
    func start(
        _ service: () -> WireStream.OneOf_Service,
        _ receive: @escaping @Sendable (WireUpdate?, _ run: UInt64) -> Void
    ) -> Bool {
        let begun = self.state.withLock { state -> UInt64? in
            if state.isOn { return nil }
            state.isOn = true
            state.runs += 1
            return state.runs
        }
        guard let run = begun else { return false }
        let stream = self.client.openStream(service()) { receive($0, run) }
        let isOver = self.state.withLock { state in
            guard state.isOn, state.runs == run else { return true }
            state.stream = stream
            return false
        }
        if isOver { self.client.closeStream(stream) } else { self.client.changeStream(stream, to: service) }
        return true
    }

    /// Changes the options of the stream; does nothing while it is off.
    func change(to service: () -> WireStream.OneOf_Service) {
        if let stream = self.state.withLock({ $0.stream }) { self.client.changeStream(stream, to: service) }
    }

    /// Closes the stream; does nothing while it is off.
    func stop() {
        let stream = self.state.withLock { state in
            defer {
                state.isOn = false
                state.stream = nil
            }
            return state.stream
        }
        if let stream { self.client.closeStream(stream) }
    }
}
