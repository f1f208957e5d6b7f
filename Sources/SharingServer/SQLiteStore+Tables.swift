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
        return migrator
    }
}
