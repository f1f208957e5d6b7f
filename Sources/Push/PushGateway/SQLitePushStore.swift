internal import Foundation
internal import GRDB
internal import WhereaboutsAPNS
public import WhereaboutsPushEngine

/// A ``PushStore`` in one SQLite file.
///
/// WAL with `synchronous=FULL`: each commit is an fsync of the log, so that an accepted push survives a power failure
/// and not only `kill -9` (for which NORMAL would do). The gateway commits in batches, which share the fsync.
/// The file is held exclusively: a second gateway on it would accept pushes for devices connected to the first.
///
/// The file is bounded: a part is kept for pushes, so that tokens cannot take it all (``PushEngine/Enrolment/hasRoom``).
public final class SQLitePushStore: PushStore {
    /// The most bytes of the file: some four million tokens, or a million pushes of the greatest size.
    public static let bytesMax = 4 << 30
    /// The part of the file up to which new tokens are issued.
    static let tokensPart = 0.75
    /// The pages beyond, for changes other than pushes and tokens, and for those of one batch: SQLite itself, asked for
    /// more than it may have, gives up the whole transaction, and with it everybody's operations.
    private static let sparePages = 4096

    let database: DatabaseQueue
    private let path: String
    private let tokens = TokenCache()
    private let arrivals: ArrivalNumbers
    private let pagesMax: Int

