internal import DequeModule

/// Decides whose operation is next: providers have their own lane, and devices' links are served in turn.
///
/// An operation of a link costs the others one turn, however many it has waiting. A batch is one transaction of the
/// store: while a provider waits it carries few operations of links, so that an honest push waits for none but those.
public struct FairQueue<Operation: Sendable>: Sendable {
    /// The most pushes of providers that wait; more are answered `ServiceUnavailable`.
    public static var providersMax: Int { 10_000 }
    /// The most operations in a batch, so that the first does not wait too long for the last.
    static var batchMax: Int { 512 }
    /// The most operations of links in a batch without pushes: a push that comes meanwhile waits for them.
    static var linksMax: Int { 64 }
    /// The most operations of links in a batch with pushes.
    static var linksBesidePushesMax: Int { 16 }

    private var providers: Deque<Operation> = []
    /// The outcomes of providers' pushes, at most one for each push, and each frees something.
    private var ends: Deque<Operation> = []
    /// The links that have operations waiting, in the order of their turns.
    private var order: Deque<LinkID> = []
    private var links: [LinkID: Deque<Operation>] = [:]

    /// Creates turns in which nothing waits.
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

    /// Appends the outcome of a provider's push; there is always room, and it waits for no push.
    public mutating func offerEnd(_ operation: Operation) {
        self.ends.append(operation)
    }

    /// Appends an operation of a link, whose number the link limits.
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
