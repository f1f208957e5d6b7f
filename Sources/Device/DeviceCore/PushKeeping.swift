internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Pushes between their arrival and the disk: a push is acknowledged only after it is stored, and a failed write loses
/// no push.
///
/// A push is `keeping` while the host writes it. A refused push waits; waiting pushes are tried again after
/// ``pause``. Beyond ``waitingMax`` a refused push is dropped: it is not acknowledged, so the gateway still has it, and
/// sends it on its next connection. Ignored races: a push that arrives again while it is written or waits.
struct PushKeeping: Sendable, Hashable {
    /// The sender of a push, which must learn the outcome.
    enum Origin: Sendable, Hashable {
        /// The gateway, which sends the push again until it is acknowledged.
        case gateway
        /// The device's owner.
        case owner(OrderID)
    }

    /// A push that is being stored.
    struct Arrival: Sendable, Hashable {
        let push: Push
        let origin: Origin
    }

    /// The maximum number of pushes that wait for room on the disk.
    static let waitingMax = 16
    /// The time between two attempts: only a person, or a log rotation, makes room on a full disk.
    static let pause = Duration.seconds(2)

    private(set) var keeping: OrderedDictionary<PushID, Arrival> = [:]
    private(set) var waiting: [Push] = []
    private(set) var deadline: EngineInstant?

    /// Records an arriving push.
    ///
    /// - Returns: whether to write the push; false: it is already being written, or waits.
    mutating func arrived(_ push: Push, _ origin: Origin) -> Bool {
        guard self.keeping[push.id] == nil, !self.waiting.contains(where: { $0.id == push.id }) else { return false }
        self.keeping[push.id] = Arrival(push: push, origin: origin)
        return true
    }

    /// Records that a push is on disk.
    mutating func kept(_ id: PushID) -> Arrival? { self.keeping.removeValue(forKey: id) }

    /// Records that the disk refused a push.
    ///
    /// - Returns: the owner's order that failed with the push, if the owner sent it.
    mutating func refused(_ id: PushID, now: EngineInstant) -> OrderID? {
        guard let arrival = self.keeping.removeValue(forKey: id) else { return nil }
        switch arrival.origin {
        case .owner(let order): return order
        case .gateway:
            guard self.waiting.count < Self.waitingMax else { return nil }
            self.waiting.append(arrival.push)
            if self.deadline == nil { self.deadline = now.advanced(by: Self.pause) }
            return nil
        }
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    ///
    /// - Returns: the pushes to try again.
    mutating func deadlineReached(now: EngineInstant) -> [Push] {
        guard let deadline, now >= deadline else { return [] }
        self.deadline = nil
        let due = self.waiting
        self.waiting = []
        for push in due { self.keeping[push.id] = Arrival(push: push, origin: .gateway) }
        return due
    }
}
