public import WhereaboutsSharingEngine

/// A request, as seen by its requester.
public struct Inquiry: Sendable {
    /// The states as they arrive: each kind at most once, and exactly one final state last, even if the request is withdrawn.
    public let updates: AsyncStream<RequestUpdate>
    private let stopping: Stopping

    /// Withdraws the request; the stream ends once the server was notified, or cannot be reached.
    public func withdraw() { self.stopping.stop() }

    init(_ body: @escaping @Sendable (Stopping, @escaping @Sendable (RequestUpdate) -> Void) async -> Void) {
        let stopping = Stopping()
        self.stopping = stopping
        self.updates = AsyncStream { continuation in
            // Withdraw the request when its reader is gone; otherwise the sharer might be prompted for nothing.
            continuation.onTermination = { _ in stopping.stop() }
            Task {
                await body(stopping) { continuation.yield($0) }
                continuation.finish()
            }
        }
    }
}
