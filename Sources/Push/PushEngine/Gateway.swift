public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides about the pushes of providers and the requests of devices: the root of a gateway's decisions.
///
/// It reads and writes the store within a transaction of the host, which performs the outputs after the commit. An input
/// that fails changes nothing, and does not affect other inputs: ``failed(_:)``. When the commit of a batch fails,
/// ``commitFailed()`` drops the devices of the batch, whose state in memory is ahead of the disk; all others stay.
public struct Gateway: Sendable {
    /// A device's request on its link.
    public enum DeviceRequest: Sendable, Hashable {
        /// A token for a topic.
        case register(topic: String)
        /// The end of the token of a topic.
        case unregister(topic: String)
        /// The topics whose pushes may be delivered now, replacing the previous list.
        case enableTopics([String])
        /// The device has stored the push with this ID.
        case acknowledge(id: [UInt8])
    }

    /// A fact from outside.
    public enum Input: Sendable, Hashable {
        /// A provider sent a push; `ticket` identifies its request.
        ///
        /// A provider whose pushes may be relayed is a sender.
        case pushReceived(ValidPush, from: Sender? = nil, ticket: UInt64)
        /// A device proved its key on a new connection from this address.
        case linkOpened(LinkID, DeviceKey, AddressBlock)
        case linkClosed(LinkID, DeviceKey)
        /// A device sent a request.
        case requested(DeviceRequest, LinkID, DeviceKey)
        /// It is time to remove expired data.
        case sweepDue
        /// The operator removed a device, its tokens and its waiting pushes; `ticket` identifies the request.
        case deviceRemoved(DeviceKey, ticket: UInt64)
        /// The operator removed a token and the waiting pushes of its topic; `ticket` identifies the request.
        case tokenRemoved(DeviceToken, ticket: UInt64)
        /// A push that the relay sent ended.
        case relayEnded(PushID, RelayEnd)

        /// The loss that the input's changes must survive before its outputs are performed.
        ///
        /// An acknowledgement need not wait for the disk: if it is lost, the push is delivered once more, as after an
        /// acknowledgement that was lost in the network.
        public var mustSurvive: PushStoreLoss {
            switch self {
            case .linkOpened, .linkClosed, .requested(.acknowledge, _, _): .crash
            case .pushReceived, .requested, .sweepDue, .deviceRemoved, .tokenRemoved, .relayEnded: .powerFailure
            }
        }
    }

    /// An effect that others can see, to be performed in this order after the commit.
    public enum Output: Sendable, Hashable {
        /// Answer the request of a provider or the operator: the change is on disk, or the request is refused.
        case reply(ticket: UInt64, Rejection?)
        /// Send a push on a link.
        case deliver(StoredPush, LinkID)
        /// Send a push to Apple with the vendor's key, and report its outcome, for which the request of `ticket` waits.
        case relay(ValidPush, PushID, ticket: UInt64)
        /// Answer the request whose push the relay sent.
        case answer(PushID, Rejection?)
        /// Send the device its token.
        case registered(TokenRecord, LinkID)
        /// Tell the device that its token has ended.
        case unregistered(topic: String, LinkID)
        /// End a link with a reason.
        case close(LinkID, reason: String)
        /// A request of the link is finished, and has no answer.
        case finished(LinkID)
        /// Issue no token; the link's request is finished without an answer.
        case postponed(LinkID, TokenDecision.Postponement)
        /// The link's device has earned this trust.
        case trusted(LinkID, ConnectionTrust)
        case note(DeviceQueue.Note)
        /// Count the pushes that expired.
        case expired(Int)
        /// Count this decision of the relay, and notify the operator if needed.
        case relayNote(RelayNote)
    }

    private struct Device: Sendable {
        var queue: DeviceQueue
        let link: LinkID
        let address: AddressBlock
        /// When the oldest token of the device was issued; nil if it has none.
        var since: WallTime?
        var trust: ConnectionTrust
    }

