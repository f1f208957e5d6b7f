internal import Foundation
internal import GRDB
internal import WhereaboutsDatabaseFiles
package import WhereaboutsSharingEngine

/// The store of a server with a single node: a SQLite file.
///
/// A file has one writer, so transactions run one after another, whatever their keys.
///
/// `synchronous = FULL`: a commit is on disk before it is acknowledged, so that neither `kill -9` nor a power cut undoes
/// an accepted request, and above all no revocation. A change that may be undone (``StoreLoss``) uses the next commit's fsync.
package struct SQLiteStore: Store {
    /// The maximum number of pages of 4,096 bytes, 1 GiB; each kind of row may fill a share of them (``StoreRoom``).
    package static let pagesMax = 262_144
    /// The extra pages that allow a full file to be pruned.
    private static let sparePages = 4096

    let database: DatabasePool
    private let policy: SharingPolicy
    private let pagesMax: Int

    /// Opens the file at `path`, and creates it with mode 0600 if it is missing.
    ///
    /// - Parameters:
    ///   - path: the file; its directory must exist.
    ///   - policy: the numbers for restored requests.
    ///   - pagesMax: the maximum number of pages of the file.
    /// - Throws: ``SharingError`` when the file cannot be opened or is not a database of this server.
    package init(path: String, policy: SharingPolicy, pagesMax: Int = Self.pagesMax) throws {
        guard path != ":memory:" else {
            throw SharingError(
                .badProfile,
                "\(path): a database in memory would lose accepted data at a restart; give a file with --database"
            )
        }
        do {
            if !FileManager.default.fileExists(atPath: path) {
                // The file is created here, because SQLite would make it readable by others.
                guard
                    FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw CocoaError(.fileWriteUnknown) }
            }
            var configuration = Configuration()
            // A server that ended a moment ago may still lock the file; without the timeout, the first statement would fail
            // at once.
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA secure_delete = ON")
            }
            self.database = try DatabasePool(path: path, configuration: configuration)
            // Read the tables before setting the limit, so that this works even with a full file.
            try Self.format.prepare(self.database)
            try self.database.writeWithoutTransaction { database in
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                try database.execute(sql: "PRAGMA max_page_count = \(max(pages, pagesMax) + Self.sparePages)")
            }
        } catch let error as DatabaseFormatError {
            throw SharingError(.badProfile, "\(path): \(error) with --database")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw SharingError(
                .badProfile,
                "\(path): another process has it open exclusively, as a push gateway does; name the server's own database, or a "
                    + "new file, with --database"
            )
        } catch {
            let cause = (error as? DatabaseError)?.message.map { " (\($0))" } ?? ""
            throw SharingError(
                .badProfile,
                "\(path) cannot be used as the server's database\(cause): "
                    + "name a database of a sharing server, or a new file in a directory of this user, with --database"
            )
        }
        self.policy = policy
        self.pagesMax = pagesMax
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreView) throws -> Value
    ) async throws -> Value {
        let (policy, pagesMax) = (self.policy, self.pagesMax)
        return try await self.database.read {
            try body(SQLiteTransaction(database: $0, policy: policy, pagesMax: pagesMax))
        }
    }

    package func transaction<Value: Sendable>(
        of key: StoreKey,
        surviving loss: StoreLoss,
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) async throws -> Value {
        let (policy, pagesMax) = (self.policy, self.pagesMax)
        return try await self.database.writeWithoutTransaction { database in
            try database.committing(waitingForDisk: loss == .powerFailure) {
                try body(SQLiteTransaction(database: database, policy: policy, pagesMax: pagesMax))
            }
        }
    }

    package func tryWriting() async throws {
        try await self.database.write { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }
}
