public import WhereaboutsVocabulary

/// Decides which pushes are stored for one device, and when they are delivered.
///
/// ```
///                 linkOpened
///      ┌──────┐ ─────────────▶ ┌───────────┐
///      │ away │                │ connected │ topicsEnabled: deliver what waits for them
///      └──────┘ ◀───────────── └───────────┘ pushAcknowledged: forget it
///                 linkClosed
/// ```
///
/// At most one push is stored for each topic: a newer one replaces it. A stored push is delivered once on each
/// connection until it is acknowledged, replaced or expired, or its topic is unregistered. The store is authoritative: the
/// host loads the queue from it when the device connects, and performs each ``Effect/store(_:)`` and ``Effect/remove(_:)``
/// before the following effects, and before the provider gets its answer. A push for a disconnected
/// device uses an empty queue, because loading all waiting pushes for each new push would cost too much.
///
/// Ignored, because they race with the network: links closed twice, acknowledgements of pushes that are not stored (any
/// more), topics of a device that is away.
public struct DeviceQueue: Sendable, Hashable {
    /// Where the device is in the diagram above.
    enum State: Sendable, Hashable {
        /// No connection of the device is open.
        case away
        /// A connection is open, and the device has proven its key on it.
        case connected
    }

    /// A fact from outside.
    public enum Input: Sendable, Hashable {
        /// The device connected again, which closes its earlier link.
        case linkOpened
        /// The connection of the device ended.
        case linkClosed
        /// The device enabled these topics, which replace the earlier ones.
        case topicsEnabled(TopicList)
        /// A provider's push was admitted for the device.
        case pushAdmitted(StoredPush)
        /// The device has stored the push.
        case pushAcknowledged(PushID)
        /// The device gave up its token for a topic.
        case topicUnregistered(String)
    }

    /// A command to the host; effects are carried out in their order.
    public enum Effect: Sendable, Hashable {
        /// Store the push, replacing an earlier push of its topic.
        case store(StoredPush)
        /// Remove the push from the store.
        case remove(PushID)
        /// Send the push on the open link.
        case deliver(StoredPush)
        case note(Note)
    }

    /// A decision worth counting.
    public enum Note: String, Sendable, Hashable, CaseIterable {
        /// A newer push replaced an unacknowledged one, according to the store.
        case replaced
        /// A push expired before it was acknowledged.
        case expired
        /// A push for one attempt arrived while the device was away, or its topic was not enabled.
        case undeliverable
        /// The token of the push's topic ended before the push was acknowledged.
        case unregistered
    }

    /// A stored push and whether it was sent on the open link.
    private struct Slot: Sendable, Hashable {
        let push: StoredPush
        var isDelivered = false
    }

    private(set) var state: State = .away
    /// The topics whose pushes the open link may deliver; empty while away.
    private var topics = TopicList.empty
    /// At most one push for each topic, in the order of their arrival.
    private var slots: [Slot]

    /// Creates the queue of a device that is away.
    ///
    /// - Parameter stored: the store's pushes for the device, at most one push for each topic.
    public init(stored: [StoredPush]) {
        self.slots = stored.map { Slot(push: $0) }
    }

    /// Applies one input.
    ///
    /// - Returns: the effects, to be carried out in this order.
    public mutating func handle(_ input: Input, now: WallTime) -> [Effect] {
        switch input {
        case .linkOpened:
            self.resetLink(to: .connected)
            return []
        case .linkClosed:
            self.resetLink(to: .away)
            return []
        case .topicsEnabled(let topics):
            guard self.state == .connected else { return [] }
            self.topics = topics
            return self.deliverWaiting(now: now)
        case .pushAdmitted(let push): return self.admit(push, now: now)
        case .pushAcknowledged(let id): return self.remove { $0.id == id }.map { .remove($0.id) }
        case .topicUnregistered(let topic):
            let removed = self.remove { $0.topic == topic }
            return removed.flatMap { [.remove($0.id), .note(Note(unregistered: $0, now: now))] }
        }
    }

    /// Removes the expired pushes that the store has removed; acknowledging one later changes nothing.
    public mutating func expiredRemoved(now: WallTime) {
        _ = self.remove { $0.isExpired(now: now) }
    }

    private mutating func resetLink(to state: State) {
        self.state = state
        self.topics = .empty
        for index in self.slots.indices { self.slots[index].isDelivered = false }
    }

    private mutating func deliverWaiting(now: WallTime) -> [Effect] {
        var effects: [Effect] = []
        let expired = self.slots.filter { $0.push.isExpired(now: now) }
        self.slots.removeAll { $0.push.isExpired(now: now) }
        for slot in expired { effects += [.remove(slot.push.id), .note(.expired)] }
        for index in self.slots.indices where !self.slots[index].isDelivered {
            guard self.topics.contains(self.slots[index].push.topic) else { continue }
            self.slots[index].isDelivered = true
            effects.append(.deliver(self.slots[index].push))
        }
        return effects
    }

    private mutating func admit(_ push: StoredPush, now: WallTime) -> [Effect] {
        let mayDeliver = self.state == .connected && self.topics.contains(push.topic)
        // A push for one attempt does not replace a stored push, because it may never arrive.
        guard !push.isExpired(now: now) else { return [mayDeliver ? .deliver(push) : .note(.undeliverable)] }
        self.slots.removeAll { $0.push.topic == push.topic }
        self.slots.append(Slot(push: push, isDelivered: mayDeliver))
        return mayDeliver ? [.store(push), .deliver(push)] : [.store(push)]
    }

    private mutating func remove(where matches: (StoredPush) -> Bool) -> [StoredPush] {
        let removed = self.slots.filter { matches($0.push) }
        self.slots.removeAll { matches($0.push) }
        return removed.map(\.push)
    }
}

extension DeviceQueue.Note {
    /// The outcome of a push whose topic's token ended, unless it had expired before.
    init(unregistered push: StoredPush, now: WallTime) {
        self = push.isExpired(now: now) ? .expired : .unregistered
    }
}
