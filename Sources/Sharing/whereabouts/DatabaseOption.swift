internal import ArgumentParser
internal import WhereaboutsDatabaseFiles

/// The option `--database` of the server and of the gateway.
enum DatabaseOption {
    static let help = ArgumentHelp("SQLite file, created if missing, or postgres:// URL.", valueName: "file|url")

    /// Reads the option on a command line; nil: it is the path of a SQLite file.
    ///
    /// - Throws: the reason why it cannot be used, without a password.
    static func address(_ text: String) throws -> PostgreSQLAddress? {
        let address = try PostgreSQLAddress(text)
        guard address?.hasPassword != true else {
            throw ValidationError(
                "--database: other users can read a password on a command line. Put it into ~/.pgpass or a file that PGPASSFILE names, "
                    + "or the URL into the file of `whereabouts serve`"
            )
        }
        return address
    }
}
