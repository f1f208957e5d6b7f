internal import APNS
internal import Foundation
internal import GRDB
internal import Sharing
internal import SharingEngine
internal import Vocabulary

/// The operations of a ``SQLiteStore`` within one transaction; of those that change it only within one that may.
struct SQLiteTransaction: RequestStoreTransaction {
    let database: Database
    /// The numbers that restored requests go on by.
    let policy: Policy

    // MARK: Reads

    func request(_ id: RequestID) throws -> RequestRecord? {
        try Row.fetchOne(self.database, sql: "SELECT * FROM request WHERE id = ?", arguments: [Data(id.bytes)])
            .map { try Self.record($0, self.policy) }
    }

    func registration(of sharer: PublicIdentity) throws -> Registration? {
        try Row.fetchOne(
            self.database,
            sql: "SELECT token, topic, issued FROM device WHERE sharer = ?",
            arguments: [Data(sharer.bytes)]
        ).map { row in
            try Registration(
                sharer: sharer,
                token: [UInt8](row["token"] as Data),
                topic: row["topic"],
                issued: WallTime(milliseconds: row["issued"])
            )
        }
    }

    func isRevoked(_ grant: Grant) throws -> Bool {
        try Bool.fetchOne(
            self.database,
            sql: "SELECT EXISTS (SELECT 1 FROM revocation WHERE sharer = ? AND grant_id = ?)",
            arguments: Self.key(grant)
        ) ?? false
    }

    func revocationCount(of sharer: PublicIdentity, besides grant: GrantID) throws -> Int {
        try Int.fetchOne(
            self.database,
            sql: "SELECT count(*) FROM revocation WHERE sharer = ? AND grant_id != ?",
            arguments: [Data(sharer.bytes), Data(grant.bytes)]
        ) ?? 0
    }

    func lastAccepted(under grant: Grant) throws -> WallTime? {
        try Int64.fetchOne(
            self.database,
            sql: "SELECT last FROM grant_use WHERE sharer = ? AND grant_id = ?",
            arguments: Self.key(grant)
        ).map { WallTime(milliseconds: $0) }
    }

    func pending(for sharer: PublicIdentity) throws -> [RequestRecord] {
        try Row.fetchAll(
            self.database,
            sql: "SELECT * FROM request WHERE sharer = ? AND deadline IS NOT NULL ORDER BY rowid",
            arguments: [Data(sharer.bytes)]
        ).map { try Self.record($0, self.policy) }
    }

    func pendingCount(for sharer: PublicIdentity) throws -> Int {
        try Int.fetchOne(
            self.database,
            sql: "SELECT count(*) FROM request WHERE sharer = ? AND deadline IS NOT NULL",
            arguments: [Data(sharer.bytes)]
        ) ?? 0
    }

    func due(now: WallTime, max: Int) throws -> [RequestID] {
        try Data.fetchAll(
            self.database,
            sql: "SELECT id FROM request WHERE deadline <= ? ORDER BY deadline, rowid LIMIT ?",
            arguments: [now.milliseconds, max]
        ).compactMap { RequestID(bytes: [UInt8]($0)) }
    }

    func nextDeadline() throws -> WallTime? {
        try Int64.fetchOne(self.database, sql: "SELECT min(deadline) FROM request").map { WallTime(milliseconds: $0) }
    }

    // MARK: Changes

    func put(_ registration: Registration) throws {
        try self.database.execute(
            sql: "INSERT OR REPLACE INTO device (sharer, token, topic, issued) VALUES (?, ?, ?, ?)",
            arguments: [
                Data(registration.sharer.bytes), Data(registration.token), registration.topic,
                registration.issued.milliseconds,
            ]
        )
    }

    func put(_ revocation: Revocation) throws {
        try self.database.execute(
            sql: "INSERT OR IGNORE INTO revocation (sharer, grant_id, not_after) VALUES (?, ?, ?)",
            arguments: [
                Data(revocation.sharer.bytes), Data(revocation.grant.bytes), revocation.notAfter.milliseconds,
            ]
        )
    }

    func insert(_ request: Signed<Request>, _ life: RequestLife) throws {
        try self.database.execute(
            sql: "INSERT INTO request (id, sharer, signed, expires) VALUES (?, ?, ?, ?)",
            arguments: [
                Data(request.value.id.bytes), Data(request.value.grant.value.sharer.bytes), Data(request.bytes),
                life.expires.milliseconds,
            ]
        )
        try self.put(life, of: request.value.id)
    }

    func put(lastAccepted time: WallTime, under grant: Grant) throws {
        try self.database.execute(
            sql: "INSERT OR REPLACE INTO grant_use (sharer, grant_id, last, not_after) VALUES (?, ?, ?, ?)",
            arguments: Self.key(grant) + [time.milliseconds, grant.notAfter.milliseconds]
        )
    }

    func put(_ life: RequestLife, of id: RequestID) throws {
        let (state, nextPush, giveUp) = Self.columns(life.state)
        let history = try JSONEncoder().encode(life.history.map { Wire.State($0) })
        try self.database.execute(
            sql: "UPDATE request SET state = ?, next_push = ?, give_up = ?, deadline = ?, history = ? WHERE id = ?",
            arguments: [
                state.rawValue, nextPush?.milliseconds, giveUp?.milliseconds, life.deadline?.milliseconds, history,
                Data(id.bytes),
            ]
        )
    }

    func put(answer: [UInt8], to id: RequestID) throws {
        try self.database.execute(
            sql: "UPDATE request SET answer = ? WHERE id = ?",
            arguments: [Data(answer), Data(id.bytes)]
        )
    }

    func pause(_ token: DeviceToken, of sharer: PublicIdentity) throws {
        try self.database.execute(
            sql: "UPDATE device SET token = x'' WHERE sharer = ? AND token = ?",
            arguments: [Data(sharer.bytes), Data(token.bytes)]
        )
    }

    func prune(now: WallTime) throws {
        // An unfinished request has a deadline at its expiry or before, so that it becomes final first.
        try self.database.execute(
            sql: "DELETE FROM request WHERE expires <= ? AND deadline IS NULL",
            arguments: [now.milliseconds]
        )
        for table in ["revocation", "grant_use"] {
            try self.database.execute(sql: "DELETE FROM \(table) WHERE not_after <= ?", arguments: [now.milliseconds])
        }
    }

    private static func key(_ grant: Grant) -> StatementArguments { [Data(grant.sharer.bytes), Data(grant.id.bytes)] }
}
