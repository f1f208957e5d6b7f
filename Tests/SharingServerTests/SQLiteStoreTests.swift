internal import Foundation
internal import GRDB
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsTestKit

@testable internal import WhereaboutsSharingServer

/// Tests for properties of a store in a file; `RequestStoreRule` has the rest.
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

    /// Goal: a restarted server shows how often a link was used.
    @Test func usesOfALinkSurviveARestart() async throws {
        let path = self.town.path("store.sqlite")
        let store = try SQLiteStore(path: path, policy: SharingPolicy())
        let bench = try RequestStoreBench(store)
        let grant = try bench.grant().value
        let link = LinkedGrant(
            address: LinkAddress(high: 0, low: 1),
            sharer: grant.sharer,
            grant: grant.id,
            notAfter: grant.notAfter,
            sealed: Array(repeating: 1, count: LinkedGrant.sealedByteCount)
        )
        try await store.transaction { store in
            try store.put(link)
            for _ in 0..<3 { try store.countUse(of: grant) }
        }
        try store.database.close()
        let again = try SQLiteStore(path: path, policy: SharingPolicy())
        #expect(try await again.read { try $0.useCount(of: link.address) } == 3)
    }

    /// Goal: a commit waits for the disk (2 is FULL), in a new file and in a reopened one.
    @Test func eachCommitIsSynchronised() throws {
        for _ in 0..<2 {
            let store = try SQLiteStore(path: self.town.path("store.sqlite"), policy: SharingPolicy())
            let level = try store.database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            #expect(level == 2)
        }
    }

    /// Goal: only data that may be lost in a power failure does not wait for the disk (1 is NORMAL), also after an
    /// error.
    @Test func commitsAfterOneThatDidNotWaitAreSynchronised() async throws {
        struct Failure: Error {}
        let store = try SQLiteStore(path: self.town.path("store.sqlite"), policy: SharingPolicy())
        @Sendable func level(_ transaction: any RequestStoreTransaction) throws -> Int? {
            let database = (transaction as? SQLiteTransaction)?.database
            return try database.flatMap { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
        for fails in [false, true] {
            try? await store.transaction(of: .due, surviving: .crash) { transaction in
                #expect(try level(transaction) == 1)
                if fails { throw Failure() }
            }
            #expect(try await store.transaction { try level($0) } == 2)
        }
    }

    /// Goal: the server may forget that a push was accepted, and then sends it again.
    ///
    /// It never forgets a rejection or a promise.
    @Test func onlyAnAcceptedPushMayBeForgotten() throws {
        let (id, sharer) = (RequestID(high: 0, low: 1), try Identity().publicIdentity)
        #expect(SharingCore.Change.pushEnded(id, of: sharer, nil, nil).mustSurvive == .crash)
        #expect(SharingCore.Change.pushEnded(id, of: sharer, nil, .unregistered).mustSurvive == .powerFailure)
        #expect(SharingCore.Change.look.mustSurvive == .powerFailure)
    }

    /// Goal: the error for another program's or version's database names it, and the file stays unchanged.
    @Test(arguments: [
        ("CREATE TABLE moz_places (a)", "a database of another program"),
        ("PRAGMA application_id = 1466058615", "a database of a push gateway"),
        ("PRAGMA application_id = 1466061672; PRAGMA user_version = 9", "the tables have version 9"),
    ])
    func aForeignDatabaseIsRefused(_ sql: String, _ words: String) throws {
        let path = self.town.path("store.sqlite")
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: sql) }
        try database.close()
        let error = #expect(throws: SharingError.self) { try SQLiteStore(path: path, policy: SharingPolicy()) }
        #expect(
            error?.message.hasPrefix(path) == true && error?.message.contains(words) == true,
            "\(error?.message ?? "")"
        )
        let again = try DatabaseQueue(path: path)
        let tables = "SELECT name FROM sqlite_master"
        #expect(
            try again.read { try String.fetchAll($0, sql: tables) } == (sql.hasPrefix("CREATE") ? ["moz_places"] : [])
        )
    }

    /// Goal: a file that another process has locked, and a database in memory, are refused with a message.
    @Test func filesThatCannotBeUsedAreNamed() throws {
        let path = self.town.path("gateway.sqlite")
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let gateway = try DatabaseQueue(path: path, configuration: configuration)
        try gateway.write { try $0.execute(sql: "CREATE TABLE token (a); CREATE TABLE push (a)") }
        let held = #expect(throws: SharingError.self) { try SQLiteStore(path: path, policy: SharingPolicy()) }
        #expect(
            held?.message.contains("another process has it open exclusively") == true,
            "\(held?.message ?? "")"
        )
        try gateway.close()
        let memory = #expect(throws: SharingError.self) { try SQLiteStore(path: ":memory:", policy: SharingPolicy()) }
        #expect(memory?.message.contains("give a file") == true)
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
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
