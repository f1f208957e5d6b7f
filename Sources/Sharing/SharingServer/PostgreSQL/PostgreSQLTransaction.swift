internal import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsJSONReading
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A transaction on a connection; it begins with the first round trip.
///
/// Transactions on the rows of one sharer run one after another, because each first takes the sharer's lock. Each statement then
/// sees what was committed before it (READ COMMITTED), so also what the holder of the lock before committed.
final class PostgreSQLTransaction: RemoteRequestStore {
    enum Mode {
        /// All reads show one moment, and take no lock.
        case read
        case write(StoreKey, surviving: StoreLoss)
    }

    private let connection: PostgreSQLConnection
    private let policy: SharingPolicy
    private let mode: Mode
    private var hasBegun = false
    /// Whether the transaction has the lock of the rows that its key names.
    private var isLocked = true
    private var hasChanges = false

    init(_ connection: PostgreSQLConnection, policy: SharingPolicy, _ mode: Mode) {
        self.connection = connection
        self.policy = policy
        self.mode = mode
    }

    /// The first 8 bytes of a sharer's key as a number, which names the lock.
    static let lock = "('x' || encode(substr(sharer, 1, 8), 'hex'))::bit(64)::bigint"

    /// The statements of the first round trip; the last of them takes the lock.
    private var beginning: [PostgreSQLStatement] {
        guard case .write(let key, let loss) = self.mode else {
            return [PostgreSQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
        }
        var statements = [PostgreSQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED")]
        if loss == .crash { statements.append(PostgreSQLStatement("SET LOCAL synchronous_commit = off")) }
        switch key {
        case .due: break
        case .sharer(let sharer):
            let number = sharer.bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            statements.append(PostgreSQLStatement("SELECT pg_advisory_xact_lock($1)", [.integer(number)]))
        case .request(let id):
            let known = ["request", "following", "timer"].map { "SELECT sharer FROM \($0) WHERE id = $1" }
            statements.append(
                PostgreSQLStatement(
                    "SELECT pg_advisory_xact_lock(\(Self.lock)) FROM (\(known.joined(separator: " UNION "))) AS known",
                    [.bytes(id.bytes)]
                )
            )
        }
        return statements
    }

    func exchange(_ changes: [Change], _ reads: [StoreRead]) throws -> [StoreRead.Result] {
        let beginning = self.hasBegun ? [] : self.beginning
        let statements = try beginning + self.statements(of: changes) + reads.map { self.statement(for: $0) }
        self.hasBegun = true
        let results = try self.connection.exchange(statements)
        if !beginning.isEmpty, case .write(.request, _) = self.mode {
            self.isLocked = !results[beginning.count - 1].isEmpty
        }
        return try zip(reads, results.suffix(reads.count)).map { try self.result(of: $0, $1) }
    }

    private func statements(of changes: [Change]) throws -> [PostgreSQLStatement] {
        // The request was unknown when the lock was to be taken, and another transaction has stored it since then.
        if !self.isLocked, !changes.isEmpty { throw PostgreSQLError.changedMeanwhile }
        self.hasChanges = self.hasChanges || !changes.isEmpty
        let writer = PostgreSQLChanges()
        for change in changes { try change(writer) }
        return writer.statements
    }

    /// Sends the changes with the commit.
    func commit(_ changes: [Change]) throws {
        // This finds out whether there is a lock, before anything changes.
        if !self.hasBegun { _ = try self.exchange([], []) }
        let statements = try self.statements(of: changes)
        _ = try self.connection.exchange((self.hasChanges ? statements : [Self.confirmation]) + [.commit])
    }

    /// Makes a commit without changes wait for the standby, if there is one.
    ///
    /// A client that read an error, because the outcome of a commit was unknown, sends the same request again. The server finds what
    /// that commit stored, and acknowledges it: only now the standby may have it.
    private static let confirmation = PostgreSQLStatement(
        """
        SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''
            THEN pg_logical_emit_message(true, 'whereabouts', '')::text END
        """
    )

    func rollBack() {
        guard self.hasBegun, !self.connection.isLost else { return }
        _ = try? self.connection.exchange([PostgreSQLStatement("ROLLBACK")])
    }

    func prune(now: WallTime, max: Int) throws -> Bool {
        let kinds = [
            "request WHERE deadline IS NULL AND kept_until", "device WHERE until", "removed_device WHERE until",
            "revocation WHERE not_after", "grant_use WHERE paid_until", "device_use WHERE paid_until",
            "following WHERE kept_until", "timer WHERE kept_until", "link WHERE not_after",
        ]
        let deletes = kinds.map { kind in
            let table = kind.prefix { $0 != " " }
            return PostgreSQLStatement(
                """
                WITH gone AS (DELETE FROM \(table) WHERE ctid IN (
                    SELECT ctid FROM \(kind) <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
                ) RETURNING 1) SELECT count(*) FROM gone
                """,
                [.integer(now.milliseconds), .integer(Int64(max))]
            )
        }
        if !self.hasBegun { _ = try self.exchange([], []) }
        let counts = try self.connection.exchange(deletes)
        return try counts.contains { try $0[0].integer(0) == max }
    }

    // MARK: Reads

    private func statement(for read: StoreRead) -> PostgreSQLStatement {
        let locks = if case .read = self.mode { false } else { true }
        return PostgreSQLStatement(Self.sql(of: read, locks: locks), Self.values(of: read))
    }

    private func result(of read: StoreRead, _ rows: [PostgreSQLRow]) throws -> StoreRead.Result {
        func count(_ column: Int = 0) throws -> Int { Int(try rows.first?.integer(column) ?? 0) }
        switch read {
        case .request: return .request(try rows.first.map(self.record))
        case .pending, .occurrences: return .requests(try rows.map(self.record))
        case .registrations: return .registrations(try rows.map(Self.registration))
        case .registeredSince, .removalEnd, .paidUntil, .pushesPaidUntil, .nextDeadline:
            return .time(try rows.first?.optionalInteger(0).map { WallTime(milliseconds: $0) })
        case .isRevoked: return .flag(try count() > 0)
        case .revocationCount, .followingCount, .useCount, .linkCount: return .count(try count())
        case .load:
            return .load(
                RequestLoad(
                    kept: try count(),
                    pending: try count(1),
                    pendingUnderGrant: try count(2),
                    otherGrantsInUse: try count(3)
                )
            )
        case .following:
            return .following(
                try rows.first.map { row in
                    FollowingRecord(
                        request: try Signed<Request>(bytes: row.bytes(0)),
                        end: try Self.end(row),
                        keptUntil: WallTime(milliseconds: try row.integer(3)),
                        device: try Self.device(row.integer(4))
                    )
                }
            )
        case .schedule:
            return .schedule(
                try rows.first.map { row in
                    let occurrence = try row.optionalInteger(4).flatMap { UInt16(exactly: $0) }
                    let time = try row.optionalInteger(5).map { WallTime(milliseconds: $0) }
                    return ScheduleRecord(
                        request: try Signed<Request>(bytes: row.bytes(0)),
                        next: occurrence.flatMap { occurrence in time.map { .init(occurrence: occurrence, time: $0) } },
                        end: try Self.end(row),
                        keptUntil: WallTime(milliseconds: try row.integer(3))
                    )
                }
            )
        case .scheduleLoad: return .scheduleLoad(ScheduleLoad(ofSharer: try count(), underGrant: try count(1)))
        case .due, .schedulesDue: return .ids(try rows.compactMap { RequestID(bytes: try $0.bytes(0)) })
        case .link:
            return .link(
                try rows.first.map { row in
                    guard let address = LinkAddress(bytes: try row.bytes(0)),
                        let sharer = PublicIdentity(bytes: try row.bytes(1)),
                        let grant = GrantID(bytes: try row.bytes(2))
                    else { throw PostgreSQLError.wrongType }
                    return LinkedGrant(
                        address: address,
                        sharer: sharer,
                        grant: grant,
                        notAfter: WallTime(milliseconds: try row.integer(3)),
                        sealed: try row.bytes(4)
                    )
                }
            )
        case .room: return .room(StoreRoom(used: try count(), max: PostgreSQLStore.rowsMax))
        }
    }

    private func record(_ row: PostgreSQLRow) throws -> RequestRecord {
        let request = try Signed<Request>(bytes: row.bytes(0))
        let history = try JSONReader().decode([Wire.State].self, from: Data(row.bytes(5))).compactMap(\.state)
        let state = SQLiteTransaction.state(
            try row.text(2),
            nextPush: try row.optionalInteger(3).map { WallTime(milliseconds: $0) },
            giveUp: try row.optionalInteger(4).map { WallTime(milliseconds: $0) }
        )
        guard let state else { throw PostgreSQLError.wrongType }
        return RequestRecord(
            request: request,
            life: RequestLife(
                restoring: state,
                history: history,
                expires: WallTime(milliseconds: try row.integer(1)),
                policy: request.value.occurrence == 0 ? self.policy : self.policy.ofOccurrences
            ),
            answer: try row.optionalBytes(6),
            device: try Self.device(row.integer(7))
        )
    }

    private static func device(_ number: Int64) throws -> ToldDevice {
        guard let device = ToldDevice(rawValue: Int(number)) else { throw PostgreSQLError.wrongType }
        return device
    }

    private static func end(_ row: PostgreSQLRow) throws -> FollowingRecord.End? {
        guard let number = try row.optionalInteger(1), let statement = try row.optionalBytes(2) else { return nil }
        guard let reason = UInt8(exactly: number).flatMap(FollowingEnd.Reason.init(rawValue:)) else {
            throw PostgreSQLError.wrongType
        }
        return .init(reason: reason, statement: statement)
    }

    private static func registration(_ row: PostgreSQLRow) throws -> Registration {
        guard let sharer = PublicIdentity(bytes: try row.bytes(0)), let device = DeviceID(bytes: try row.bytes(1))
        else {
            throw PostgreSQLError.wrongType
        }
        return try Registration(
            sharer: sharer,
            token: row.bytes(2),
            topic: row.text(3),
            issued: WallTime(milliseconds: row.integer(4)),
            device: RegisteredDevice(
                id: device,
                chosen: WallTime(milliseconds: row.integer(5)),
                pushKey: row.bytes(6),
                sealedName: row.bytes(7)
            )
        )
    }
}
