package import GRDB

/// The tables of one program in a SQLite file, and their version.
///
/// The file's header contains the program that owns it (`application_id`) and the version (`user_version`). A program
/// reads only its own version: there is no migration before 1.0 (docs/release.md).
package struct DatabaseFormat: Sendable {
    private let owner: DatabaseOwner
    private let version: Int32
    private let tables: String

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - owner: the program that owns the file.
    ///   - version: the version of its tables, above 0.
    ///   - tables: the SQL that creates the tables in an empty file.
    package init(owner: DatabaseOwner, version: Int32, tables: String) {
        precondition(version > 0, "SQLite gives a new file the version 0, got \(version)")
        self.owner = owner
        self.version = version
        self.tables = tables
    }

    /// Sets full synchronization for each commit, then creates the tables in an empty file.
    ///
    /// Call this after the file is open: GRDB sets `synchronous` to NORMAL when it turns WAL on, after
    /// `prepareDatabase` has run.
    ///
    /// - Throws: ``DatabaseFormatError`` if the file has another owner or version; SQLite's error otherwise.
    package func prepare(_ writer: some DatabaseWriter) throws {
        if let error = try writer.read(self.error) { throw error }
        try writer.writeWithoutTransaction(Self.syncEachCommit)
        try writer.write { database in
            // Another process may have written to the file since the check.
            if let error = try self.error(database) { throw error }
            guard try !Self.hasTables(database) else { return }
            try database.execute(sql: self.tables)
            try database.execute(sql: "PRAGMA application_id = \(self.owner.rawValue)")
            try database.execute(sql: "PRAGMA user_version = \(self.version)")
        }
    }

    /// Returns why a database cannot be used; nil if it is empty, or has this format.
    package func error(_ database: Database) throws -> DatabaseFormatError? {
        let application = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard application == self.owner.rawValue else {
            let isEmpty = try application == 0 && version == 0 && !Self.hasTables(database)
            return isEmpty ? nil : .otherOwner(DatabaseOwner(rawValue: application))
        }
        return version == self.version ? nil : .otherVersion(version, expected: self.version)
    }

    private static func hasTables(_ database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master)") ?? false
    }

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
}
