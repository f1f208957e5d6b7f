internal import Foundation
internal import GRDB
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The operations of a ``SQLitePushStore`` within one transaction.
final class SQLitePushTransaction: PushStoreTransaction {
    private static let tokenColumns = "token, device, topic, used_at, is_pushed, unregistered_at"

    let database: Database
    private let room: Room
    /// The pages in use at the first push of the transaction; not updated, because one batch adds few pages.
    private var pagesUsed: Int?
    private let tokens: TokenCache
    private let arrivals: ArrivalNumbers
    private var attempt = Attempt.outside

    /// The numbers of used pages at which no more tokens or pushes are added.
    struct Room {
        let tokens: Int
        let pushes: Int
    }

    /// The state of the attempt to which the present operations belong.
    private enum Attempt {
        /// There is no attempt: the operations belong to the whole transaction.
        case outside
        /// The attempt has written nothing, so there is nothing to undo.
        case reading
        /// The first write of the attempt is delayed until the next operation.
        case waiting(String, StatementArguments)
        /// The attempt has written more than once, or has read its own write, and has a savepoint.
        case writing
    }

    init(_ database: Database, room: Room, tokens: TokenCache, arrivals: ArrivalNumbers) {
        self.database = database
        self.room = room
        self.tokens = tokens
        self.arrivals = arrivals
    }

    /// Runs an attempt; most attempts write once, at their end, without a savepoint.
    ///
    /// SQLite itself undoes a statement that fails. A savepoint for each attempt, with a copy of the changed pages, was a quarter of
    /// a push's cost in the store.
    func attempt(_ body: () throws -> Void) throws {
        self.attempt = .reading
        defer { self.attempt = .outside }
        do {
            try body()
            switch self.attempt {
            case .outside, .reading: break
            case .waiting(let sql, let arguments): try self.run(sql, arguments)
            case .writing: try self.run("RELEASE attempt")
            }
        } catch {
            self.tokens.forgetAll()
            guard self.database.isInsideTransaction else { throw TransactionLost() }
            if case .writing = self.attempt {
                try self.run("ROLLBACK TO attempt")
                try self.run("RELEASE attempt")
            }
            throw error
        }
    }

    func record(of token: DeviceToken) throws -> TokenRecord? {
        if let record = self.tokens[token] { return record }
        let record = try self.fetchOne(
            "SELECT \(Self.tokenColumns) FROM token WHERE token = ?",
            [Data(token.bytes)]
        )
        if let record { self.tokens.remember(record) }
        return record
    }

    func registeredToken(of device: DeviceKey, for topic: String) throws -> TokenRecord? {
        try self.fetchOne(
            "SELECT \(Self.tokenColumns) FROM token WHERE device = ? AND topic = ? AND unregistered_at IS NULL",
            [Data(device.bytes), topic]
        )
    }

    func registeredTokens(of device: DeviceKey) throws -> [TokenRecord] {
        let statement = try self.question(
            """
            SELECT \(Self.tokenColumns) FROM token WHERE device = ? AND unregistered_at IS NULL ORDER BY token
            """
        )
        return try Row.fetchAll(statement, arguments: [Data(device.bytes)]).map(Self.tokenRecord)
    }

    func devices(after key: DeviceKey?, limit: Int) throws -> [DeviceKey] {
        let statement = try self.question(
            """
            SELECT DISTINCT device FROM token WHERE unregistered_at IS NULL AND device > ? ORDER BY device LIMIT ?
            """
        )
        // Begin with the empty key, which precedes all others.
        let keys = try Data.fetchAll(statement, arguments: [Data(key?.bytes ?? []), limit])
        return keys.map { DeviceKey(bytes: Array($0)) }
    }

    func enrolment(of device: DeviceKey) throws -> Enrolment {
        let tokens = try Row.fetchOne(
            self.question(
                """
                SELECT COUNT(*), COALESCE(MAX(is_pushed), 0), MIN(issued_at) FROM token WHERE device = ? AND unregistered_at IS NULL
                """
            ),
            arguments: [Data(device.bytes)]
        )
        return Enrolment(
            tokensCount: tokens?[0] ?? 0,
            isKnown: tokens?[1] ?? false,
            since: (tokens?[2] as Int64?).map { WallTime(milliseconds: $0) },
            hasRoom: try self.countPagesUsed() < self.room.tokens
        )
    }

