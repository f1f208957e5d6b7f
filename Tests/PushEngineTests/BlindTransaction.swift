internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A transaction whose store does not tell the pushes that it has: anyone who asks for all that is stored fails.
struct BlindTransaction: PushStoreTransaction {
    let base: any PushStoreTransaction

    func pushes(of device: DeviceKey) throws -> [StoredPush] { throw FailingTransaction.Failure() }

    func attempt(_ body: () throws -> Void) throws { try self.base.attempt(body) }
    func record(of token: DeviceToken) throws -> TokenRecord? { try self.base.record(of: token) }
    func registeredToken(of device: DeviceKey, for topic: String) throws -> TokenRecord? {
        try self.base.registeredToken(of: device, for: topic)
    }
    func registeredTokens(of device: DeviceKey) throws -> [TokenRecord] {
        try self.base.registeredTokens(of: device)
    }
    func devices(after key: DeviceKey?, limit: Int) throws -> [DeviceKey] {
        try self.base.devices(after: key, limit: limit)
    }
    func enrolment(of device: DeviceKey) throws -> Enrolment { try self.base.enrolment(of: device) }
    func insert(_ record: TokenRecord) throws { try self.base.insert(record) }
    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) throws {
        try self.base.markUsed(token, at: time, isPushed: isPushed)
    }
    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws {
        try self.base.unregister(topic: topic, of: device, at: time)
    }
    func removeUnused(before time: WallTime) throws { try self.base.removeUnused(before: time) }
    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush? {
        try self.base.put(push, for: device)
    }
    func removePush(_ id: PushID, of device: DeviceKey) throws { try self.base.removePush(id, of: device) }
    func removeExpired(now: WallTime) throws -> Int { try self.base.removeExpired(now: now) }
    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws {
        try self.base.count(entry, of: sender, on: day)
    }
    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount {
        try self.base.account(of: sender, on: day)
    }
    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay] {
        try self.base.accounts(of: sender, since: day)
    }
    func removeAccounts(before day: AccountDay) throws { try self.base.removeAccounts(before: day) }
    func putWait(of sender: Sender.Name, until end: WallTime) throws { try self.base.putWait(of: sender, until: end) }
    func waitEnd(of sender: Sender.Name) throws -> WallTime? { try self.base.waitEnd(of: sender) }
    func removeWaits(endedBefore time: WallTime) throws { try self.base.removeWaits(endedBefore: time) }
}
