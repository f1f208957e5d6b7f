internal import DequeModule

/// Decides which operations are next: providers have their own queue, and devices' links are served in turn.
///
/// Each turn of a link is one operation, however many of its operations wait. A batch is one transaction of the store.
/// While pushes wait, a batch contains only a few operations of links, so that links cannot delay pushes for long.
public struct FairQueue<Operation: Sendable>: Sendable {
    /// The maximum number of pushes of providers that wait; more are answered `ServiceUnavailable`.
    public static var providersMax: Int { 10_000 }
    /// The maximum number of operations in a batch; a larger batch would delay the results of its first operations.
    static var batchMax: Int { 512 }
    /// The maximum number of operations of links in a batch without pushes: a push that arrives meanwhile waits for them.
    static var linksMax: Int { 64 }
    /// The maximum number of operations of links in a batch with pushes.
    static var linksBesidePushesMax: Int { 16 }

    private var providers: Deque<Operation> = []
    /// The outcomes of relayed pushes: at most one for each push, and applying an outcome frees memory.
    private var ends: Deque<Operation> = []
    /// The links with waiting operations, in the order in which they are served.
    private var order: Deque<LinkID> = []
    private var links: [LinkID: Deque<Operation>] = [:]

    /// Creates an empty queue.
    public init() {}

    /// The number of waiting operations of providers.
    public var waitingCount: Int { self.providers.count }

    /// Whether nothing waits.
    public var isEmpty: Bool { self.providers.isEmpty && self.ends.isEmpty && self.order.isEmpty }

    /// Appends a provider's operation.
    ///
    /// - Returns: whether there was room.
    public mutating func offer(_ operation: Operation) -> Bool {
        guard self.providers.count < Self.providersMax else { return false }
        self.providers.append(operation)
        return true
    }

    /// Appends the outcome of a provider's push; there is always room, and an outcome does not wait behind pushes.
    public mutating func offerEnd(_ operation: Operation) {
        self.ends.append(operation)
    }

    /// Appends an operation of a link; the link limits the number of its operations.
    public mutating func offer(_ operation: Operation, of link: LinkID) {
        if self.links[link] == nil { self.order.append(link) }
        self.links[link, default: []].append(operation)
    }

    /// Returns the operations of the next transaction, in order; empty when nothing waits.
    public mutating func nextBatch() -> [Operation] {
        let ends = min(self.ends.count, (Self.batchMax - Self.linksMax) / 2)
        let pushes = min(self.providers.count, Self.batchMax - Self.linksBesidePushesMax - ends)
        var batch = Array(self.ends.prefix(ends)) + self.providers.prefix(pushes)
        self.ends.removeFirst(ends)
        self.providers.removeFirst(pushes)
        for _ in 0..<(pushes > 0 ? Self.linksBesidePushesMax : Self.linksMax) {
            guard let link = self.order.popFirst(), let operation = self.links[link]?.popFirst() else { break }
            batch.append(operation)
            if self.links[link]?.isEmpty == true {
                self.links[link] = nil
            } else {
                self.order.append(link)
            }
        }
        return batch
    }
}
