internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

extension PostgreSQLStore {
    /// The tables whose rows are counted.
    static let tables = [
        "device", "removed_device", "device_use", "revocation", "grant_use", "request", "following", "timer", "link",
    ]

    /// The tables; any change needs a new version number.
    static let format = PostgreSQLFormat(owner: .sharingServer, version: 2, tables: PostgreSQLStore.sql)

    private static let sql = """
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
        CREATE INDEX link_not_after ON link (not_after);
        CREATE UNLOGGED TABLE database_id (place TEXT PRIMARY KEY, id BYTEA NOT NULL)
        """

    /// Reads the ID of the database, which the first server draws.
    ///
    /// A restored copy must get another ID, so that devices repeat what the copy does not have. An unlogged table is empty in a copy of
    /// the files, at a standby, and after a crash. A dump has its rows, but it is restored to another place.
    static func databaseID(_ connection: PostgreSQLConnection) throws -> DatabaseID {
        let place = """
            (SELECT concat_ws('/', system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()),
                'database_id'::regclass::oid) FROM pg_control_system())
            """
        let drawn = CurrentDatabaseID.drawn()
        let rows = try connection.exchange([
            PostgreSQLStatement(
                "INSERT INTO database_id (place, id) VALUES (\(place), $1) ON CONFLICT DO NOTHING",
                [.bytes(drawn.bytes)]
            ),
            PostgreSQLStatement("SELECT id FROM database_id WHERE place = \(place)"),
        ])[1]
        guard let id = try rows.first.flatMap({ DatabaseID(bytes: try $0.bytes(0)) }) else {
            throw PostgreSQLError.wrongType
        }
        return id
    }
}