    func insert(_ record: TokenRecord) throws {
        try self.execute(
            "INSERT INTO token (token, device, topic, used_at, issued_at, is_pushed) VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
            [
                Data(record.token.bytes), Data(record.device.bytes), record.topic, record.usedAt.milliseconds,
                record.isPushed,
            ]
        )
    }

    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) throws {
        try self.execute(
            "UPDATE token SET used_at = ?, is_pushed = is_pushed OR ? WHERE token = ?",
            [time.milliseconds, isPushed, Data(token.bytes)]
        )
        self.tokens.forget(token)
    }

    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws {
        guard let alive = try self.registeredToken(of: device, for: topic) else { return }
        self.tokens.forget(alive.token)
        try self.execute(
            """
            UPDATE token SET unregistered_at = ?1, used_at = ?1 WHERE token = ?2
            """,
            [time.milliseconds, Data(alive.token.bytes)]
        )
        try self.execute(
            """
            DELETE FROM token WHERE token IN (
                SELECT token FROM token WHERE device = ?1 AND unregistered_at IS NOT NULL
                ORDER BY unregistered_at DESC, token DESC LIMIT -1 OFFSET ?2)
            """,
            [Data(device.bytes), TokenDecision.topicsMax]
        )
    }

    func removeUnused(before time: WallTime) throws {
        self.tokens.forgetAll()
        try self.execute("DELETE FROM token WHERE used_at < ?", [time.milliseconds])
    }

    func pushes(of device: DeviceKey) throws -> [StoredPush] {
        let statement = try self.question(
            """
            SELECT id, topic, payload, priority, expires, collapse_id FROM push WHERE device = ? ORDER BY arrival
            """
        )
        return try Row.fetchAll(statement, arguments: [Data(device.bytes)]).map(Self.storedPush)
    }

    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush? {
        guard case .until(let expires) = push.expiration else { throw Self.corrupt("a push that is not to be stored") }
        guard try self.hasRoomForPush() else {
            throw DatabaseError(resultCode: .SQLITE_FULL, message: "the file has as many pushes as it may have")
        }
        let old = try Row.fetchOne(
            self.question("SELECT sequence, id, hour, expires FROM push WHERE device = ? AND topic = ?"),
            arguments: [Data(device.bytes), push.topic]
        )
        // A push reuses the row that it replaces: deleting and inserting would change three trees instead of a page.
        let contents: StatementArguments = [
            self.arrivals.next(), Data(push.id.bytes), Data(push.payload), push.priority.rawValue, expires,
            push.collapseID,
        ]
        let hour = Self.hour(expires)
        guard let old else {
            try self.execute(
                """
                INSERT INTO push (arrival, id, payload, priority, expires, collapse_id, hour, device, topic)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                contents + [hour, Data(device.bytes), push.topic]
            )
            return nil
        }
        let sequence: Int64 = old[0]
        let (replaced, oldHour, oldExpires): (Data, Int64, Int64) = (old[1], old[2], old[3])
        let columns = "arrival = ?, id = ?, payload = ?, priority = ?, expires = ?, collapse_id = ?"
        if hour == oldHour {
            try self.execute("UPDATE push SET \(columns) WHERE sequence = ?", contents + [sequence])
        } else {
            try self.execute("UPDATE push SET \(columns), hour = ? WHERE sequence = ?", contents + [hour, sequence])
        }
        return PushID(bytes: replaced).map { ReplacedPush(id: $0, expiration: .until(oldExpires)) }
    }

    func removePush(_ id: PushID, of device: DeviceKey) throws {
        try self.execute("DELETE FROM push WHERE device = ? AND id = ?", [Data(device.bytes), Data(id.bytes)])
    }

    func removeExpired(now: WallTime) throws -> Int {
        let those = "FROM push WHERE hour <= ? AND expires <= ?"
        let times: StatementArguments = [Self.hour(now.seconds), now.seconds]
        let count = try Int.fetchOne(self.question("SELECT count(*) \(those)"), arguments: times) ?? 0
        if count > 0 { try self.execute("DELETE \(those)", times) }
        return count
    }

    /// The hour of a time in seconds, so that the index of expirations changes once an hour instead of with each push.
    private static func hour(_ seconds: Int64) -> Int64 { seconds / 3600 }

    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) throws {
        try self.execute(
            """
            INSERT INTO sender_count (day, team, key, entry, count) VALUES (?, ?, ?, ?, 1)
            ON CONFLICT DO UPDATE SET count = count + 1
            """,
            [day.number, sender.teamID, sender.keyID, entry.rawValue]
        )
    }

    func account(of sender: Sender.Name, on day: AccountDay) throws -> SenderAccount {
        let statement = try self.question(
            "SELECT entry, count FROM sender_count WHERE day = ? AND team = ? AND key = ?"
        )
        var account = SenderAccount()
        for row in try Row.fetchAll(statement, arguments: [day.number, sender.teamID, sender.keyID]) {
            account.add(row["count"], to: try Self.entry(row))
        }
        return account
    }

    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay] {
        let statement = try self.question(
            """
            SELECT day, team, key, entry, count FROM sender_count
            WHERE day >= ?1 AND (?2 IS NULL OR (team = ?2 AND key = ?3)) ORDER BY day DESC, team, key
            """
        )
        var days: [SenderDay] = []
        for row in try Row.fetchAll(statement, arguments: [day.number, sender?.teamID, sender?.keyID]) {
            let name = Sender.Name(teamID: row["team"], keyID: row["key"])
            let day = AccountDay(number: row["day"])
            let isNext = days.last.map { $0.sender != name || $0.day != day } ?? true
            var account = isNext ? SenderAccount() : days.removeLast().account
            account.add(row["count"], to: try Self.entry(row))
            days.append(SenderDay(name, day, account))
        }
        return days
    }

    func removeAccounts(before day: AccountDay) throws {
        try self.execute("DELETE FROM sender_count WHERE day < ?", [day.number])
    }

    func putWait(of sender: Sender.Name, until end: WallTime) throws {
        try self.execute(
            "INSERT OR REPLACE INTO sender_wait (team, key, until) VALUES (?, ?, ?)",
            [sender.teamID, sender.keyID, end.milliseconds]
        )
    }

    func waitEnd(of sender: Sender.Name) throws -> WallTime? {
        let statement = try self.question(
            "SELECT until FROM sender_wait WHERE team = ? AND key = ?"
        )
        return try Int64.fetchOne(statement, arguments: [sender.teamID, sender.keyID]).map {
            WallTime(milliseconds: $0)
        }
    }

    func removeWaits(endedBefore time: WallTime) throws {
        try self.execute("DELETE FROM sender_wait WHERE until < ?", [time.milliseconds])
    }

    private static func entry(_ row: Row) throws -> SenderAccount.Entry {
        guard let entry = SenderAccount.Entry(rawValue: row["entry"]) else { throw Self.corrupt("a sender's count") }
        return entry
    }

    /// Performs a write at once, or delays it to the end of the attempt if it is the first one.
    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        if case .reading = self.attempt {
            self.attempt = .waiting(sql, arguments)
            return
        }
        try self.settle()
        try self.run(sql, arguments)
    }

    /// Returns the statement of a query, which sees the attempt's writes.
    private func question(_ sql: String) throws -> Statement {
        try self.settle()
        return try self.database.cachedStatement(sql: sql)
    }

    /// Performs the delayed write, so that it can be undone with the following ones.
    private func settle() throws {
        guard case .waiting(let sql, let arguments) = self.attempt else { return }
        try self.run("SAVEPOINT attempt")
        self.attempt = .writing
        try self.run(sql, arguments)
    }

    private func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try self.database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private func hasRoomForPush() throws -> Bool {
        let used = try self.pagesUsed ?? self.countPagesUsed()
        self.pagesUsed = used
        return used < self.room.pushes
    }

    private func countPagesUsed() throws -> Int {
        try self.count("page_count") - self.count("freelist_count")
    }

    private func count(_ pragma: String) throws -> Int {
        try Int.fetchOne(self.question("PRAGMA \(pragma)")) ?? 0
    }

    private func fetchOne(_ sql: String, _ arguments: StatementArguments) throws -> TokenRecord? {
        try Row.fetchOne(self.question(sql), arguments: arguments).map(Self.tokenRecord)
    }

    private static func tokenRecord(_ row: Row) throws -> TokenRecord {
        let bytes: Data = row["token"]
        let device: Data = row["device"]
        let unregisteredAt: Int64? = row["unregistered_at"]
        guard let token = DeviceToken(bytes: Array(bytes)) else { throw Self.corrupt("a device token") }
        return TokenRecord(
            token: token,
            device: DeviceKey(bytes: Array(device)),
            topic: row["topic"],
            usedAt: WallTime(milliseconds: row["used_at"]),
            isPushed: row["is_pushed"],
            unregisteredAt: unregisteredAt.map { WallTime(milliseconds: $0) }
        )
    }

    private static func storedPush(_ row: Row) throws -> StoredPush {
        let id: Data = row["id"]
        let payload: Data = row["payload"]
        guard let id = PushID(bytes: id), let priority = Priority(rawValue: row["priority"]) else {
            throw Self.corrupt("a push")
        }
        return StoredPush(
            id: id,
            topic: row["topic"],
            payload: Array(payload),
            priority: priority,
            expiration: .until(row["expires"]),
            collapseID: row["collapse_id"]
        )
    }

    private static func corrupt(_ what: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(what) that this gateway cannot have written")
    }
}
