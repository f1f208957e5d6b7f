internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A transaction that only accepts the reads that the gateway announced for an input; another read would cost a round
/// trip.
struct AnnouncedTransaction: PushStoreTransaction {
    private let base: any PushStoreTransaction
    private let reads: Set<PushStoreRead>

    init(_ base: any PushStoreTransaction, _ gateway: Gateway, _ input: Gateway.Input, now: WallTime) {
        self.base = base
        self.reads = Set(gateway.reads(of: input, now: now))
    }

    private func expect(_ read: PushStoreRead) {
        #expect(self.reads.contains(read))
    }

    func record(of token: DeviceToken) throws -> TokenRecord? {
        self.expect(.token(token))
        return try self.base.record(of: token)
    }
    func registeredToken(of device: DeviceKey, for topic: String) throws -> TokenRecord? {
        self.expect(.tokens(of: device))
        return try self.base.registeredToken(of: device, for: topic)
    }
    func registeredTokens(of device: DeviceKey) throws -> [TokenRecord] {
        self.expect(.tokens(of: device))
        return try self.base.registeredTokens(of: device)
    }
    func enrolment(of device: DeviceKey) throws -> Enrolment {
        self.expect(.tokens(of: device))
        return try self.base.enrolment(of: device)
    }
    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws {
        self.expect(.tokens(of: device))
        try self.base.unregister(topic: topic, of: device, at: time)
    }
    func pushes(of device: DeviceKey) throws -> [StoredPush] {
        self.expect(.pushes(of: device))
        return try self.base.pushes(of: device)
    }
    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush? {
        let tokens = self.reads.compactMap { if case .token(let token) = $0 { token } else { nil } }
        let records = try tokens.compactMap(self.base.record)
        #expect(records.contains { $0.device == device && $0.topic == push.topic })
        return try self.base.put(push, for: device)
    }
    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount {
        self.expect(.sender(sender, on: day))
        return try self.base.account(of: sender, on: day)
    }
    func waitEnd(of sender: Sender.Name) throws -> WallTime? {
        #expect(self.reads.contains { if case .sender(sender, _) = $0 { true } else { false } })
        return try self.base.waitEnd(of: sender)
    }

    func attempt(_ body: () throws -> Void) throws { try self.base.attempt(body) }
    func devices(after key: DeviceKey?, limit: Int) throws -> [DeviceKey] {
        try self.base.devices(after: key, limit: limit)
    }
    func insert(_ record: TokenRecord) throws { try self.base.insert(record) }
    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) throws {
        try self.base.markUsed(token, at: time, isPushed: isPushed)
    }
    func removeUnused(before time: WallTime) throws { try self.base.removeUnused(before: time) }
    func removePush(_ id: PushID, of device: DeviceKey) throws { try self.base.removePush(id, of: device) }
    func removeExpired(now: WallTime) throws -> Int { try self.base.removeExpired(now: now) }
    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws {
        try self.base.count(entry, of: sender, on: day)
    }
    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay] {
        try self.base.accounts(of: sender, since: day)
    }
    func removeAccounts(before day: AccountDay) throws { try self.base.removeAccounts(before: day) }
    func putWait(of sender: Sender.Name, until end: WallTime) throws { try self.base.putWait(of: sender, until: end) }
    func removeWaits(endedBefore time: WallTime) throws { try self.base.removeWaits(endedBefore: time) }
}
