internal import Foundation
internal import GRDB
internal import WhereaboutsDatabaseFiles
public import WhereaboutsPushEngine

/// A ``PushStore`` in one SQLite file.
///
/// It uses WAL with `synchronous=FULL`: each commit syncs the log, so that an accepted push survives a power failure, and
/// not only `kill -9`, for which NORMAL would suffice. The gateway commits in batches, which share the fsync. Changes that
/// need not survive a power failure use the next commit's fsync.
/// The file is locked: a second gateway with it would accept pushes for devices that are connected to the first.
///
/// The size is limited, and a part is reserved for pushes, so that tokens cannot fill the file (``PushEngine/Enrolment/hasRoom``).
public final class SQLitePushStore: PushStore {
    /// The maximum number of bytes of the file: about four million tokens, or a million pushes of the greatest size.
    public static let bytesMax = 4 << 30
    /// The fill level up to which new tokens are issued.
    static let tokensPart = 0.75
    /// Extra pages for other changes, and for one batch beyond the limit: at its own limit, SQLite undoes the whole
    /// transaction.
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
    ///   - bytesMax: the maximum number of bytes of the file; a file that is already larger is not shrunk.
    ///   - patience: how long to wait until the previous gateway releases the file.
    /// - Throws: ``GatewayError`` naming the file and the remedy.
    public init(path: String, bytesMax: Int = SQLitePushStore.bytesMax, patience: Duration = .zero) throws {
        self.path = path
        guard path != ":memory:" else {
            throw GatewayError(
                .badDatabase,
                "\(path): a database in memory would lose accepted data at a restart; give a file"
            )
        }
        var configuration = Configuration()
        configuration.label = "whereabouts push store"
        configuration.journalMode = .wal
        if patience > .zero { configuration.busyMode = .timeout(patience / .seconds(1)) }
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
            // Read the tables before setting the limit, so that this works even with a full file.
            try Self.format.prepare(self.database)
            (self.pagesMax, self.arrivals) = try self.database.write { database in
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                let pagesMax = max(1, bytesMax / page)
                try database.execute(sql: "PRAGMA max_page_count = \(max(pages, pagesMax) + Self.sparePages)")
                return (pagesMax, try ArrivalNumbers(database))
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            if let error = Self.error(ofOpenFile: path) { throw error }
            throw GatewayError(
                .badDatabase,
                "\(path): another process has it open; a push database belongs to one gateway, stop the other"
            )
        } catch let error as DatabaseFormatError {
            throw GatewayError(.badDatabase, "\(path): \(error)")
        } catch {
            throw GatewayError(
                .badDatabase,
                "\(path): cannot be opened as a database\(Self.cause(error)); give a gateway's database, or a new file in a directory "
                    + "that is there, and that this user may write"
            )
        }
    }

    /// Returns why a file that another process uses is not a gateway's database; nil if it is one, or cannot be read.
    private static func error(ofOpenFile path: String) -> GatewayError? {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try? DatabaseQueue(path: path, configuration: configuration)
        guard let error = (try? database?.read(self.format.error)) ?? nil else { return nil }
        return GatewayError(.badDatabase, "\(path): \(error)")
    }

    /// SQLite's message; other errors add nothing to the path.
    static func cause(_ error: any Error) -> String {
        (error as? DatabaseError)?.message.map { " (\($0))" } ?? ""
    }

    /// Closes the database, which must not be used afterwards.
    public func close() throws {
        try self.database.close()
    }

    /// The bytes of the database and of its log, which can be larger on a busy gateway; nil if they cannot be read.
    public var bytesCount: Int? {
        try? self.database.read { database in
            guard let pages = try Int.fetchOne(database, sql: "PRAGMA page_count"),
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size")
            else { return nil }
            return pages * page + self.logBytesCount
        }
    }

    /// Writes the database's first page unchanged; SQLite syncs it like any other page.
    public func tryWriting() throws {
        try self.database.write { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Runs changes as one transaction; see ``PushEngine/PushStore/transaction(surviving:_:)``.
    public func transaction(
        surviving loss: PushStoreLoss,
        _ body: (any PushStoreTransaction) throws -> Void
    ) throws {
        let room = SQLitePushTransaction.Room(
            tokens: Int(Double(self.pagesMax) * Self.tokensPart),
            pushes: self.pagesMax
        )
        do {
            try self.database.writeWithoutTransaction { database in
                try database.committing(waitingForDisk: loss == .powerFailure) {
                    try body(SQLitePushTransaction(database, room: room, tokens: self.tokens, arrivals: self.arrivals))
                }
            }
        } catch {
            self.tokens.forgetAll()
            throw error
        }
    }

    private var logBytesCount: Int {
        (try? FileManager.default.attributesOfItem(atPath: self.path + "-wal")[.size] as? Int) ?? 0
    }
}
