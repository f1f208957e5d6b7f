internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The rows that a transaction has read, with its changes, and the changes that are not sent yet.
///
/// A table without a row's key does not know the row; nil as a value means that there is none.
struct PushRows {
    /// A device's topic, which has at most one registered token and one push.
    struct Place: Hashable {
        let device: DeviceKey
        let topic: String
    }

    /// A push of a device.
    struct Name: Hashable {
        let device: DeviceKey
        let id: PushID
    }

    /// A sender's day.
    struct Day: Hashable {
        let sender: Sender.Name
        let day: AccountDay
    }

    /// A count of a sender's day.
    struct Entry: Hashable {
        let day: Day
        let entry: SenderAccount.Entry
    }

    struct Token {
        var record: TokenRecord
        let issued: WallTime
        /// Whether this transaction inserts the token.
        var isNew = false
    }

    /// The change of the push in a place.
    enum Change {
        case put(StoredPush, arrival: Int64)
        case remove
    }

    /// A change.
    enum Operation {
        /// Changes a token, or inserts it.
        case token(Token)
        /// A token of the device has ended.
        case ended(DeviceKey)
        case put(StoredPush, Place, arrival: Int64)
        case remove(Name)
        case count(SenderAccount.Entry, Day)
        case wait(Sender.Name, until: WallTime)
    }

    // MARK: Known rows

    private(set) var tokens: [DeviceToken: Token?] = [:]
    /// The registered tokens of devices, in the order of their bytes.
    private(set) var registered: [DeviceKey: [DeviceToken]] = [:]
    private(set) var replaceable: [Place: ReplacedPush?] = [:]
    private var places: [Name: Place] = [:]
    /// All pushes of devices, in the order of their arrival.
    private(set) var pushes: [DeviceKey: [StoredPush]] = [:]
    private(set) var accounts: [Day: SenderAccount] = [:]
    private(set) var waits: [Sender.Name: WallTime?] = [:]
    /// The number of tokens and pushes in the database.
    var count: Int?

    // MARK: Changed rows

    private(set) var changedTokens: [DeviceToken: Bool] = [:]
    /// The devices whose tokens have ended; the oldest of these tokens are removed.
    private(set) var ended: [DeviceKey: Bool] = [:]
    private(set) var removed: [Name: Bool] = [:]
    private(set) var changes: [Place: Change] = [:]
    private(set) var counts: [Entry: Int] = [:]
    private(set) var changedWaits: [Sender.Name: WallTime] = [:]

    /// An attempt: its changes, and what takes them back, the last one first.
    private struct Attempt {
        var operations: [Operation] = []
        var undo: [(inout PushRows) -> Void] = []
        /// Whether changes before the attempt were sent, and then a savepoint.
        var hasSavepoint = false
    }

    /// The present attempt; nil outside an attempt.
    private var attempt: Attempt?

    var hasChanges: Bool {
        !(self.changedTokens.isEmpty && self.removed.isEmpty && self.changes.isEmpty && self.counts.isEmpty
            && self.changedWaits.isEmpty)
    }

    // MARK: Attempts

    mutating func beginAttempt() { self.attempt = Attempt() }

    mutating func endAttempt() { self.attempt = nil }

    /// Takes back the changes of the attempt.
    ///
    /// - Returns: whether there is a savepoint, to which the database must return.
    mutating func undoAttempt() -> Bool {
        guard let attempt = self.attempt else { return false }
        self.attempt = nil
        if attempt.hasSavepoint {
            self = PushRows()
        } else {
            for change in attempt.undo.reversed() { change(&self) }
        }
        return attempt.hasSavepoint
    }

    /// Returns the changes as statements, and forgets all rows.
    ///
    /// The changes of an attempt follow a savepoint.
    mutating func send() -> [PostgreSQLStatement] {
        guard let attempt = self.attempt, !attempt.hasSavepoint else {
            let statements = self.statements
            let isAttempt = self.attempt != nil
            self = PushRows()
            if isAttempt { self.attempt = Attempt(hasSavepoint: true) }
            return statements
        }
        _ = self.undoAttempt()
        let (before, inserted) = (self.statements, self.changedTokens)
        self = PushRows()
        for operation in attempt.operations {
            if case .token(var token) = operation, inserted[token.record.token] != nil {
                token.isNew = false
                self.apply(.token(token))
            } else {
                self.apply(operation)
            }
        }
        let own = self.statements
        self = PushRows()
        self.attempt = Attempt(hasSavepoint: true)
        return before + [PostgreSQLStatement("SAVEPOINT attempt")] + own
    }

