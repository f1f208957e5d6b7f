internal import WhereaboutsDatabaseFiles

extension PostgreSQLStore {
    /// The version of the tables; any change of them needs a new one.
    private static let version = 1
    /// The tables whose rows are counted.
    static let tables = [
        "device", "removed_device", "device_use", "revocation", "grant_use", "request", "following", "timer", "link",
    ]
    /// The lock of servers that create the tables at once.
    private static let lock: Int64 = 0x5762_5368

    /// Creates the tables in an empty database.
    ///
    /// The table `whereabouts_format` has the owner and the version, as the header of a SQLite file does (``DatabaseFormat``).
    static func prepareTables(_ connection: PostgreSQLConnection) throws {
        let beginning = [
            PostgreSQLStatement("BEGIN"),
            PostgreSQLStatement("SELECT pg_advisory_xact_lock($1)", [.integer(Self.lock)]),
            PostgreSQLStatement("SELECT to_regclass('whereabouts_format') IS NOT NULL"),
            PostgreSQLStatement(
                "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
            ),
        ]
        let found = try connection.exchange(beginning)
        if try found[2][0].integer(0) == 1 {
            let format = PostgreSQLStatement("SELECT owner, version FROM whereabouts_format")
            let row = try connection.exchange([format])[0].first
            try self.check(owner: row?.integer(0) ?? 0, version: row?.integer(1) ?? 0)
            _ = try connection.exchange([PostgreSQLStatement("ROLLBACK")])
            return
        }
        guard try found[3][0].integer(0) == 0 else { throw Self.otherOwner(nil) }
        let format = PostgreSQLStatement(
            "INSERT INTO whereabouts_format VALUES ($1, $2)",
            [.integer(Int64(DatabaseOwner.sharingServer.rawValue)), .integer(Int64(Self.version))]
        )
        let creating = Self.sql.split(separator: ";").map { PostgreSQLStatement(String($0)) }
        _ = try connection.exchange(creating + [format, .commit])
    }

    private static func check(owner: Int64, version: Int64) throws {
        let known = Int32(exactly: owner).flatMap(DatabaseOwner.init(rawValue:))
        guard known == .sharingServer else { throw self.otherOwner(known) }
        guard version == self.version else {
            throw PostgreSQLError.unusable(
                "its tables have version \(version), and this program reads version \(self.version) only. Run the version of "
                    + "whereabouts that wrote them, or name an empty database"
            )
        }
    }

    private static func otherOwner(_ owner: DatabaseOwner?) -> PostgreSQLError {
        .unusable(
            "it belongs to \(owner?.name ?? "another program"). Name this program's own database, or an empty one"
        )
    }

    private static let sql = """
        CREATE TABLE whereabouts_format (owner BIGINT NOT NULL, version BIGINT NOT NULL);
        CREATE TABLE device (
            sharer BYTEA, device BYTEA, token BYTEA NOT NULL, topic TEXT NOT NULL, issued BIGINT NOT NULL,
            until BIGINT NOT NULL, chosen BIGINT NOT NULL, push_key BYTEA NOT NULL, name BYTEA NOT NULL,
            since BIGINT NOT NULL, PRIMARY KEY (sharer, device)
        );
        CREATE INDEX device_until ON device (until);
        CREATE TABLE removed_device (
            sharer BYTEA, device BYTEA, until BIGINT NOT NULL, PRIMARY KEY (sharer, device)
        );
        CREATE INDEX removed_device_until ON removed_device (until);
        CREATE TABLE device_use (sharer BYTEA PRIMARY KEY, paid_until BIGINT NOT NULL);
        CREATE INDEX device_use_paid_until ON device_use (paid_until);
        CREATE TABLE revocation (
            sharer BYTEA, grant_id BYTEA, not_after BIGINT NOT NULL, PRIMARY KEY (sharer, grant_id)
        );
        CREATE INDEX revocation_not_after ON revocation (not_after);
        CREATE TABLE grant_use (
            sharer BYTEA, grant_id BYTEA, paid_until BIGINT NOT NULL, PRIMARY KEY (sharer, grant_id)
        );
        CREATE INDEX grant_use_paid_until ON grant_use (paid_until);
        CREATE TABLE request (
            id BYTEA PRIMARY KEY, arrival BIGINT GENERATED ALWAYS AS IDENTITY, sharer BYTEA NOT NULL,
            grant_id BYTEA NOT NULL, signed BYTEA NOT NULL, expires BIGINT NOT NULL, timer BYTEA, turn BIGINT NOT NULL,
            kept_until BIGINT NOT NULL, state TEXT, next_push BIGINT, give_up BIGINT, deadline BIGINT, history BYTEA,
            answer BYTEA, told_device BIGINT NOT NULL DEFAULT 0
        );
        CREATE INDEX request_deadline ON request (deadline) WHERE deadline IS NOT NULL;
        CREATE INDEX request_load ON request (sharer, turn, deadline, grant_id);
        CREATE INDEX request_kept_until ON request (kept_until);
        CREATE INDEX request_timer ON request (timer, turn) WHERE timer IS NOT NULL;
        CREATE TABLE following (
            id BYTEA PRIMARY KEY, sharer BYTEA NOT NULL, signed BYTEA NOT NULL, until BIGINT NOT NULL, reason BIGINT,
            statement BYTEA, kept_until BIGINT NOT NULL, told_device BIGINT NOT NULL
        );
        CREATE INDEX following_sharer ON following (sharer, until);
        CREATE INDEX following_kept_until ON following (kept_until);
        CREATE TABLE timer (
            id BYTEA PRIMARY KEY, sharer BYTEA NOT NULL, grant_id BYTEA NOT NULL, signed BYTEA NOT NULL,
            next_turn BIGINT, next_at BIGINT, reason BIGINT, statement BYTEA, kept_until BIGINT NOT NULL
        );
        CREATE INDEX timer_next ON timer (next_at) WHERE next_at IS NOT NULL;
        CREATE INDEX timer_load ON timer (sharer, grant_id) WHERE next_at IS NOT NULL;
        CREATE INDEX timer_kept_until ON timer (kept_until);
        CREATE TABLE link (
            address BYTEA PRIMARY KEY, sharer BYTEA NOT NULL, grant_id BYTEA NOT NULL, not_after BIGINT NOT NULL,
            sealed BYTEA NOT NULL, uses BIGINT NOT NULL
        );
        CREATE INDEX link_sharer ON link (sharer, grant_id);
        CREATE INDEX link_not_after ON link (not_after)
        """
}
