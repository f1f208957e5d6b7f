/// The tables of one program in a PostgreSQL database, and their version.
///
/// The table `whereabouts_format` has the owner and the version, as the header of a SQLite file does (``DatabaseFormat``).
package struct PostgreSQLFormat: Sendable {
    private let owner: DatabaseOwner
    private let version: Int64
    private let tables: String

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - owner: the program that owns the database.
    ///   - version: the version of its tables; any change of them needs a new one.
    ///   - tables: the statements that create them in an empty database, separated by semicolons.
    package init(owner: DatabaseOwner, version: Int64, tables: String) {
        (self.owner, self.version, self.tables) = (owner, version, tables)
    }

    /// Creates the tables in an empty database; programs that do it at once wait for each other.
    ///
    /// - Throws: ``PostgreSQLError`` if the database has another owner or version.
    package func prepare(_ connection: PostgreSQLConnection) throws {
        let owner = Int64(self.owner.rawValue)
        let found = try connection.exchange([
            PostgreSQLStatement("BEGIN"),
            PostgreSQLStatement("SELECT pg_advisory_xact_lock($1)", [.integer(owner)]),
            PostgreSQLStatement("SELECT to_regclass('whereabouts_format') IS NOT NULL"),
            PostgreSQLStatement(
                "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
            ),
        ])
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
            [.integer(owner), .integer(self.version)]
        )
        let tables = "CREATE TABLE whereabouts_format (owner BIGINT NOT NULL, version BIGINT NOT NULL);" + self.tables
        let creating = tables.split(separator: ";").map { PostgreSQLStatement(String($0)) }
        _ = try connection.exchange(creating + [format, .commit])
    }

    private func check(owner: Int64, version: Int64) throws {
        let known = Int32(exactly: owner).flatMap(DatabaseOwner.init(rawValue:))
        guard known == self.owner else { throw Self.otherOwner(known) }
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
}
