internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A transaction that reads ahead (``prefetch(_:)``), answers from memory, and sends its changes with the commit.
///
/// A read that was not announced costs a round trip. If there are changes then, they are sent before it.
final class PostgreSQLPushTransaction: PushStoreTransaction {
    /// The numbers of rows at which no more tokens or pushes are added.
    struct Room {
        let tokens: Int
        let pushes: Int
    }

    private let session: PushSession
    private let room: Room
    private let loss: PushStoreLoss
    var rows = PushRows()
    /// Whether changes were sent before the commit.
    private var isOpen = false
    private var isLost = false
    /// The error of the database that ended the transaction.
    private(set) var failure: (any Error)?

    init(_ session: PushSession, room: Room, surviving loss: PushStoreLoss) {
        self.session = session
        self.room = room
        self.loss = loss
    }

    // MARK: Round trips

    private var beginning: [PostgreSQLStatement] {
        [PostgreSQLStatement("BEGIN")]
            + (self.loss == .crash ? [PostgreSQLStatement("SET LOCAL synchronous_commit = off")] : [])
    }

    /// Sends statements, which change rows themselves if `changes` says so, after the changes so far.
    func exchange(_ statements: [PostgreSQLStatement], changes: Bool = false) throws -> [[PostgreSQLRow]] {
        if self.isLost { throw TransactionLost() }
        do {
            guard self.isOpen || self.rows.hasChanges || changes else { return try self.session.exchange(statements) }
            let all = self.rows.send() + statements
            let results =
                try self.isOpen ? self.session.proceed(all) : self.session.exchange(self.beginning + all)
            self.isOpen = true
            return results.suffix(statements.count)
        } catch {
            (self.isLost, self.failure) = (true, error)
            throw error
        }
    }

    /// Sends the changes with the commit; without changes, it does nothing.
    func commit() throws {
        if self.isLost { throw TransactionLost() }
        guard self.isOpen || self.rows.hasChanges else { return }
        let all = self.rows.statements + [.commit]
        if self.isOpen {
            _ = try self.session.proceed(all)
        } else {
            _ = try self.session.exchange(self.beginning + all)
        }
        self.isOpen = false
    }

    func rollBack() {
        if self.isOpen { self.session.rollBack() }
    }

    func attempt(_ body: () throws -> Void) throws {
        self.rows.beginAttempt()
        do {
            try body()
            self.rows.endAttempt()
        } catch {
            if self.rows.undoAttempt() { _ = try self.exchange([PostgreSQLStatement("ROLLBACK TO attempt")]) }
            if self.isLost { throw TransactionLost() }
            throw error
        }
    }

    // MARK: Tokens

    private func token(_ token: DeviceToken) throws -> PushRows.Token? {
        // The database decides which of the ended tokens are kept.
        if let known = self.rows.tokens[token] ?? nil, known.record.unregisteredAt != nil,
            self.rows.ended[known.record.device] != nil
        {
            _ = try self.exchange([])
        }
        if self.rows.tokens[token] == nil { try self.load([.token(token)]) }
        return self.rows.tokens[token] ?? nil
    }

    private func tokens(of device: DeviceKey) throws -> [PushRows.Token] {
        if self.rows.registered[device] == nil { try self.load([.tokens(of: device)]) }
        return (self.rows.registered[device] ?? []).compactMap { self.rows.tokens[$0] ?? nil }
    }

    func record(of token: DeviceToken) throws -> TokenRecord? { try self.token(token)?.record }

    func registeredToken(of device: DeviceKey, for topic: String) throws -> TokenRecord? {
        try self.tokens(of: device).first { $0.record.topic == topic }?.record
    }

    func registeredTokens(of device: DeviceKey) throws -> [TokenRecord] { try self.tokens(of: device).map(\.record) }

    func enrolment(of device: DeviceKey) throws -> Enrolment {
        let tokens = try self.tokens(of: device)
        return Enrolment(
            tokensCount: tokens.count,
            isKnown: tokens.contains { $0.record.isPushed },
            since: tokens.map(\.issued).min(),
            hasRoom: try self.count() < self.room.tokens
        )
    }

    /// Inserts a token; if another device has it, the table refuses it at the commit.
    func insert(_ record: TokenRecord) throws {
        let others = try self.tokens(of: record.device)
        let known = self.rows.tokens[record.token] ?? nil
        guard known == nil, !others.contains(where: { $0.record.topic == record.topic }) else {
            throw PostgreSQLError.refused(state: "23505", message: "there is such a token")
        }
        self.rows.apply(.token(PushRows.Token(record: record, issued: record.usedAt, isNew: true)))
    }

    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) throws {
        guard let row = try self.token(token) else { return }
        self.change(row, usedAt: time, isPushed: row.record.isPushed || isPushed, row.record.unregisteredAt)
    }

    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws {
        guard let row = try self.tokens(of: device).first(where: { $0.record.topic == topic }) else { return }
        self.change(row, usedAt: time, isPushed: row.record.isPushed, time.wholeMilliseconds)
        self.rows.apply(.ended(device))
    }

    private func change(_ row: PushRows.Token, usedAt: WallTime, isPushed: Bool, _ unregisteredAt: WallTime?) {
        var row = row
        row.record = TokenRecord(
            token: row.record.token,
            device: row.record.device,
            topic: row.record.topic,
            usedAt: usedAt.wholeMilliseconds,
            isPushed: isPushed,
            unregisteredAt: unregisteredAt
        )
        self.rows.apply(.token(row))
    }

    // MARK: Pushes

    private func count() throws -> Int {
        if self.rows.count == nil { try self.load([]) }
        return self.rows.count ?? 0
    }

    func pushes(of device: DeviceKey) throws -> [StoredPush] {
        if self.rows.pushes[device] == nil { try self.load([.pushes(of: device)]) }
        return self.rows.pushes[device] ?? []
    }

    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush? {
        guard case .until = push.expiration else {
            throw PostgreSQLError.refused(state: "22000", message: "a push for one attempt is not stored")
        }
        guard try self.count() < self.room.pushes else {
            throw PostgreSQLError.refused(state: "53100", message: "there are as many pushes as there may be")
        }
        let place = PushRows.Place(device: device, topic: push.topic)
        let replaced: ReplacedPush?
        if let known = self.rows.replaceable[place] {
            replaced = known
        } else {
            let old = try self.pushes(of: device).first { $0.topic == push.topic }
            replaced = old.map { ReplacedPush(id: $0.id, expiration: $0.expiration) }
        }
        self.rows.apply(.put(push, place, arrival: self.session.nextArrival()))
        return replaced
    }

    func removePush(_ id: PushID, of device: DeviceKey) throws {
        self.rows.apply(.remove(PushRows.Name(device: device, id: id)))
    }

    // MARK: Senders

    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws {
        self.rows.apply(.count(entry, PushRows.Day(sender: sender, day: day)))
    }

    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount {
        let key = PushRows.Day(sender: sender, day: day)
        if self.rows.accounts[key] == nil { try self.load([.sender(sender, on: day)]) }
        return self.rows.accounts[key] ?? SenderAccount()
    }

    func putWait(of sender: Sender.Name, until end: WallTime) throws {
        self.rows.apply(.wait(sender, until: end.wholeMilliseconds))
    }

    func waitEnd(of sender: Sender.Name) throws -> WallTime? {
        if self.rows.waits[sender] == nil { try self.load([.sender(sender, on: AccountDay(number: 0))]) }
        return self.rows.waits[sender] ?? nil
    }
}
