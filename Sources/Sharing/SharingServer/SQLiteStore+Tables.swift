internal import WhereaboutsDatabaseFiles

extension SQLiteStore {
    /// The tables; any change needs a new version number.
    static let format = DatabaseFormat(
        owner: .sharingServer,
        version: 6,
        tables: """
            CREATE TABLE device (
                sharer BLOB NOT NULL, device BLOB NOT NULL, token BLOB NOT NULL, topic TEXT NOT NULL,
                issued INTEGER NOT NULL, until INTEGER NOT NULL, chosen INTEGER NOT NULL,
                push_key BLOB NOT NULL, name BLOB NOT NULL, since INTEGER NOT NULL,
                PRIMARY KEY (sharer, device)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX device_until ON device (until);
            CREATE TABLE removed_device (
                sharer BLOB NOT NULL, device BLOB NOT NULL, until INTEGER NOT NULL,
                PRIMARY KEY (sharer, device)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX removed_device_until ON removed_device (until);
            CREATE TABLE device_use (
                sharer BLOB PRIMARY KEY NOT NULL, paid_until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX device_use_paid_until ON device_use (paid_until);
            CREATE TABLE revocation (
                sharer BLOB NOT NULL, grant_id BLOB NOT NULL, not_after INTEGER NOT NULL,
                PRIMARY KEY (sharer, grant_id)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX revocation_not_after ON revocation (not_after);
            CREATE TABLE grant_use (
                sharer BLOB NOT NULL, grant_id BLOB NOT NULL, paid_until INTEGER NOT NULL,
                PRIMARY KEY (sharer, grant_id)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX grant_use_paid_until ON grant_use (paid_until);
            CREATE TABLE request (
                id BLOB UNIQUE NOT NULL, sharer BLOB NOT NULL, grant_id BLOB NOT NULL, signed BLOB NOT NULL,
                expires INTEGER NOT NULL, timer BLOB, turn INTEGER NOT NULL, kept_until INTEGER NOT NULL,
                state TEXT, next_push INTEGER, give_up INTEGER, deadline INTEGER, history BLOB, answer BLOB,
                told_device INTEGER NOT NULL DEFAULT 0
            ) STRICT;
            CREATE INDEX request_deadline ON request (deadline) WHERE deadline IS NOT NULL;
            CREATE INDEX request_load ON request (sharer, turn, deadline, grant_id);
            CREATE INDEX request_kept_until ON request (kept_until);
            CREATE INDEX request_timer ON request (timer, turn) WHERE timer IS NOT NULL;
            CREATE TABLE following (
                id BLOB PRIMARY KEY NOT NULL, sharer BLOB NOT NULL, signed BLOB NOT NULL, until INTEGER NOT NULL,
                reason INTEGER, end BLOB, kept_until INTEGER NOT NULL, told_device INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX following_sharer ON following (sharer, until);
            CREATE INDEX following_kept_until ON following (kept_until);
            CREATE TABLE timer (
                id BLOB PRIMARY KEY NOT NULL, sharer BLOB NOT NULL, grant_id BLOB NOT NULL, signed BLOB NOT NULL,
                next_turn INTEGER, next_at INTEGER, reason INTEGER, end BLOB, kept_until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX timer_next ON timer (next_at) WHERE next_at IS NOT NULL;
            CREATE INDEX timer_load ON timer (sharer, grant_id) WHERE next_at IS NOT NULL;
            CREATE INDEX timer_kept_until ON timer (kept_until);
            CREATE TABLE link (
                address BLOB PRIMARY KEY NOT NULL, sharer BLOB NOT NULL, grant_id BLOB NOT NULL,
                not_after INTEGER NOT NULL, sealed BLOB NOT NULL, uses INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX link_sharer ON link (sharer, grant_id);
            CREATE INDEX link_not_after ON link (not_after);
            CREATE TABLE responder (
                key BLOB PRIMARY KEY NOT NULL, content BLOB NOT NULL, kept_until INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX responder_kept_until ON responder (kept_until) WHERE kept_until IS NOT NULL;
            """
    )
}