    /// The devices that are connected.
    private var devices: [DeviceKey: Device] = [:]
    /// The devices whose state changed since the last commit.
    private var uncommitted: Set<DeviceKey> = []
    /// The rate limit for new tokens of each address.
    private var enrolments = KeyedGCRA<AddressBlock>(
        burst: TokenDecision.addressBurst,
        every: TokenDecision.addressInterval
    )
    /// The rate limit for pushes to each device token.
    private var pushes = KeyedGCRA<DeviceToken>(burst: ValidPush.tokenBurst, every: ValidPush.tokenInterval)
    /// The pushes that go to Apple, and their senders.
    public private(set) var relay: Relay
    /// The histories of the newest pushes, without changes that are not committed.
    public private(set) var history = PushHistory()
    /// The events of pushes since the last commit.
    private var unwritten: [(PushHistory.Event, at: WallTime)] = []

    /// The number of devices that are connected.
    public var connectedCount: Int { self.devices.count }

    /// Returns whether a device is connected.
    public func isConnected(_ key: DeviceKey) -> Bool { self.devices[key] != nil }

    /// Creates the gateway's decisions; no device is connected.
    ///
    /// - Parameter relayedApps: the apps whose pushes are sent to Apple; empty: the gateway is no relay.
    public init(relayedApps: Set<String> = []) {
        self.relay = Relay(apps: relayedApps)
    }

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: the fact.
    ///   - store: a transaction; its changes must be committed before any output is carried out.
    ///   - random: draws tokens and IDs.
    ///   - now: the time.
    /// - Returns: the outputs.
    /// - Throws: the store's errors; the host undoes this input's changes of the store and calls ``failed(_:)``.
    public mutating func handle(
        _ input: Input,
        _ store: any PushStoreTransaction,
        random: inout some RandomNumberGenerator,
        now: Now
    ) throws -> [Output] {
        switch input {
        case .pushReceived(let push, let sender, let ticket):
            return try self.received(push, from: sender, ticket: ticket, store, random: &random, now: now)
        case .linkOpened(let link, let key, let address):
            return try self.opened(link, key, address, store, now.wall)
        case .linkClosed(let link, let key):
            // If the device has reconnected, it has another link already.
            if self.devices[key]?.link == link { self.devices[key] = nil }
            return []
        case .requested(let request, let link, let key):
            guard self.devices[key]?.link == link else { return [] }
            return try self.requested(request, link, key, store, random: &random, now: now)
        case .sweepDue:
            let count = try store.removeExpired(now: now.wall)
            try store.removeUnused(before: now.wall - TokenDecision.unusedMax)
            try store.removeAccounts(before: AccountDay(now.wall).before(days: SenderAccount.keptDaysMax))
            try store.removeWaits(endedBefore: now.wall)
            for key in self.devices.keys { self.devices[key]?.queue.expiredRemoved(now: now.wall) }
            self.unwritten.append((.swept, now.wall))
            return count > 0 ? [.expired(count)] : []
        case .relayEnded(let id, let end): return try self.relayEnded(id, end, store, now: now)
        case .deviceRemoved(let key, let ticket):
            let topics = try store.registeredTokens(of: key).map(\.topic)
            guard !topics.isEmpty || self.devices[key] != nil else {
                return [.reply(ticket: ticket, Rejection(.badDeviceToken))]
            }
            return [.reply(ticket: ticket, nil)] + (try self.end(topics, of: key, "this device", store, now.wall))
        case .tokenRemoved(let token, let ticket):
            guard let record = try store.record(of: token), record.unregisteredAt == nil else {
                return [.reply(ticket: ticket, Rejection(.badDeviceToken))]
            }
            let topics = [record.topic]
            return [.reply(ticket: ticket, nil)]
                + (try self.end(topics, of: record.device, "a token of this device", store, now.wall))
        }
    }

    /// Stores a provider's push for the device of its token, or relays it to Apple.
    private mutating func received(
        _ push: ValidPush,
        from sender: Sender?,
        ticket: UInt64,
        _ store: any PushStoreTransaction,
        random: inout some RandomNumberGenerator,
        now: Now
    ) throws -> [Output] {
        let known = try store.record(of: push.token)
        if known == nil {
            switch self.relay.way(of: push.topic, from: sender) {
            case .send(let sender):
                return try self.relayed(push, for: sender, ticket: ticket, store, random: &random, now: now)
            case .refuse(let refusal):
                return [.reply(ticket: ticket, refusal.rejection), .relayNote(.refused(refusal))]
            case .ignore: break
            }
        }
        let record: TokenRecord
        do throws(Rejection) {
            record = try push.admitted(by: known)
            guard self.pushes.take(for: push.token, now: now.monotonic) else { throw Rejection(.tooManyRequests) }
        } catch {
            return [.reply(ticket: ticket, error)]
        }
        try self.use(record, isPushed: true, store, now.wall)
        let stored = push.stored(id: PushID(using: &random))
        let place = self.unwritten.count
        let outputs = try self.feed(.pushAdmitted(stored), to: record.device, store, now: now.wall)
        self.unwritten.insert((.accepted(stored, apnsID: push.id), now.wall), at: place)
        return [.reply(ticket: ticket, nil)] + self.trust(record.device, isPushed: true, now.wall) + outputs
    }

