internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A transaction whose store fails.
struct FaultyTransaction: PushStoreTransaction {
    /// The statements that fail.
    enum Fault {
        /// The store can be read, but accepts no writes.
        case writes
        /// The store does not return the pushes of a device.
        case pushes
    }

    struct Failure: Error {}

    let base: any PushStoreTransaction
    let fault: Fault

    private var writable: any PushStoreTransaction {
        get throws {
            if self.fault == .writes { throw Failure() }
            return self.base
        }
    }

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
    func pushes(of device: DeviceKey) throws -> [StoredPush] {
        if self.fault == .pushes { throw Failure() }
        return try self.base.pushes(of: device)
    }
    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount {
        try self.base.account(of: sender, on: day)
    }
    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay] {
        try self.base.accounts(of: sender, since: day)
    }
    func waitEnd(of sender: Sender.Name) throws -> WallTime? { try self.base.waitEnd(of: sender) }

    func attempt(_ body: () throws -> Void) throws { try self.writable.attempt(body) }
    func insert(_ record: TokenRecord) throws { try self.writable.insert(record) }
    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) throws {
        try self.writable.markUsed(token, at: time, isPushed: isPushed)
    }
    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws {
        try self.writable.unregister(topic: topic, of: device, at: time)
    }
    func removeUnused(before time: WallTime) throws { try self.writable.removeUnused(before: time) }
    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush? {
        try self.writable.put(push, for: device)
    }
    func removePush(_ id: PushID, of device: DeviceKey) throws { try self.writable.removePush(id, of: device) }
    func removeExpired(now: WallTime) throws -> Int { try self.writable.removeExpired(now: now) }
    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws {
        try self.writable.count(entry, of: sender, on: day)
    }
    func removeAccounts(before day: AccountDay) throws { try self.writable.removeAccounts(before: day) }
    func putWait(of sender: Sender.Name, until end: WallTime) throws {
        try self.writable.putWait(of: sender, until: end)
    }
    func removeWaits(endedBefore time: WallTime) throws { try self.writable.removeWaits(endedBefore: time) }
}
