internal import APNS
internal import Foundation
internal import GRDB
internal import PushEngine
internal import Vocabulary

/// The operations of a ``SQLitePushStore`` within one transaction.
struct SQLitePushTransaction: PushStoreTransaction {
    let database: Database
    /// The pages in use from which on no tokens are added.
    let tokenPagesMax: Int

    func attempt(_ body: () throws -> Void) throws {
        do {
            try self.database.inSavepoint {
                try body()
                return .commit
            }
        } catch {
            guard self.database.isInsideTransaction else { throw TransactionLost() }
            throw error
        }
    }

    func record(of token: DeviceToken) throws -> TokenRecord? {
        try self.fetchOne(
            "SELECT token, device, topic, used_at, is_pushed, unregistered_at FROM token WHERE token = ?",
            [Data(token.bytes)]
        )
    }

    func registeredToken(of device: DeviceKey, for topic: String) throws -> TokenRecord? {
        try self.fetchOne(
            """
            SELECT token, device, topic, used_at, is_pushed, unregistered_at FROM token
            WHERE device = ? AND topic = ? AND unregistered_at IS NULL
            """,
            [Data(device.bytes), topic]
        )
    }

    func enrolment(of device: DeviceKey) throws -> Enrolment {
        let tokens = try Row.fetchOne(
            self.database.cachedStatement(
                sql: """
                    SELECT COUNT(*), COALESCE(MAX(is_pushed), 0) FROM token WHERE device = ? AND unregistered_at IS NULL
                    """
            ),
            arguments: [Data(device.bytes)]
        )
        return Enrolment(
            tokensCount: tokens?[0] ?? 0,
            isKnown: tokens?[1] ?? false,
            hasRoom: try self.count("page_count") - self.count("freelist_count") < self.tokenPagesMax
        )
    }

    func insert(_ record: TokenRecord) throws {
        try self.execute(
            "INSERT INTO token (token, device, topic, used_at, is_pushed) VALUES (?, ?, ?, ?, ?)",
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
    }

    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws {
        try self.execute(
            """
            UPDATE token SET unregistered_at = ?1, used_at = ?1
            WHERE device = ?2 AND topic = ?3 AND unregistered_at IS NULL
            """,
            [time.milliseconds, Data(device.bytes), topic]
        )
        guard self.database.changesCount > 0 else { return }
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
        try self.execute("DELETE FROM token WHERE used_at < ?", [time.milliseconds])
    }

    func pushes(of device: DeviceKey) throws -> [StoredPush] {
        let statement = try self.database.cachedStatement(
            sql: """
                SELECT id, topic, payload, priority, expires, collapse_id FROM push WHERE device = ? ORDER BY sequence
                """
        )
        return try Row.fetchAll(statement, arguments: [Data(device.bytes)]).map(Self.storedPush)
    }

    func put(_ push: StoredPush, for device: DeviceKey) throws {
        guard case .until(let expires) = push.expiration else { throw Self.corrupt("a push that is not to be stored") }
        try self.execute(
            """
            INSERT OR REPLACE INTO push (device, topic, id, payload, priority, expires, collapse_id)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(device.bytes), push.topic, Data(push.id.bytes), Data(push.payload), push.priority.rawValue,
                expires,
                push.collapseID,
            ]
        )
    }

    func removePush(_ id: PushID, of device: DeviceKey) throws {
        try self.execute("DELETE FROM push WHERE device = ? AND id = ?", [Data(device.bytes), Data(id.bytes)])
    }

    func removeExpired(now: WallTime) throws {
        try self.execute("DELETE FROM push WHERE expires <= ?", [now.seconds])
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try self.database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private func count(_ pragma: String) throws -> Int {
        try Int.fetchOne(self.database.cachedStatement(sql: "PRAGMA \(pragma)")) ?? 0
    }

    private func fetchOne(_ sql: String, _ arguments: StatementArguments) throws -> TokenRecord? {
        try Row.fetchOne(self.database.cachedStatement(sql: sql), arguments: arguments).map(Self.tokenRecord)
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
