internal import Foundation
internal import GRDB
package import Sharing
package import SharingEngine

/// The store of a server that runs on one node: a SQLite file.
///
/// `synchronous = FULL`: a commit is on disk before it is acknowledged, so that neither `kill -9` nor a power cut undoes
/// an accepted request, and above all no revocation.
package struct SQLiteStore: Store {
    /// The most pages of the file, of 4,096 bytes; beyond it new rows are refused, whoever sends them.
    static let pagesMax = 262_144

    private let database: DatabasePool
    private let policy: Policy

    /// Opens the file at `path`, and creates it with mode 0600 if it is missing.
    ///
    /// - Parameters:
    ///   - path: the file; its directory must exist.
    ///   - policy: the numbers that restored requests go on by.
    /// - Throws: ``SharingError`` when the file cannot be opened or is no database of ours.
    package init(path: String, policy: Policy) throws {
        do {
            if !FileManager.default.fileExists(atPath: path) {
                // Created here, not by SQLite, which would leave it readable by others.
                guard
                    FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw CocoaError(.fileWriteUnknown) }
            }
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                try database.execute(
                    sql:
                        "PRAGMA synchronous = FULL; PRAGMA max_page_count = \(Self.pagesMax); PRAGMA secure_delete = ON"
                )
            }
            self.database = try DatabasePool(path: path, configuration: configuration)
            try Self.migrator.migrate(self.database)
        } catch {
            throw SharingError(
                .badHome,
                "\(path) cannot be used as the server's database (\(error)): "
                    + "a file of ours, or none, in a directory that is ours is due; check --database"
            )
        }
        self.policy = policy
    }

    package func register(_ registration: Registration) async throws {
        try await self.database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO device (sharer, token, topic, issued) VALUES (?, ?, ?, ?)
                    ON CONFLICT (sharer) DO UPDATE SET token = excluded.token, topic = excluded.topic,
                    issued = excluded.issued WHERE excluded.issued > device.issued
                    """,
                arguments: [
                    Data(registration.sharer.bytes), Data(registration.token), registration.topic,
                    registration.issued.milliseconds,
                ]
            )
        }
    }

    package func revoke(_ revocation: Revocation) async throws -> Bool {
        let most = self.policy.revocationsPerSharerMax
        return try await self.database.write { database in
            let (sharer, grant) = (Data(revocation.sharer.bytes), Data(revocation.grant.bytes))
            let others = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM revocation WHERE sharer = ? AND grant_id != ?",
                arguments: [sharer, grant]
            )
            guard others ?? 0 < most else { return false }
            try database.execute(
                sql: "INSERT OR IGNORE INTO revocation (sharer, grant_id, not_after) VALUES (?, ?, ?)",
                arguments: [sharer, grant, revocation.notAfter.milliseconds]
            )
            return true
        }
    }

    package func admit(
        _ request: Signed<Request>,
        now: WallTime,
        decide: @escaping @Sendable (Standing) -> RequestLife.OnVerified
    ) async throws -> StoreAdmission {
        try await self.database.write { database in
            let (id, grant) = (Data(request.value.id.bytes), request.value.grant.value)
            let known = try Data.fetchOne(database, sql: "SELECT signed FROM request WHERE id = ?", arguments: [id])
            if known == Data(request.bytes) { return .known }
            let decision = decide(try Self.standing(of: grant, isReplayed: known != nil, database))
            guard case .accept(let life, _) = decision else { return .decided(decision) }
            try database.execute(
                sql: "INSERT INTO request (id, sharer, signed, expires) VALUES (?, ?, ?, ?)",
                arguments: [id, Data(grant.sharer.bytes), Data(request.bytes), life.expires.milliseconds]
            )
            try Self.write(life, of: id, database)
            try database.execute(
                sql: "INSERT OR REPLACE INTO grant_use (sharer, grant_id, last, not_after) VALUES (?, ?, ?, ?)",
                arguments: [
                    Data(grant.sharer.bytes), Data(grant.id.bytes), now.milliseconds, grant.notAfter.milliseconds,
                ]
            )
            return .decided(decision)
        }
    }

    private static func standing(of grant: Grant, isReplayed: Bool, _ database: Database) throws -> Standing {
        let keys: StatementArguments = [Data(grant.sharer.bytes), Data(grant.id.bytes)]
        let token = try Data.fetchOne(
            database,
            sql: "SELECT token FROM device WHERE sharer = ?",
            arguments: [Data(grant.sharer.bytes)]
        )
        let last = try Int64.fetchOne(
            database,
            sql: "SELECT last FROM grant_use WHERE sharer = ? AND grant_id = ?",
            arguments: keys
        )
        let pending = try Int.fetchOne(
            database,
            sql: "SELECT count(*) FROM request WHERE sharer = ? AND deadline IS NOT NULL",
            arguments: [Data(grant.sharer.bytes)]
        )
        return Standing(
            isReplayed: isReplayed,
            isRevoked: try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM revocation WHERE sharer = ? AND grant_id = ?)",
                arguments: keys
            ) ?? false,
            device: token.map { $0.isEmpty ? .paused : .registered } ?? .unknown,
            lastAccepted: last.map { WallTime(milliseconds: $0) },
            pendingCount: pending ?? 0
        )
    }

    package func apply(
        to id: RequestID,
        answer: [UInt8]?,
        token: [UInt8]?,
        _ input: @escaping @Sendable (inout RequestLife) -> [RequestLife.Effect]
    ) async throws -> (record: RequestRecord, effects: [RequestLife.Effect])? {
        let policy = self.policy
        return try await self.database.write { database in
            guard var record = try Self.request(id, policy, database) else { return nil }
            let before = record.life
            let effects = input(&record.life)
            guard record.life != before else { return (record, effects) }
            try Self.write(record.life, of: Data(id.bytes), database)
            if effects.contains(.storeAnswer) {
                record.answer = answer
                try database.execute(
                    sql: "UPDATE request SET answer = ? WHERE id = ?",
                    arguments: [answer.map { Data($0) }, Data(id.bytes)]
                )
            }
            if effects.contains(.pauseDevice), let token {
                // Of this token alone: the device may have registered a new one meanwhile.
                try database.execute(
                    sql: "UPDATE device SET token = x'' WHERE sharer = ? AND token = ?",
                    arguments: [Data(record.request.value.grant.value.sharer.bytes), Data(token)]
                )
            }
            return (record, effects)
        }
    }

    package func request(_ id: RequestID) async throws -> RequestRecord? {
        let policy = self.policy
        return try await self.database.read { try Self.request(id, policy, $0) }
    }

    package func device(of sharer: PublicIdentity) async throws -> (token: [UInt8], topic: String)? {
        try await self.database.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT token, topic FROM device WHERE sharer = ? AND token != x''",
                arguments: [Data(sharer.bytes)]
            ).map { row in ([UInt8](row["token"] as Data), row["topic"]) }
        }
    }

    package func pending(for sharer: PublicIdentity) async throws -> [RequestRecord] {
        let policy = self.policy
        return try await self.database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM request WHERE sharer = ? AND deadline IS NOT NULL ORDER BY rowid",
                arguments: [Data(sharer.bytes)]
            ).map { try Self.record($0, policy) }
        }
    }

    package func due(now: WallTime, max: Int) async throws -> [RequestID] {
        try await self.database.read { database in
            try Data.fetchAll(
                database,
                sql: "SELECT id FROM request WHERE deadline <= ? ORDER BY deadline, rowid LIMIT ?",
                arguments: [now.milliseconds, max]
            ).compactMap { RequestID(bytes: [UInt8]($0)) }
        }
    }

    package func nextDeadline() async throws -> WallTime? {
        try await self.database.read { database in
            try Int64.fetchOne(database, sql: "SELECT min(deadline) FROM request").map { WallTime(milliseconds: $0) }
        }
    }

    package func prune(now: WallTime) async throws {
        try await self.database.write { database in
            // An unfinished request has a deadline at its expiry or before, so that it becomes final first.
            try database.execute(
                sql: "DELETE FROM request WHERE expires <= ? AND deadline IS NULL",
                arguments: [now.milliseconds]
            )
            for table in ["revocation", "grant_use"] {
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE not_after <= ?",
                    arguments: [now.milliseconds]
                )
            }
        }
    }
}
