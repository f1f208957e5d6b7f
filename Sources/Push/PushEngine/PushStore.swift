public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The durable storage of tokens and pushes, which is authoritative.
///
/// Calls block, and come from one queue that is there for them.
public protocol PushStore: Sendable {
    /// Runs changes as a transaction: when this returns they survive the loss, and when it throws they are undone.
    ///
    /// Changes that survive a power failure take those of all earlier transactions along.
    func transaction(surviving loss: PushStoreLoss, _ body: (any PushStoreTransaction) throws -> Void) throws

    /// Writes without a change: when this returns, the store works again.
    ///
    /// - Throws: when they do not.
    func tryWriting() throws

    /// The size in bytes, for the operator; nil: unknown.
    var bytesCount: Int? { get }
}

/// What a process can lose its memory to.
public enum PushStoreLoss: Sendable, Hashable {
    /// `kill -9`, or a crash; the machine goes on.
    case crash
    /// A power failure, or a crash of the machine.
    case powerFailure
}

extension PushStore {
    /// Runs changes as a transaction that survives a power failure.
    public func transaction(_ body: (any PushStoreTransaction) throws -> Void) throws {
        try self.transaction(surviving: .powerFailure, body)
    }

    /// Succeeds, because this store has no disk that could fail.
    public func tryWriting() throws {}

    /// Unknown.
    public var bytesCount: Int? { nil }
}

/// The operations of a ``PushStore``, valid within one transaction.
public protocol PushStoreTransaction {
    /// Runs changes as a savepoint of the transaction: when it throws, they are undone, and earlier changes stay.
    func attempt(_ body: () throws -> Void) throws

    /// Returns the record of a token; nil when it was never issued here, or died too long ago.
    func record(of token: DeviceToken) throws -> TokenRecord?

    /// Returns the registered token of a device for a topic; nil when there is none.
    func registeredToken(of device: DeviceKey, for topic: String) throws -> TokenRecord?

    /// Returns how many registered tokens a device has, and whether there is room for more.
    func enrolment(of device: DeviceKey) throws -> Enrolment

    /// Returns the registered tokens of a device, in the order of their bytes.
    func registeredTokens(of device: DeviceKey) throws -> [TokenRecord]

    /// Returns the devices with registered tokens, ordered by key: those after a key, up to a limit.
    func devices(after key: DeviceKey?, limit: Int) throws -> [DeviceKey]

    /// Adds a registered token.
    ///
    /// - Throws: when the token was added before, or the device has one for the topic.
    func insert(_ record: TokenRecord) throws

    /// Records the use of a token, and whether a push was accepted for it.
    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) throws

    /// Ends the registered token of a topic, if there is one.
    ///
    /// Of one device the newest dead tokens are remembered, ``TokenDecision/topicsMax`` of them; of tokens that died
    /// at one time, those with the greater bytes.
    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws

    /// Removes the tokens that were used last, or died, before a time.
    func removeUnused(before time: WallTime) throws

    /// Returns the pushes stored for a device, in the order of their arrival.
    func pushes(of device: DeviceKey) throws -> [StoredPush]

    /// Stores a push, replacing the one for the same topic, and makes it the device's last.
    ///
    /// - Returns: the push that it took the place of; nil when there was none.
    /// - Throws: when the push is not to be stored.
    @discardableResult
    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush?

    /// Removes a push, if it is there.
    func removePush(_ id: PushID, of device: DeviceKey) throws

    /// Removes the pushes that expired.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func removeExpired(now: WallTime) throws -> Int

    /// Adds one to an entry of a sender's account of a day.
    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws

    /// Returns a sender's account of a day; of nothing when nothing was counted.
    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount

    /// Returns the accounts of a sender, or of all, from a day on: the newest day first, and of one day in the order of names.
    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay]

    /// Removes the accounts of days before one.
    func removeAccounts(before day: AccountDay) throws

    /// Records until when a sender waits after its mistakes, in whole milliseconds, replacing the earlier record.
    func putWait(of sender: Sender.Name, until end: WallTime) throws

    /// Returns until when a sender waits, or waited; nil: nothing is recorded.
    func waitEnd(of sender: Sender.Name) throws -> WallTime?

    /// Removes the waits that ended before a time.
    func removeWaits(endedBefore time: WallTime) throws
}
