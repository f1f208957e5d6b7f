public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The durable storage of tokens and pushes, which is authoritative.
///
/// Calls block; they are made on one queue, which is only used for the store.
public protocol PushStore: Sendable {
    /// Runs changes as a transaction: if this returns, they survive the loss; if it throws, they are undone.
    ///
    /// If changes survive a power failure, so do the changes of all earlier transactions.
    func transaction(surviving loss: PushStoreLoss, _ body: (any PushStoreTransaction) throws -> Void) throws

    /// Writes without changing any data, to check that the store works again.
    ///
    /// - Throws: if writing fails.
    func tryWriting() throws

    /// The size in bytes, for the operator; nil: unknown.
    var bytesCount: Int? { get }
}

/// A failure in which the process loses its memory.
///
/// Changes that survive the greater failure survive the smaller one, too.
public enum PushStoreLoss: Int, Sendable, Comparable {
    /// `kill -9`, or a crash of the process; the machine keeps running.
    case crash
    /// A power failure, or a crash of the machine.
    case powerFailure

    /// Orders failures by how much they destroy.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
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
    /// Reads what the following operations need, if each read would cost a round trip (ADR 0125).
    ///
    /// - Parameter reads: the reads; a store on this machine does not evaluate them.
    /// - Throws: if reading fails.
    func prefetch(_ reads: @autoclosure () -> [PushStoreRead]) throws

    /// Runs changes as a savepoint of the transaction: when it throws, they are undone, and earlier changes stay.
    func attempt(_ body: () throws -> Void) throws

    /// Returns the record of a token; nil if it was never issued here, or ended too long ago.
    func record(of token: DeviceToken) throws -> TokenRecord?

    /// Returns the registered token of a device for a topic; nil when there is none.
    func registeredToken(of device: DeviceKey, for topic: String) throws -> TokenRecord?

    /// Returns the summary of a device's registered tokens.
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
    /// For each device, the newest ``TokenDecision/topicsMax`` ended tokens are kept; of tokens that ended at the same
    /// time, those with the greater bytes.
    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws

    /// Removes the tokens that were last used, or ended, before a time.
    func removeUnused(before time: WallTime) throws

    /// Returns the pushes stored for a device, in the order of their arrival.
    func pushes(of device: DeviceKey) throws -> [StoredPush]

    /// Stores a push as the device's last one, replacing an earlier push of the same topic.
    ///
    /// - Returns: the replaced push; nil if there was none.
    /// - Throws: if the push is for one attempt.
    @discardableResult
    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush?

    /// Removes a push, if it is stored.
    func removePush(_ id: PushID, of device: DeviceKey) throws

    /// Removes the pushes that expired.
    ///
    /// - Returns: the number of removed pushes.
    @discardableResult
    func removeExpired(now: WallTime) throws -> Int

    /// Adds one to an entry in a sender's account for a day.
    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws

    /// Returns a sender's account for a day; an empty one if nothing was counted.
    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount

    /// Returns the accounts of a sender, or of all senders, since a day: the newest day first, and by name within a day.
    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay]

    /// Removes the accounts of earlier days.
    func removeAccounts(before day: AccountDay) throws

    /// Records until when a sender waits after its mistakes, in whole milliseconds, replacing the earlier record.
    func putWait(of sender: Sender.Name, until end: WallTime) throws

    /// Returns the recorded end of a sender's wait, which may have passed; nil if there is no record.
    func waitEnd(of sender: Sender.Name) throws -> WallTime?

    /// Removes the waits that ended before a time.
    func removeWaits(endedBefore time: WallTime) throws
}

extension PushStoreTransaction {
    /// Reads nothing: this store reads without a round trip.
    public func prefetch(_ reads: @autoclosure () -> [PushStoreRead]) throws {}
}
