internal import Foundation
internal import GRDB
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsTestKit

@testable internal import WhereaboutsSharingServer

/// Properties of a store in a file alone; for the rest see `RequestStoreRule`.
struct SQLiteStoreTests {
    private let town: Town

    init() throws {
        self.town = try Town()
    }

    @Test func whatWasCommittedIsThereForAnotherNode() async throws {
        let path = self.town.path("store.sqlite")
        let bench = try RequestStoreBench(SQLiteStore(path: path, policy: SharingPolicy()))
        try await bench.register()
        let request = try bench.request(2)
        #expect(try await bench.admit(request) == .accept)
        #expect(try await bench.revoke(bench.revocation(1)) == .confirm)
        let again = try SQLiteStore(path: path, policy: SharingPolicy())
        let (id, sharer) = (request.value.id, bench.sharer.publicIdentity)
        let record = try #require(try await again.read { try $0.request(id) })
        #expect(try await bench.record(request) == record && record.request == request && record.answer == nil)
        #expect(try await again.read { try $0.pending(for: sharer).map(\.request) } == [request])
        #expect(try await again.read { try $0.registration(of: sharer)?.token } == [1])
        try await bench.answer(request, [4, 2])
        #expect(try await again.read { try $0.request(id)?.answer } == [4, 2])
        #expect(try await again.read { try $0.nextDeadline() } == nil)
    }

    /// Goal: a commit waits for the disk (2 is FULL), in a new file and in one that is opened again.
    @Test func eachCommitIsSynchronised() throws {
        for _ in 0..<2 {
            let store = try SQLiteStore(path: self.town.path("store.sqlite"), policy: SharingPolicy())
            let level = try store.database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            #expect(level == 2)
        }
    }

    /// Goal: a database that belongs to a gateway, or to another program, is said and not written to.
    ///
    /// Method: the migrations of gateways and servers have the same names, so that all of them seem done.
    @Test(arguments: [
        (["token", "push"], "a push gateway"), (["moz_places"], "another program"), (["device"], "another program"),
    ])
    func aForeignDatabaseIsNotTaken(_ tables: [String], _ words: String) throws {
        let path = self.town.path("store.sqlite")
        let names = ["1", "2", "3", "4", "5", "6", "7"]
        let database = try DatabaseQueue(path: path)
        try database.write { database in
            try database.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            for name in names { try database.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [name]) }
            for table in tables { try database.execute(sql: "CREATE TABLE \(table) (a)") }
        }
        try database.close()
        let error = #expect(throws: SharingError.self) { try SQLiteStore(path: path, policy: SharingPolicy()) }
        #expect(error?.message.contains("a database of \(words)") == true, "\(error?.message ?? "")")
        let again = try DatabaseQueue(path: path)
        let sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
        let found = try again.read { try String.fetchAll($0, sql: sql) }
        #expect(Set(found) == Set(tables + ["grdb_migrations"]))
        // One that has nothing of anybody's yet is new.
        try again.write { for table in tables { try $0.execute(sql: "DROP TABLE \(table)") } }
        try again.write { try $0.execute(sql: "DELETE FROM grdb_migrations") }
        try again.close()
        _ = try SQLiteStore(path: path, policy: SharingPolicy())
    }

    /// Goal: a file that another process holds for itself, and a database in memory, are refused in words.
    @Test func filesThatCannotBeUsedAreNamed() throws {
        let path = self.town.path("gateway.sqlite")
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let gateway = try DatabaseQueue(path: path, configuration: configuration)
        try gateway.write { try $0.execute(sql: "CREATE TABLE token (a); CREATE TABLE push (a)") }
        let held = #expect(throws: SharingError.self) { try SQLiteStore(path: path, policy: SharingPolicy()) }
        #expect(
            held?.message.contains("another process has it open for itself alone") == true,
            "\(held?.message ?? "")"
        )
        try gateway.close()
        let memory = #expect(throws: SharingError.self) { try SQLiteStore(path: ":memory:", policy: SharingPolicy()) }
        #expect(memory?.message.contains("give a file") == true)
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
    }

    /// Goal: going back to an earlier version says so, and loses nothing.
    @Test func aFileOfANewerServerIsLeftAsItIs() throws {
        let path = self.town.path("store.sqlite")
        _ = try SQLiteStore(path: path, policy: SharingPolicy())
        func contents() throws -> [Row] {
            let database = try DatabaseQueue(path: path)
            defer { try? database.close() }
            return try database.read {
                let sql = "SELECT sql FROM sqlite_master UNION ALL SELECT identifier FROM grdb_migrations"
                return try Row.fetchAll($0, sql: sql)
            }
        }
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('of a time to come')") }
        try database.close()
        let before = try contents()
        let error = #expect(throws: SharingError.self) { try SQLiteStore(path: path, policy: SharingPolicy()) }
        #expect(error?.message.contains("\(path) was written by a newer server") == true)
        #expect(try contents() == before && before.count > 5)
    }

    @Test func fileIsPrivateAndForeignFilesAreNamed() throws {
        let path = self.town.path("store.sqlite")
        _ = try SQLiteStore(path: path, policy: SharingPolicy())
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let foreign = self.town.path("foreign")
        try Data("no database, but long enough to be looked at".utf8).write(to: URL(filePath: foreign))
        let error = #expect(throws: SharingError.self) { try SQLiteStore(path: foreign, policy: SharingPolicy()) }
        #expect(error?.message.contains(foreign) == true)
    }
}
