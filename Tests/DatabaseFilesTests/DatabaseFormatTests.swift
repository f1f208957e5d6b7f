internal import Foundation
internal import GRDB
internal import Testing
internal import WhereaboutsDatabaseFiles

struct DatabaseFormatTests {
    private static let format = DatabaseFormat(
        owner: .pushGateway,
        version: 2,
        tables: "CREATE TABLE kept (number INTEGER NOT NULL) STRICT; INSERT INTO kept VALUES (7);"
    )

    /// The content of a file before it is prepared.
    enum Content: String, CaseIterable {
        case nothing, ownVersion, olderVersion, newerVersion, otherOwner, unknownOwner, unmarkedTables, versionAlone

        var sql: String {
            switch self {
            case .nothing: ""
            case .ownVersion:
                Self.header(.pushGateway, version: 2) + "CREATE TABLE kept (number); INSERT INTO kept VALUES (8)"
            case .olderVersion: Self.header(.pushGateway, version: 1) + "CREATE TABLE kept (number)"
            case .newerVersion: Self.header(.pushGateway, version: 3) + "CREATE TABLE kept (number)"
            case .otherOwner: Self.header(.sharingServer, version: 2) + "CREATE TABLE kept (number)"
            case .unknownOwner: "PRAGMA application_id = 5"
            case .unmarkedTables: "CREATE TABLE kept (number)"
            case .versionAlone: "PRAGMA user_version = 2"
            }
        }

        var error: DatabaseFormatError? {
            switch self {
            case .nothing, .ownVersion: nil
            case .olderVersion: .otherVersion(1, expected: 2)
            case .newerVersion: .otherVersion(3, expected: 2)
            case .otherOwner: .otherOwner(.sharingServer)
            case .unknownOwner, .unmarkedTables, .versionAlone: .otherOwner(nil)
            }
        }

        private static func header(_ owner: DatabaseOwner, version: Int) -> String {
            "PRAGMA application_id = \(owner.rawValue); PRAGMA user_version = \(version); "
        }
    }

    /// Goal: only an empty file gets the tables.
    ///
    /// A refused file is not changed by a single byte.
    @Test(arguments: Content.allCases)
    func onlyAnEmptyFileGetsTheTables(_ content: Content) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "format-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "file.sqlite")
        var configuration = Configuration()
        configuration.journalMode = .wal
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        try database.write { try $0.execute(sql: content.sql) }
        let before = try database.read(Self.dump)
        var found: DatabaseFormatError?
        do throws(DatabaseFormatError) {
            try Self.prepare(database)
        } catch {
            found = error
        }
        #expect(found == content.error)
        let after = try database.read(Self.dump)
        if content == .nothing {
            #expect(try database.read { try Int.fetchOne($0, sql: "SELECT number FROM kept") } == 7)
            #expect(try database.read(Self.format.error) == nil)
            // The second opening finds its own tables.
            try Self.prepare(database)
            #expect(try database.read(Self.dump) == after)
        } else {
            #expect(after == before)
        }
        try database.close()
    }

    /// Goal: the error names the owner or the versions, and the remedy.
    @Test func errorsNameARemedy() {
        let other = DatabaseFormatError.otherOwner(.sharingServer).description
        #expect(
            other
                == "this is a database of a sharing server (whereabouts server). Name this program's own database, or a "
                + "new file"
        )
        let version = DatabaseFormatError.otherVersion(3, expected: 2).description
        #expect(
            version
                == "the tables have version 3, and this program reads version 2 only. Run the version of whereabouts "
                + "that wrote the file, or name a new file"
        )
    }

    private static func prepare(_ database: DatabaseQueue) throws(DatabaseFormatError) {
        do {
            try Self.format.prepare(database)
        } catch let error as DatabaseFormatError {
            throw error
        } catch {
            Issue.record(error)
        }
    }

    /// The header's two numbers and every table with its rows.
    private static func dump(_ database: Database) throws -> [String] {
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? -1
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? -1
        let tables = try String.fetchAll(database, sql: "SELECT sql FROM sqlite_master")
        let rows = tables.isEmpty ? [] : try Int.fetchAll(database, sql: "SELECT number FROM kept")
        return ["\(owner) \(version)"] + tables + rows.map(String.init)
    }
}
