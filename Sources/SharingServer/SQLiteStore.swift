internal import Foundation
internal import GRDB
package import SharingEngine

/// The store of a server that runs on one node: a SQLite file.
///
/// `synchronous = FULL`: a commit is on disk before it is acknowledged, so that neither `kill -9` nor a power cut undoes
/// an accepted request, and above all no revocation.
package struct SQLiteStore: Store {
    /// The most pages of the file, of 4,096 bytes; beyond it new rows are refused, whoever sends them.
    static let pagesMax = 262_144

    private let database: DatabasePool
    private let policy: Policy

    /// Opens the file at `path`, and creates it with mode 0600 if it is missing.
    ///
    /// - Parameters:
    ///   - path: the file; its directory must exist.
    ///   - policy: the numbers that restored requests go on by.
    /// - Throws: ``SharingError`` when the file cannot be opened or is no database of ours.
    package init(path: String, policy: Policy) throws {
        do {
            if !FileManager.default.fileExists(atPath: path) {
                // Created here, not by SQLite, which would leave it readable by others.
                guard
                    FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw CocoaError(.fileWriteUnknown) }
            }
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                try database.execute(
                    sql:
                        "PRAGMA synchronous = FULL; PRAGMA max_page_count = \(Self.pagesMax); PRAGMA secure_delete = ON"
                )
            }
            self.database = try DatabasePool(path: path, configuration: configuration)
            try Self.migrator.migrate(self.database)
        } catch {
            throw SharingError(
                .badHome,
                "\(path) cannot be used as the server's database (\(error)): "
                    + "a file of ours, or none, in a directory that is ours is due; check --database"
            )
        }
        self.policy = policy
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreView) throws -> Value
    ) async throws -> Value {
        let policy = self.policy
        return try await self.database.read { try body(SQLiteTransaction(database: $0, policy: policy)) }
    }

    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) async throws -> Value {
        let policy = self.policy
        return try await self.database.write { try body(SQLiteTransaction(database: $0, policy: policy)) }
    }
}
