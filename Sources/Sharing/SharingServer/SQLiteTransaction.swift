internal import Foundation
internal import GRDB
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The operations of a ``SQLiteStore`` within one transaction.
///
/// Changes need a writing transaction.
struct SQLiteTransaction: RequestStoreTransaction {
    let database: Database
    /// The numbers for restored requests.
    let policy: SharingPolicy
    /// The maximum number of pages of the file.
    let pagesMax: Int

    /// Returns a statement that each connection parses once: parsing took a tenth of the server's processor time.
    func statement(_ sql: String) throws -> Statement { try self.database.cachedStatement(sql: sql) }

    func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try self.statement(sql).execute(arguments: arguments)
    }

    // MARK: Reads

    func request(_ id: RequestID) throws -> RequestRecord? {
        try Row.fetchOne(self.statement("SELECT * FROM request WHERE id = ?"), arguments: [Data(id.bytes)])
            .map { try Self.record($0, self.policy) }
    }

    func isRevoked(_ grant: GrantID, of sharer: PublicIdentity) throws -> Bool {
        try Bool.fetchOne(
            self.statement("SELECT EXISTS (SELECT 1 FROM revocation WHERE sharer = ? AND grant_id = ?)"),
            arguments: [Data(sharer.bytes), Data(grant.bytes)]
        ) ?? false
    }

    func revocationCount(of sharer: PublicIdentity, besides grant: GrantID) throws -> Int {
        try Int.fetchOne(
            self.statement("SELECT count(*) FROM revocation WHERE sharer = ? AND grant_id != ?"),
            arguments: [Data(sharer.bytes), Data(grant.bytes)]
        ) ?? 0
    }

    func paidUntil(under grant: Grant) throws -> WallTime? {
        try Int64.fetchOne(
            self.statement("SELECT paid_until FROM grant_use WHERE sharer = ? AND grant_id = ?"),
            arguments: Self.key(grant)
        ).map { WallTime(milliseconds: $0) }
    }

    func pushesPaidUntil(of sharer: PublicIdentity) throws -> WallTime? {
        try Int64.fetchOne(
            self.statement("SELECT paid_until FROM device_use WHERE sharer = ?"),
            arguments: [Data(sharer.bytes)]
        ).map { WallTime(milliseconds: $0) }
    }

    func pending(for sharer: PublicIdentity, max: Int) throws -> [RequestRecord] {
        try Row.fetchAll(
            self.statement(
                "SELECT * FROM request WHERE sharer = ? AND deadline IS NOT NULL ORDER BY turn > 0, rowid LIMIT ?"
            ),
            arguments: [Data(sharer.bytes), max]
        ).map { try Self.record($0, self.policy) }
    }

    func load(under grant: Grant) throws -> RequestLoad {
        let requests = try Row.fetchOne(
            self.statement(
                """
                SELECT count(*), count(deadline), count(CASE WHEN deadline IS NOT NULL AND grant_id = ? THEN 1 END)
                FROM request WHERE sharer = ? AND turn = 0
                """
            ),
            arguments: [Data(grant.id.bytes), Data(grant.sharer.bytes)]
        )
        let others = try Int.fetchOne(
            self.statement("SELECT count(*) FROM grant_use WHERE sharer = ? AND grant_id != ?"),
            arguments: Self.key(grant)
        )
        return RequestLoad(
            kept: requests?[0] ?? 0,
            pending: requests?[1] ?? 0,
            pendingUnderGrant: requests?[2] ?? 0,
            otherGrantsInUse: others ?? 0
        )
    }

    func following(_ id: RequestID) throws -> FollowingRecord? {
        try Row.fetchOne(
            self.statement("SELECT signed, reason, end, kept_until, told_device FROM following WHERE id = ?"),
            arguments: [Data(id.bytes)]
        ).map(Self.following)
    }

    func followingCount(of sharer: PublicIdentity, now: WallTime) throws -> Int {
        try Int.fetchOne(
            self.statement(
                """
                SELECT count(*) FROM following WHERE sharer = ? AND until > ? AND reason IS NULL AND told_device != ?
                """
            ),
            arguments: [Data(sharer.bytes), now.milliseconds, ToldDevice.removed.rawValue]
        ) ?? 0
    }

    func room() throws -> StoreRoom {
        let pages = try Int.fetchOne(self.statement("PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(self.statement("PRAGMA freelist_count")) ?? 0
        return StoreRoom(used: pages - free, max: self.pagesMax)
    }

    func due(now: WallTime, max: Int) throws -> [RequestID] {
        try Data.fetchAll(
            self.statement("SELECT id FROM request WHERE deadline <= ? ORDER BY deadline, rowid LIMIT ?"),
            arguments: [now.milliseconds, max]
        ).compactMap { RequestID(bytes: [UInt8]($0)) }
    }

    func nextDeadline() throws -> WallTime? {
        try Int64.fetchOne(self.statement(Self.nextDeadline)).map { WallTime(milliseconds: $0) }
    }

    private static let nextDeadline =
        "SELECT min(time) FROM (SELECT min(deadline) AS time FROM request UNION ALL SELECT min(next_at) FROM timer)"

    // MARK: Changes

    func put(_ revocation: Revocation) throws {
        try self.execute(
            "INSERT OR IGNORE INTO revocation (sharer, grant_id, not_after) VALUES (?, ?, ?)",
            [
                Data(revocation.sharer.bytes), Data(revocation.grant.bytes), revocation.notAfter.milliseconds,
            ]
        )
    }

    func insert(_ request: Signed<Request>, _ life: RequestLife) throws {
        try self.execute(
            """
            INSERT INTO request (id, sharer, grant_id, signed, expires, timer, turn, kept_until)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(request.value.id.bytes), Data(request.value.grant.value.sharer.bytes),
                Data(request.value.grant.value.id.bytes), Data(request.bytes), life.expires.milliseconds,
                request.value.occurrence == 0 ? nil : Data(request.value.firstID.bytes),
                Int64(request.value.occurrence),
                RequestRecord(request: request, life: life, answer: nil).keptUntil.milliseconds,
            ]
        )
        try self.put(life, of: request.value.id)
    }

    func put(paidUntil time: WallTime, under grant: Grant) throws {
        try self.execute(
            "INSERT OR REPLACE INTO grant_use (sharer, grant_id, paid_until) VALUES (?, ?, ?)",
            Self.key(grant) + [time.milliseconds]
        )
    }

    func put(pushesPaidUntil time: WallTime, of sharer: PublicIdentity) throws {
        try self.execute(
            "INSERT OR REPLACE INTO device_use (sharer, paid_until) VALUES (?, ?)",
            [Data(sharer.bytes), time.milliseconds]
        )
    }

    func put(_ life: RequestLife, of id: RequestID) throws {
        let (state, nextPush, giveUp) = Self.columns(life.state)
        let history = try JSONEncoder().encode(life.history.map { Wire.State($0) })
        try self.execute(
            "UPDATE request SET state = ?, next_push = ?, give_up = ?, deadline = ?, history = ? WHERE id = ?",
            [
                state, nextPush?.milliseconds, giveUp?.milliseconds, life.deadline?.milliseconds, history,
                Data(id.bytes),
            ]
        )
    }

    func strand(requestsTo sharer: PublicIdentity) throws {
        try self.move(requestsTo: sharer, from: .answering, to: .astray)
    }

    func disown(strandedRequestsTo sharer: PublicIdentity) throws {
        try self.move(requestsTo: sharer, from: .astray, to: .removed)
    }

    private func move(requestsTo sharer: PublicIdentity, from before: ToldDevice, to device: ToldDevice) throws {
        for table in ["request", "following"] {
            try self.execute(
                "UPDATE \(table) SET told_device = ? WHERE sharer = ? AND told_device = ?",
                [device.rawValue, Data(sharer.bytes), before.rawValue]
            )
        }
    }

    func put(answer: [UInt8], to id: RequestID) throws {
        try self.execute(
            "UPDATE request SET answer = ? WHERE id = ?",
            [Data(answer), Data(id.bytes)]
        )
    }

    func put(_ following: FollowingRecord) throws {
        let request = following.request.value
        try self.execute(
            """
            INSERT OR REPLACE INTO following (id, sharer, signed, until, reason, end, kept_until, told_device)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(request.id.bytes), Data(request.grant.value.sharer.bytes), Data(following.request.bytes),
                request.followingEnd?.milliseconds, following.end.map { Int64($0.reason.rawValue) },
                following.end.map { Data($0.statement) }, following.keptUntil.milliseconds,
                following.device.rawValue,
            ]
        )
    }

    func prune(now: WallTime, max: Int) throws -> Bool {
        let kinds = [
            // Prune only final requests. An unfinished request has a deadline no later than its expiry, and becomes final then.
            "request WHERE rowid IN (SELECT rowid FROM request WHERE kept_until <= ? AND deadline IS NULL",
            "device WHERE (sharer, device) IN (SELECT sharer, device FROM device WHERE until <= ?",
            "removed_device WHERE (sharer, device) IN (SELECT sharer, device FROM removed_device WHERE until <= ?",
            "revocation WHERE (sharer, grant_id) IN (SELECT sharer, grant_id FROM revocation WHERE not_after <= ?",
            "grant_use WHERE (sharer, grant_id) IN (SELECT sharer, grant_id FROM grant_use WHERE paid_until <= ?",
            "device_use WHERE sharer IN (SELECT sharer FROM device_use WHERE paid_until <= ?",
            "following WHERE id IN (SELECT id FROM following WHERE kept_until <= ?",
            "timer WHERE id IN (SELECT id FROM timer WHERE kept_until <= ?",
            "link WHERE address IN (SELECT address FROM link WHERE not_after <= ?",
        ]
        var isMore = false
        for kind in kinds {
            try self.execute("DELETE FROM \(kind) LIMIT ?)", [now.milliseconds, max])
            isMore = isMore || self.database.changesCount == max
        }
        return isMore
    }

    static func key(_ grant: Grant) -> StatementArguments { [Data(grant.sharer.bytes), Data(grant.id.bytes)] }
}
