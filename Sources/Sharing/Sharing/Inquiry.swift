public import WhereaboutsSharingEngine

/// A request, as seen by its requester.
public struct Inquiry: Sendable {
    /// The states as they come, at most one of a kind, ending in exactly one final state, also when it is withdrawn.
    public let updates: AsyncStream<RequestUpdate>
    private let stopping: Stopping

    /// Withdraws the request; the states end once the server was notified, or could not be.
    public func withdraw() { self.stopping.stop() }

    init(_ body: @escaping @Sendable (Stopping, @escaping @Sendable (RequestUpdate) -> Void) async -> Void) {
        let stopping = Stopping()
        self.stopping = stopping
        self.updates = AsyncStream { continuation in
            // Do not prompt for a reader that disconnected.
            continuation.onTermination = { _ in stopping.stop() }
            Task {
                await body(stopping) { continuation.yield($0) }
                continuation.finish()
            }
        }
    }
}
