internal import GRDB

/// The tables.
extension SQLiteStore {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE device (
                        sharer BLOB PRIMARY KEY NOT NULL, token BLOB NOT NULL, topic TEXT NOT NULL, issued INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE revocation (
                        sharer BLOB NOT NULL, grant_id BLOB NOT NULL, not_after INTEGER NOT NULL,
                        PRIMARY KEY (sharer, grant_id)
                    ) WITHOUT ROWID;
                    CREATE TABLE grant_use (
                        sharer BLOB NOT NULL, grant_id BLOB NOT NULL, last INTEGER NOT NULL, not_after INTEGER NOT NULL,
                        PRIMARY KEY (sharer, grant_id)
                    ) WITHOUT ROWID;
                    CREATE TABLE request (
                        id BLOB UNIQUE NOT NULL, sharer BLOB NOT NULL, signed BLOB NOT NULL, expires INTEGER NOT NULL,
                        state TEXT, next_push INTEGER, give_up INTEGER, deadline INTEGER, history BLOB, answer BLOB
                    );
                    CREATE INDEX request_deadline ON request (deadline) WHERE deadline IS NOT NULL;
                    CREATE INDEX request_sharer ON request (sharer) WHERE deadline IS NOT NULL;
                    CREATE INDEX request_expires ON request (expires);
                    """
            )
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    ALTER TABLE device ADD COLUMN until INTEGER NOT NULL DEFAULT 0;
                    UPDATE device SET until = (CAST(strftime('%s', 'now') AS INTEGER) + 30 * 86400) * 1000;
                    DELETE FROM device WHERE topic GLOB '*[^A-Za-z0-9._-]*' OR length(topic) NOT BETWEEN 1 AND 155;
                    CREATE INDEX device_until ON device (until);
                    CREATE INDEX revocation_not_after ON revocation (not_after);
                    DROP TABLE grant_use;
                    CREATE TABLE grant_use (
                        sharer BLOB NOT NULL, grant_id BLOB NOT NULL, paid_until INTEGER NOT NULL,
                        PRIMARY KEY (sharer, grant_id)
                    ) WITHOUT ROWID;
                    CREATE INDEX grant_use_paid_until ON grant_use (paid_until);
                    ALTER TABLE request ADD COLUMN grant_id BLOB NOT NULL DEFAULT x'';
                    DROP INDEX request_sharer;
                    CREATE INDEX request_load ON request (sharer, deadline, grant_id);
                    """
            )
        }
        migrator.registerMigration("3") { database in
            try database.execute(
                sql: """
                    CREATE TABLE following (
                        id BLOB PRIMARY KEY NOT NULL, sharer BLOB NOT NULL, signed BLOB NOT NULL, until INTEGER NOT NULL,
                        reason INTEGER, end BLOB, kept_until INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE INDEX following_sharer ON following (sharer, until);
                    CREATE INDEX following_kept_until ON following (kept_until);
                    """
            )
        }
        migrator.registerMigration("4") { database in
            try database.execute(
                sql: """
                    CREATE TABLE timer (
                        id BLOB PRIMARY KEY NOT NULL, sharer BLOB NOT NULL, grant_id BLOB NOT NULL, signed BLOB NOT NULL,
                        next_turn INTEGER, next_at INTEGER, reason INTEGER, end BLOB, kept_until INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE INDEX timer_next ON timer (next_at) WHERE next_at IS NOT NULL;
                    CREATE INDEX timer_load ON timer (sharer, grant_id) WHERE next_at IS NOT NULL;
                    CREATE INDEX timer_kept_until ON timer (kept_until);
                    CREATE TABLE device_use (
                        sharer BLOB PRIMARY KEY NOT NULL, paid_until INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE INDEX device_use_paid_until ON device_use (paid_until);
                    ALTER TABLE request ADD COLUMN timer BLOB;
                    ALTER TABLE request ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE request ADD COLUMN kept_until INTEGER NOT NULL DEFAULT 0;
                    UPDATE request SET kept_until = expires;
                    DROP INDEX request_expires;
                    DROP INDEX request_load;
                    CREATE INDEX request_kept_until ON request (kept_until);
                    CREATE INDEX request_load ON request (sharer, turn, deadline, grant_id);
                    CREATE INDEX request_timer ON request (timer, turn) WHERE timer IS NOT NULL;
                    """
            )
        }
        migrator.registerMigration("5") { database in
            // A registration of version 1 says nothing of its device.
            try database.execute(
                sql: """
                    ALTER TABLE device RENAME TO device_of_sharer;
                    CREATE TABLE device (
                        sharer BLOB NOT NULL, device BLOB NOT NULL, token BLOB NOT NULL, topic TEXT NOT NULL,
                        issued INTEGER NOT NULL, until INTEGER NOT NULL, chosen INTEGER, push_key BLOB, name BLOB,
                        PRIMARY KEY (sharer, device)
                    ) WITHOUT ROWID;
                    INSERT INTO device (sharer, device, token, topic, issued, until)
                    SELECT sharer, x'', token, topic, issued, until FROM device_of_sharer;
                    DROP TABLE device_of_sharer;
                    CREATE INDEX device_until ON device (until);
                    CREATE TABLE removed_device (
                        sharer BLOB NOT NULL, device BLOB NOT NULL, until INTEGER NOT NULL,
                        PRIMARY KEY (sharer, device)
                    ) WITHOUT ROWID;
                    CREATE INDEX removed_device_until ON removed_device (until);
                    """
            )
        }
        migrator.registerMigration("6") { database in
            try database.execute(sql: "ALTER TABLE request ADD COLUMN is_astray INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("7") { database in
            // As of a request: 1 when another device answers by now, 2 when the one that shows it was removed.
            try database.execute(sql: "ALTER TABLE following ADD COLUMN is_astray INTEGER NOT NULL DEFAULT 0")
        }
        // Sharers of before are not new.
        migrator.registerMigration("8") { database in
            try database.execute(sql: "ALTER TABLE device ADD COLUMN since INTEGER NOT NULL DEFAULT 0")
        }
        return migrator
    }
}
