internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Reads as statements.
extension PostgreSQLTransaction {
    private static let request =
        "SELECT signed, expires, state, next_push, give_up, history, answer, told_device FROM request WHERE"

    /// The text of a read.
    ///
    /// If it `locks`, it also takes the lock of each sharer that it finds.
    static func sql(of read: StoreRead, locks: Bool) -> String {
        switch read {
        case .request: "\(self.request) id = $1"
        case .registrations:
            """
            SELECT sharer, device, token, topic, issued, chosen, push_key, name FROM device WHERE sharer = $1
            ORDER BY device
            """
        case .registeredSince: "SELECT min(since) FROM device WHERE sharer = $1"
        case .removalEnd: "SELECT until FROM removed_device WHERE sharer = $1 AND device = $2"
        case .isRevoked: "SELECT count(*) FROM revocation WHERE sharer = $1 AND grant_id = $2"
        case .revocationCount: "SELECT count(*) FROM revocation WHERE sharer = $1 AND grant_id <> $2"
        case .paidUntil: "SELECT paid_until FROM grant_use WHERE sharer = $1 AND grant_id = $2"
        case .pushesPaidUntil: "SELECT paid_until FROM device_use WHERE sharer = $1"
        case .pending:
            "\(self.request) sharer = $1 AND deadline IS NOT NULL ORDER BY turn > 0, arrival LIMIT $2"
        case .load:
            """
            SELECT count(*), count(deadline), count(deadline) FILTER (WHERE grant_id = $2),
                (SELECT count(*) FROM grant_use WHERE sharer = $1 AND grant_id <> $2)
            FROM request WHERE sharer = $1 AND turn = 0
            """
        case .following: "SELECT signed, reason, statement, kept_until, told_device FROM following WHERE id = $1"
        case .followingCount:
            """
            SELECT count(*) FROM following WHERE sharer = $1 AND until > $2 AND reason IS NULL AND told_device <> $3
            """
        case .schedule: "SELECT signed, reason, statement, kept_until, next_turn, next_at FROM timer WHERE id = $1"
        case .scheduleLoad:
            """
            SELECT count(*), count(*) FILTER (WHERE grant_id = $2) FROM timer
            WHERE sharer = $1 AND next_at IS NOT NULL
            """
        case .schedulesDue: self.due("timer", by: "next_at", "id", locks: locks)
        case .occurrences: "\(self.request) timer = $1 AND turn > $2 ORDER BY turn LIMIT $3"
        case .link: "SELECT address, sharer, grant_id, not_after, sealed FROM link WHERE address = $1"
        case .useCount: "SELECT uses FROM link WHERE address = $1"
        case .linkCount: "SELECT count(*) FROM link WHERE sharer = $1"
        case .room:
            "SELECT "
                + PostgreSQLStore.tables.map { "pg_stat_get_live_tuples('\($0)'::regclass)" }.joined(separator: " + ")
        case .due: self.due("request", by: "deadline", "arrival", locks: locks)
        case .nextDeadline: "SELECT least((SELECT min(deadline) FROM request), (SELECT min(next_at) FROM timer))"
        }
    }

    /// Rows whose time has come; with locks, it leaves out the sharers whose rows another transaction works on.
    private static func due(_ table: String, by time: String, _ second: String, locks: Bool) -> String {
        """
        WITH due AS MATERIALIZED (
            SELECT id, sharer, \(time) AS time, \(second) AS second FROM \(table) WHERE \(time) <= $1
            ORDER BY \(time), \(second) LIMIT $2
        )
        SELECT id FROM due \(locks ? "WHERE pg_try_advisory_xact_lock(\(self.lock))" : "") ORDER BY time, second
        """
    }

    static func values(of read: StoreRead) -> [PostgreSQLValue] {
        func number(_ number: Int) -> PostgreSQLValue { .integer(Int64(number)) }
        func time(_ time: WallTime) -> PostgreSQLValue { .integer(time.milliseconds) }
        return switch read {
        case .request(let id), .following(let id), .schedule(let id): [.bytes(id.bytes)]
        case .registrations(let sharer), .registeredSince(let sharer), .pushesPaidUntil(let sharer),
            .linkCount(let sharer):
            [.bytes(sharer.bytes)]
        case .removalEnd(let device, let sharer): [.bytes(sharer.bytes), .bytes(device.bytes)]
        case .isRevoked(let grant, let sharer), .revocationCount(let sharer, let grant):
            [.bytes(sharer.bytes), .bytes(grant.bytes)]
        case .paidUntil(let grant), .load(let grant), .scheduleLoad(let grant):
            [.bytes(grant.sharer.bytes), .bytes(grant.id.bytes)]
        case .pending(let sharer, let max): [.bytes(sharer.bytes), number(max)]
        case .followingCount(let sharer, let now):
            [.bytes(sharer.bytes), time(now), number(ToldDevice.removed.rawValue)]
        case .schedulesDue(let now, let max), .due(let now, let max): [time(now), number(max)]
        case .occurrences(let id, let occurrence, let max):
            [.bytes(id.bytes), number(Int(occurrence)), number(max)]
        case .link(let address), .useCount(let address): [.bytes(address.bytes)]
        case .room, .nextDeadline: []
        }
    }
}
