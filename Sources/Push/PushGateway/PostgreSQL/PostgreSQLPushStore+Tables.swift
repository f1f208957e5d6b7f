internal import WhereaboutsDatabaseFiles

extension PostgreSQLPushStore {
    /// The tables; any change needs a new version number.
    ///
    /// Each key begins with the device, whose rows belong together. Pushes expire by the hour, so that the index of expirations
    /// changes once an hour, and a replaced push stays in its page.
    static let format = PostgreSQLFormat(
        owner: .pushGateway,
        version: 1,
        tables: """
            CREATE TABLE token (
                device BYTEA, token BYTEA, topic TEXT NOT NULL, used_at BIGINT NOT NULL, issued_at BIGINT NOT NULL,
                is_pushed BIGINT NOT NULL, unregistered_at BIGINT, PRIMARY KEY (device, token)
            );
            CREATE UNIQUE INDEX token_token ON token (token);
            CREATE UNIQUE INDEX token_registered ON token (device, topic) WHERE unregistered_at IS NULL;
            CREATE INDEX token_used ON token (used_at);
            CREATE TABLE push (
                device BYTEA, topic TEXT, arrival BIGINT NOT NULL, id BYTEA NOT NULL, payload BYTEA NOT NULL,
                priority BIGINT NOT NULL, expires BIGINT NOT NULL, hour BIGINT NOT NULL, collapse_id TEXT,
                PRIMARY KEY (device, topic)
            ) WITH (fillfactor = 80);
            CREATE INDEX push_hour ON push (hour);
            CREATE TABLE sender_count (
                team TEXT COLLATE "C", key TEXT COLLATE "C", day BIGINT, entry TEXT, count BIGINT NOT NULL,
                PRIMARY KEY (team, key, day, entry)
            );
            CREATE INDEX sender_count_day ON sender_count (day);
            CREATE TABLE sender_wait (
                team TEXT, key TEXT, until BIGINT NOT NULL, PRIMARY KEY (team, key)
            );
            CREATE TABLE provider_key (
                team TEXT COLLATE "C", key TEXT COLLATE "C", public_key BYTEA NOT NULL, apps TEXT NOT NULL,
                relayed BIGINT, PRIMARY KEY (team, key)
            );
            CREATE TABLE gateway_session (era BIGINT NOT NULL, holder BIGINT NOT NULL);
            INSERT INTO gateway_session VALUES (0, 0)
            """
    )
}