    /// Opens or creates a database, readable by its owner alone.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytesMax: the most bytes that it may have; one that has more stays as it is.
    /// - Throws: ``GatewayError`` naming the file and the remedy.
    public init(path: String, bytesMax: Int = SQLitePushStore.bytesMax) throws {
        self.path = path
        guard path != ":memory:" else {
            throw GatewayError(.badDatabase, "\(path): a restart would lose what was accepted; give a file")
        }
        var configuration = Configuration()
        configuration.label = "whereabouts push store"
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        }
        do {
            if !FileManager.default.fileExists(atPath: path) {
                // SQLite gives its log the permissions of the database.
                guard
                    FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw CocoaError(.fileWriteUnknown) }
            }
            self.database = try DatabaseQueue(path: path, configuration: configuration)
            try self.database.writeWithoutTransaction(Self.syncEachCommit)
            if let owner = try self.database.read(Self.stranger) { throw Self.foreign(path, owner) }
            guard try !self.database.read(Self.migrator.hasBeenSuperseded) else {
                throw GatewayError(
                    .badDatabase,
                    "\(path): written by a newer gateway, and left as it is; run that one, or name another database"
                )
            }
            // The bound comes after the migration, which a full file must not keep from its end.
            try Self.migrator.migrate(self.database)
            (self.pagesMax, self.arrivals) = try self.database.write { database in
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                let pagesMax = max(1, bytesMax / page)
                try database.execute(sql: "PRAGMA max_page_count = \(max(pages, pagesMax) + Self.sparePages)")
                return (pagesMax, try ArrivalNumbers(database))
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            if let owner = Self.owner(ofOpenFile: path) { throw Self.foreign(path, owner) }
            throw GatewayError(
                .badDatabase,
                "\(path): another process has it open; a push database belongs to one gateway, stop the other"
            )
        } catch let error as GatewayError {
            throw error
        } catch {
            throw GatewayError(
                .badDatabase,
                "\(path): cannot be opened as a database\(Self.cause(error)); give a file of a gateway's, or a new one in a directory "
                    + "that is there, and that this user may write"
            )
        }
    }

    /// The program whose database a file is that another process has open; nil: nothing can be read, or it is a gateway's.
    private static func owner(ofOpenFile path: String) -> String? {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try? DatabaseQueue(path: path, configuration: configuration)
        return (try? database?.read(self.stranger)) ?? nil
    }

    private static func foreign(_ path: String, _ owner: String) -> GatewayError {
        GatewayError(.badDatabase, "\(path): a database of \(owner); name the gateway's own, or a new file")
    }

    /// The program whose database it is, if it is neither a gateway's nor new.
    ///
    /// The migrations of a sharing server's have the same names, so that they would be taken for a gateway's own.
    private static func stranger(_ database: Database) throws -> String? {
        let tables = try Set(String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"))
        if tables.isSuperset(of: ["token", "push"]) { return nil }
        if tables.isSuperset(of: ["device", "revocation"]) { return "a sharing server (whereabouts server)" }
        let isNew = tables.allSatisfy { $0 == "grdb_migrations" || $0.hasPrefix("sqlite_") }
        return isNew ? nil : "another program"
    }

    /// Makes each commit wait until the disk has it, and checks that it does.
    ///
    /// This must follow the opening: GRDB sets `synchronous` to NORMAL when it turns WAL on, after `prepareDatabase` has run.
    private static func syncEachCommit(_ database: Database) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode")
        guard level == 2, journal == "wal" else {
            throw DatabaseError(
                message: "synchronous is \(level ?? -1) and journal_mode \(journal ?? "unknown"), not 2 and wal"
            )
        }
    }

    /// SQLite's own word on an error; the others say nothing that the path does not.
    static func cause(_ error: any Error) -> String {
        (error as? DatabaseError)?.message.map { " (\($0))" } ?? ""
    }

    /// Closes the database; it is not used afterwards.
    public func close() throws {
        try self.database.close()
    }

    /// The bytes of the database and of its log, which on a busy gateway is the larger one; nil: it cannot be read.
    public var bytesCount: Int? {
        try? self.database.read { database in
            guard let pages = try Int.fetchOne(database, sql: "PRAGMA page_count"),
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size")
            else { return nil }
            return pages * page + self.logBytesCount
        }
    }

    /// Writes the database's first page as it is, which SQLite takes to disk like any other.
    public func tryWriting() throws {
        try self.database.write { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Runs changes as one.
    public func transaction(_ body: (any PushStoreTransaction) throws -> Void) throws {
        let room = SQLitePushTransaction.Room(
            tokens: Int(Double(self.pagesMax) * Self.tokensPart),
            pushes: self.pagesMax
        )
        do {
            try self.database.write { database in
                try body(SQLitePushTransaction(database, room: room, tokens: self.tokens, arrivals: self.arrivals))
            }
        } catch {
            self.tokens.forgetAll()
            throw error
        }
    }

    private var logBytesCount: Int {
        (try? FileManager.default.attributesOfItem(atPath: self.path + "-wal")[.size] as? Int) ?? 0
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE token (
                        token BLOB PRIMARY KEY,
                        device BLOB NOT NULL,
                        topic TEXT NOT NULL,
                        unregistered_at INTEGER
                    ) STRICT, WITHOUT ROWID;
                    CREATE UNIQUE INDEX token_registered ON token (device, topic) WHERE unregistered_at IS NULL;
                    CREATE INDEX token_dead ON token (device, unregistered_at) WHERE unregistered_at IS NOT NULL;
                    CREATE TABLE push (
                        sequence INTEGER PRIMARY KEY,
                        device BLOB NOT NULL,
                        topic TEXT NOT NULL,
                        id BLOB NOT NULL,
                        payload BLOB NOT NULL,
                        priority INTEGER NOT NULL,
                        expires INTEGER NOT NULL,
                        collapse_id TEXT,
                        UNIQUE (device, topic)
                    ) STRICT;
                    CREATE INDEX push_expires ON push (expires);
                    """
            )
        }
        // Tokens from before count as used now, and as pushed to: nobody is to lose one to a rule that is new.
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    ALTER TABLE token ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE token ADD COLUMN is_pushed INTEGER NOT NULL DEFAULT 1;
                    UPDATE token SET used_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER);
                    CREATE INDEX token_used ON token (used_at);
                    """
            )
        }
        migrator.registerMigration("3") { database in
            try database.execute(
                sql: """
                    CREATE TABLE provider_key (
                        team TEXT NOT NULL,
                        key TEXT NOT NULL,
                        public_key BLOB NOT NULL,
                        apps TEXT NOT NULL,
                        PRIMARY KEY (team, key)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("4") { database in
            try database.execute(
                sql: """
                    ALTER TABLE provider_key ADD COLUMN relayed INTEGER;
                    CREATE TABLE sender_count (
                        day INTEGER NOT NULL,
                        team TEXT NOT NULL,
                        key TEXT NOT NULL,
                        entry TEXT NOT NULL,
                        count INTEGER NOT NULL,
                        PRIMARY KEY (day, team, key, entry)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("5") { database in
            try database.execute(
                sql: """
                    ALTER TABLE push ADD COLUMN arrival INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE push ADD COLUMN hour INTEGER NOT NULL DEFAULT 0;
                    UPDATE push SET arrival = sequence, hour = expires / 3600;
                    DROP INDEX push_expires;
                    CREATE INDEX push_hour ON push (hour);
                    """
            )
        }
        migrator.registerMigration("6") { database in
            try database.execute(
                sql: """
                    CREATE TABLE sender_wait (
                        team TEXT NOT NULL,
                        key TEXT NOT NULL,
                        until INTEGER NOT NULL,
                        PRIMARY KEY (team, key)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        // Devices of before are not new.
        migrator.registerMigration("7") { database in
            try database.execute(sql: "ALTER TABLE token ADD COLUMN issued_at INTEGER NOT NULL DEFAULT 0")
        }
        return migrator
    }
}
