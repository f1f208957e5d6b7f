internal import APNS
internal import Foundation
internal import GRDB
internal import PushEngine
internal import Vocabulary

/// The operations of a ``SQLitePushStore`` within one transaction.
struct SQLitePushTransaction: PushStoreTransaction {
    let database: Database

    func record(of token: DeviceToken) throws -> TokenRecord? {
        try self.fetchOne(
            "SELECT token, device, topic, unregistered_at FROM token WHERE token = ?",
            [Data(token.bytes)]
        )
    }

    func registeredTokens(of device: DeviceKey) throws -> [TokenRecord] {
        let statement = try self.database.cachedStatement(
            sql: "SELECT token, device, topic, unregistered_at FROM token WHERE device = ? AND unregistered_at IS NULL"
        )
        return try Row.fetchAll(statement, arguments: [Data(device.bytes)]).map(Self.tokenRecord)
    }

    func insert(_ record: TokenRecord) throws {
        try self.execute(
            "INSERT INTO token (token, device, topic) VALUES (?, ?, ?)",
            [Data(record.token.bytes), Data(record.device.bytes), record.topic]
        )
    }

    func unregister(topic: String, of device: DeviceKey, at time: WallTime) throws {
        try self.execute(
            "UPDATE token SET unregistered_at = ? WHERE device = ? AND topic = ? AND unregistered_at IS NULL",
            [time.milliseconds, Data(device.bytes), topic]
        )
        try self.execute(
            """
            DELETE FROM token WHERE device = ?1 AND unregistered_at IS NOT NULL AND token NOT IN (
                SELECT token FROM token WHERE device = ?1 AND unregistered_at IS NOT NULL
                ORDER BY unregistered_at DESC, token DESC LIMIT ?2)
            """,
            [Data(device.bytes), Registration.topicsMax]
        )
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
