internal import WhereaboutsDatabaseFiles

extension SQLitePushStore {
    /// The tables; any change needs a new version number.
    static let format = DatabaseFormat(
        owner: .pushGateway,
        version: 1,
        tables: """
            CREATE TABLE token (
                token BLOB PRIMARY KEY,
                device BLOB NOT NULL,
                topic TEXT NOT NULL,
                used_at INTEGER NOT NULL,
                issued_at INTEGER NOT NULL,
                is_pushed INTEGER NOT NULL,
                unregistered_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX token_registered ON token (device, topic) WHERE unregistered_at IS NULL;
            CREATE INDEX token_dead ON token (device, unregistered_at) WHERE unregistered_at IS NOT NULL;
            CREATE INDEX token_used ON token (used_at);
            CREATE TABLE push (
                sequence INTEGER PRIMARY KEY,
                arrival INTEGER NOT NULL,
                device BLOB NOT NULL,
                topic TEXT NOT NULL,
                id BLOB NOT NULL,
                payload BLOB NOT NULL,
                priority INTEGER NOT NULL,
                expires INTEGER NOT NULL,
                hour INTEGER NOT NULL,
                collapse_id TEXT,
                UNIQUE (device, topic)
            ) STRICT;
            CREATE INDEX push_hour ON push (hour);
            CREATE TABLE arrival_era (era INTEGER NOT NULL) STRICT;
            INSERT INTO arrival_era VALUES (0);
            CREATE TABLE provider_key (
                team TEXT NOT NULL,
                key TEXT NOT NULL,
                public_key BLOB NOT NULL,
                apps TEXT NOT NULL,
                relayed INTEGER,
                PRIMARY KEY (team, key)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE sender_count (
                day INTEGER NOT NULL,
                team TEXT NOT NULL,
                key TEXT NOT NULL,
                entry TEXT NOT NULL,
                count INTEGER NOT NULL,
                PRIMARY KEY (day, team, key, entry)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE sender_wait (
                team TEXT NOT NULL,
                key TEXT NOT NULL,
                until INTEGER NOT NULL,
                PRIMARY KEY (team, key)
            ) STRICT, WITHOUT ROWID;
            """
    )
}
