internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A transaction whose store can be read, and takes nothing.
struct FailingTransaction: PushStoreTransaction {
    struct Failure: Error {}

    let base: any PushStoreTransaction

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
    func pushes(of device: DeviceKey) throws -> [StoredPush] { try self.base.pushes(of: device) }
    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount {
        try self.base.account(of: sender, on: day)
    }
    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay] {
        try self.base.accounts(of: sender, since: day)
    }

    func waitEnd(of sender: Sender.Name) throws -> WallTime? { try self.base.waitEnd(of: sender) }

    func attempt(_ body: () throws -> Void) throws { throw Failure() }
    func insert(_ record: TokenRecord) throws { throw Failure() }
    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) throws { throw Failure() }
    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws { throw Failure() }
    func removeUnused(before time: WallTime) throws { throw Failure() }
    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush? { throw Failure() }
    func removePush(_ id: PushID, of device: DeviceKey) throws { throw Failure() }
    func removeExpired(now: WallTime) throws -> Int { throw Failure() }
    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws { throw Failure() }
    func removeAccounts(before day: AccountDay) throws { throw Failure() }
    func putWait(of sender: Sender.Name, until end: WallTime) throws { throw Failure() }
    func removeWaits(endedBefore time: WallTime) throws { throw Failure() }
}