    /// Opens a link, which replaces the device's earlier one.
    private mutating func opened(
        _ link: LinkID,
        _ key: DeviceKey,
        _ address: AddressBlock,
        _ store: any PushStoreTransaction,
        _ now: WallTime
    ) throws -> [Output] {
        let old = self.devices[key]?.link
        let enrolment = try store.enrolment(of: key)
        self.devices[key] = Device(
            queue: DeviceQueue(stored: try store.pushes(of: key)),
            link: link,
            address: address,
            since: enrolment.since,
            trust: enrolment.trust(now: now)
        )
        let closing = old.map { [Output.close($0, reason: "a newer connection of this device")] } ?? []
        return closing + (enrolment.since == nil ? [] : [.trusted(link, enrolment.trust(now: now))])
            + (try self.feed(.linkOpened, to: key, store, now: now))
    }

    /// Ends tokens of a device, and removes their waiting pushes, by the operator's order.
    ///
    /// A connected device must reconnect: it then registers its topics again, and receives its tokens.
    private mutating func end(
        _ topics: [String],
        of key: DeviceKey,
        _ removed: String,
        _ store: any PushStoreTransaction,
        _ now: WallTime
    ) throws -> [Output] {
        for topic in topics { try store.unregister(topic: topic, of: key, at: now) }
        let waiting = try store.pushes(of: key).filter { topics.contains($0.topic) }
        for push in waiting { try store.removePush(push.id, of: key) }
        self.unwritten += waiting.map { (.ended($0.id, .unregistered), now) }
        let link = self.devices.removeValue(forKey: key)?.link
        return waiting.map { .note(DeviceQueue.Note(unregistered: $0, now: now)) }
            + (link.map { [.close($0, reason: "the operator removed \(removed)")] } ?? [])
    }

    // MARK: The relay

    private mutating func relayed(
        _ push: ValidPush,
        for sender: Sender,
        ticket: UInt64,
        _ store: any PushStoreTransaction,
        random: inout some RandomNumberGenerator,
        now: Now
    ) throws -> [Output] {
        let day = AccountDay(now.wall)
        if self.relay.isNew(sender.name), let end = try store.waitEnd(of: sender.name) {
            self.relay.recall(sender.name, waitsUntil: end, now: now)
        }
        let sentToday = try store.account(of: sender.name, on: day).sent
        if let refusal = self.relay.refusal(of: push, from: sender, sentToday: sentToday, now: now.monotonic) {
            return [.reply(ticket: ticket, refusal.rejection), .relayNote(.refused(refusal))]
        }
        try store.count(.sent, of: sender.name, on: day)
        let id = PushID(using: &random)
        self.relay.sent(id, push, for: sender.name, on: day)
        self.unwritten.append((.relayed(id, apnsID: push.id, topic: push.topic), now.wall))
        return [.relay(push, id, ticket: ticket)]
    }

    private mutating func relayEnded(
        _ id: PushID,
        _ end: RelayEnd,
        _ store: any PushStoreTransaction,
        now: Now
    ) throws -> [Output] {
        guard let (sender, day) = self.relay.flight(id) else { return [] }
        var outputs: [Output] = [.answer(id, end.rejection), .relayNote(.ended(end))]
        var reason: Reason?
        switch end {
        case .accepted: try store.count(.accepted, of: sender, on: day)
        case .rejected(let itsReason, _):
            try store.count(.rejected(itsReason), of: sender, on: day)
            if itsReason.concernsVendor { outputs.append(.relayNote(.vendorRefused(itsReason))) }
            reason = itsReason
        case .unsent(let itsReason):
            try store.count(.unsent, of: sender, on: day)
            reason = itsReason
        case .unanswered: break
        }
        // Write the wait before changing the memory, because the write may fail.
        if self.relay.willWait(id, end, now: now.monotonic) {
            try store.putWait(of: sender, until: now.wall.advanced(by: Relay.wait))
        }
        self.unwritten.append((.ended(id, end.historyEnd, reason), now.wall))
        if self.relay.ended(id, end, now: now) { outputs.append(.relayNote(.senderWaits)) }
        return outputs
    }