    private mutating func set<Key, Value>(
        _ table: WritableKeyPath<PushRows, [Key: Value]>,
        _ key: Key,
        _ value: Value?
    ) {
        let old = self[keyPath: table][key]
        self.attempt?.undo.append { $0[keyPath: table][key] = old }
        self[keyPath: table][key] = value
    }

    // MARK: Learning

    mutating func learn(_ token: DeviceToken, _ row: Token?) { self.tokens[token] = .some(row) }

    mutating func learnRegistered(_ tokens: [Token], of device: DeviceKey) {
        self.registered[device] = tokens.map(\.record.token)
        for token in tokens { self.learn(token.record.token, token) }
    }

    mutating func learn(_ push: ReplacedPush?, in place: Place) {
        self.replaceable[place] = .some(push)
        if let push { self.places[Name(device: place.device, id: push.id)] = place }
    }

    mutating func learn(_ pushes: [StoredPush], of device: DeviceKey) {
        self.pushes[device] = pushes
        for push in pushes {
            self.learn(
                ReplacedPush(id: push.id, expiration: push.expiration),
                in: Place(device: device, topic: push.topic)
            )
        }
    }

    mutating func learn(_ account: SenderAccount, of day: Day) { self.accounts[day] = account }

    mutating func learn(waitEnd: WallTime?, of sender: Sender.Name) { self.waits[sender] = .some(waitEnd) }

    // MARK: Changing

    mutating func apply(_ operation: Operation) {
        self.attempt?.operations.append(operation)
        switch operation {
        case .token(let token): self.put(token)
        case .ended(let device): self.set(\.ended, device, true)
        case .put(let push, let place, let arrival): self.put(push, in: place, arrival: arrival)
        case .remove(let name): self.remove(name)
        case .count(let entry, let day): self.count(entry, of: day)
        case .wait(let sender, let end):
            self.set(\.waits, sender, .some(end))
            self.set(\.changedWaits, sender, end)
        }
    }

    private mutating func put(_ token: Token) {
        let record = token.record
        self.set(\.tokens, record.token, .some(token))
        self.set(\.changedTokens, record.token, true)
        guard var list = self.registered[record.device] else { return }
        let isListed = list.contains(record.token)
        guard isListed != (record.unregisteredAt == nil) else { return }
        if isListed {
            list.removeAll { $0 == record.token }
        } else {
            let place = list.firstIndex { record.token.bytes.lexicographicallyPrecedes($0.bytes) } ?? list.endIndex
            list.insert(record.token, at: place)
        }
        self.set(\.registered, record.device, list)
    }

    private mutating func put(_ push: StoredPush, in place: Place, arrival: Int64) {
        self.set(\.changes, place, .put(push, arrival: arrival))
        self.set(\.replaceable, place, .some(ReplacedPush(id: push.id, expiration: push.expiration)))
        self.set(\.places, Name(device: place.device, id: push.id), place)
        guard let list = self.pushes[place.device] else { return }
        self.set(\.pushes, place.device, list.filter { $0.topic != place.topic } + [push])
    }

    private mutating func remove(_ name: Name) {
        self.set(\.removed, name, true)
        if let place = self.places[name], self.replaceable[place]??.id == name.id {
            self.set(\.replaceable, place, .some(nil))
            if case .put = self.changes[place] { self.set(\.changes, place, .remove) }
        }
        guard let list = self.pushes[name.device] else { return }
        self.set(\.pushes, name.device, list.filter { $0.id != name.id })
    }

    private mutating func count(_ entry: SenderAccount.Entry, of day: Day) {
        let key = Entry(day: day, entry: entry)
        self.set(\.counts, key, (self.counts[key] ?? 0) + 1)
        guard var account = self.accounts[day] else { return }
        account.add(1, to: entry)
        self.set(\.accounts, day, account)
    }
}
