internal import DequeModule

/// The hints that wait to be sent to the other servers; the newest update of a live share replaces an older one.
package struct HintQueue: Sendable {
    /// The maximum number of hints that wait; further ones are dropped, and their readers poll.
    ///
    /// Source: our choice; several seconds of a busy server, in at most 60 MB.
    package static let waitingMax = 10_000
    /// The maximum number of hints of one batch.
    ///
    /// Source: our choice; a batch of updates has about 1 MB.
    package static let batchMax = 200

    /// The hints without their updates, oldest first.
    private var order: Deque<NodeHint> = []
    // Looked up, never iterated.
    private var hints: [NodeHint: NodeHint] = [:]

    package init() {}

    package mutating func add(_ hint: NodeHint) {
        let key = if case .update(_, let id) = hint { NodeHint.update([], of: id) } else { hint }
        if self.hints[key] == nil {
            guard self.order.count < Self.waitingMax else { return }
            self.order.append(key)
        }
        self.hints[key] = hint
    }

    /// Removes and returns the oldest hints.
    package mutating func takeBatch() -> [NodeHint] {
        let batch = self.order.prefix(Self.batchMax)
        self.order.removeFirst(batch.count)
        return batch.compactMap { self.hints.removeValue(forKey: $0) }
    }
}