    // MARK: The store's failures

    /// Records that an input failed: it has no effect, and other inputs are unaffected.
    ///
    /// - Returns: the outputs, which notify the sender of the input.
    public mutating func failed(_ input: Input) -> [Output] {
        switch input {
        case .pushReceived(_, _, let ticket), .deviceRemoved(_, let ticket), .tokenRemoved(_, let ticket):
            return [.reply(ticket: ticket, Rejection(.internalServerError))]
        case .linkOpened(let link, _, _), .requested(_, let link, _): return [.close(link, reason: Self.storeFailure)]
        case .relayEnded(let id, let end):
            // Return Apple's answer although it could not be stored; the account shows the push as unanswered.
            self.relay.forget(id)
            return [.answer(id, end.rejection)]
        case .linkClosed, .sweepDue: return []
        }
    }

    /// Records that all changes since the last commit are on disk.
    ///
    /// - Returns: for each push that a device acknowledged, the time since it was accepted; nil if the history no longer has the push.
    @discardableResult
    public mutating func committed() -> [Duration?] {
        self.uncommitted.removeAll(keepingCapacity: true)
        self.relay.committed()
        var latencies: [Duration?] = []
        for (event, time) in self.unwritten {
            switch event {
            case .ended(let push, .acknowledged, _): latencies.append(self.latency(of: push, at: time))
            case .acknowledged(let push) where self.history.awaitsItsDevice(push):
                latencies.append(self.latency(of: push, at: time))
            case .accepted, .delivered, .relayed, .ended, .acknowledged, .swept: break
            }
            self.history.happened(event, at: time)
        }
        self.unwritten.removeAll(keepingCapacity: true)
        return latencies
    }

    /// The time since a push's acceptance; nil if the history no longer has the push.
    private func latency(of push: PushID, at time: WallTime) -> Duration? {
        self.history.acceptedAt(push).map { max($0.duration(to: time), .zero) }
    }

    /// Records that all changes since the last commit were undone.
    ///
    /// - Returns: the outputs, which make the affected devices reconnect. For the other inputs call ``failed(_:)``.
    public mutating func commitFailed() -> [Output] {
        let links = self.uncommitted.compactMap { self.devices.removeValue(forKey: $0)?.link }
        self.uncommitted = []
        self.unwritten = []
        self.relay.commitFailed()
        return links.sorted { $0.rawValue < $1.rawValue }.map { .close($0, reason: Self.storeFailure) }
    }

    /// Why links are closed when the store failed.
    static let storeFailure = "the gateway's store failed"

    // MARK: Requests

    private mutating func requested(
        _ request: DeviceRequest,
        _ link: LinkID,
        _ key: DeviceKey,
        _ store: any PushStoreTransaction,
        random: inout some RandomNumberGenerator,
        now: Now
    ) throws -> [Output] {
        switch request {
        case .register(let topic):
            return try self.register(topic, link, key, store, random: &random, now: now)
        case .unregister(let topic):
            guard Topic.isTopic(topic) else { return [.close(link, reason: TokenDecision.badTopic)] }
            try store.unregister(topic: topic, of: key, at: now.wall)
            return try self.feed(.topicUnregistered(topic), to: key, store, now: now.wall)
                + [.unregistered(topic: topic, link)]
        case .enableTopics(let topics):
            guard let list = TopicList(topics) else {
                let most = TokenDecision.topicsMax
                return [.close(link, reason: "a device enables at most \(most) topics, and \(TokenDecision.badTopic)")]
            }
            return try self.feed(.topicsEnabled(list), to: key, store, now: now.wall) + [.finished(link)]
        case .acknowledge(let bytes):
            guard let id = PushID(bytes: bytes) else { return [.close(link, reason: "a push id has 16 bytes")] }
            let place = self.unwritten.count
            let outputs = try self.feed(.pushAcknowledged(id), to: key, store, now: now.wall)
            // A push for one attempt is not stored, so record its acknowledgement here. If the push has ended, this has no effect.
            if self.unwritten.count == place { self.unwritten.append((.acknowledged(id), now.wall)) }
            return outputs + [.finished(link)]
        }
    }

    private mutating func register(
        _ topic: String,
        _ link: LinkID,
        _ key: DeviceKey,
        _ store: any PushStoreTransaction,
        random: inout some RandomNumberGenerator,
        now: Now
    ) throws -> [Output] {
        if let record = try store.registeredToken(of: key, for: topic) {
            try self.use(record, isPushed: false, store, now.wall)
            return [.registered(record, link)]
        }
        switch TokenDecision.decide(topic: topic, enrolment: try store.enrolment(of: key)) {
        case .issue:
            guard let address = self.devices[key]?.address, self.enrolments.take(for: address, now: now.monotonic)
            else { return [.postponed(link, .addressHasEnough)] }
            let token = DeviceToken(using: &random)
            let record = TokenRecord(token: token, device: key, topic: topic, usedAt: now.wall.wholeMilliseconds)
            try store.insert(record)
            return [.registered(record, link)] + self.trust(key, isPushed: false, now.wall)
        case .postpone(let reason): return [.postponed(link, reason)]
        case .refuse(let reason): return [.close(link, reason: reason)]
        }
    }

    /// Records the use of a token, but writes it only once a day.
    private func use(
        _ record: TokenRecord,
        isPushed: Bool,
        _ store: any PushStoreTransaction,
        _ now: WallTime
    ) throws {
        let isNews = isPushed && !record.isPushed
        guard isNews || record.usedAt.duration(to: now) >= TokenDecision.usePrecision else { return }
        try store.markUsed(record.token, at: now, isPushed: isPushed)
    }

    /// Reports that a device's connection deserves more trust, because the device has a token or a push arrived for it.
    private mutating func trust(_ key: DeviceKey, isPushed: Bool, _ now: WallTime) -> [Output] {
        guard var device = self.devices[key], device.trust < .known else { return [] }
        let since = device.since ?? now
        let trust = Enrolment(tokensCount: 1, isKnown: isPushed, since: since, hasRoom: true).trust(now: now)
        device.since = since
        let isMore = trust > device.trust
        device.trust = max(device.trust, trust)
        self.devices[key] = device
        return isMore ? [.trusted(device.link, trust)] : []
    }

    private mutating func feed(
        _ input: DeviceQueue.Input,
        to key: DeviceKey,
        _ store: any PushStoreTransaction,
        now: WallTime
    ) throws -> [Output] {
        let link = self.devices[key]?.link
        var queue = self.devices[key]?.queue ?? DeviceQueue(stored: [])
        let effects = queue.handle(input, now: now)
        var (outputs, events): ([Output], [PushHistory.Event]) = ([], [])
        for effect in effects {
            switch effect {
            case .store(let push):
                guard let replaced = try store.put(push, for: key) else { break }
                // The removal of expired pushes may happen later than the expiration.
                let isExpired = replaced.isExpired(now: now)
                outputs.append(.note(isExpired ? .expired : .replaced))
                events.append(.ended(replaced.id, isExpired ? .expired : .replaced))
            case .remove(let id):
                try store.removePush(id, of: key)
                events.append(.ended(id, Self.end(by: input)))
            case .deliver(let push):
                guard let link else { break }
                outputs.append(.deliver(push, link))
                events.append(.delivered(push.id))
            case .note(let note): outputs.append(.note(note))
            }
        }
        // Nothing fails from here on, so the memory may change.
        if case .pushAdmitted(let push) = input, outputs == [.note(.undeliverable)] {
            events.append(.ended(push.id, .undeliverable))
        }
        if link != nil {
            self.devices[key]?.queue = queue
            self.uncommitted.insert(key)
        }
        self.unwritten += events.map { ($0, now) }
        return outputs
    }

    /// The reason why a queue removed a push.
    private static func end(by input: DeviceQueue.Input) -> PushHistory.End {
        switch input {
        case .pushAcknowledged: .acknowledged
        case .topicUnregistered: .unregistered
        case .linkOpened, .linkClosed, .topicsEnabled, .pushAdmitted: .expired
        }
    }
}
