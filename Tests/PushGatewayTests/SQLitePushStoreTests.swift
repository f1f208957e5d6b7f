internal import Foundation
internal import GRDB
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests for properties of a store in a file; `PushStoreRule` has the rest.
@Suite struct SQLitePushStoreTests {
    private static let device = DeviceKey(bytes: Array(repeating: 1, count: 32))

    private static func push(_ number: UInt8, topic: String) throws -> StoredPush {
        StoredPush(
            id: try #require(PushID(bytes: Array(repeating: number, count: 16))),
            topic: topic,
            payload: [number],
            priority: .powerConsiderate,
            expiration: .until(100),
            collapseID: nil
        )
    }

    /// A push that fills a page, for a separate topic.
    private static func largePush(_ number: Int) -> StoredPush {
        StoredPush(
            id: PushID(high: 1, low: UInt64(number)),
            topic: "t\(number)",
            payload: Array(repeating: 1, count: 1000),
            priority: .immediate,
            expiration: .until(100),
            collapseID: nil
        )
    }

    private static func token(_ number: Int) throws -> DeviceToken {
        try #require(DeviceToken(bytes: [UInt8(number)]))
    }

    private static func pushes(_ store: any PushStore) throws -> [StoredPush] {
        var pushes: [StoredPush] = []
        try store.transaction { pushes = try $0.pushes(of: Self.device) }
        return pushes
    }

    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    func open() throws -> SQLitePushStore { try SQLitePushStore(path: self.rig.path("store.sqlite")) }

    @Test func pushesAndTokensSurviveClosing() throws {
        let (first, second, third) = (
            try Self.push(1, topic: "a"), try Self.push(2, topic: "b"),
            try Self.push(3, topic: "a")
        )
        let record = TokenRecord(
            token: try Self.token(1),
            device: Self.device,
            topic: "a",
            usedAt: WallTime(seconds: 1)
        )
        var store = try self.open()
        try store.transaction { transaction in
            try transaction.put(first, for: Self.device)
            try transaction.put(second, for: Self.device)
            try transaction.insert(record)
        }
        try store.close()
        store = try self.open()
        #expect(try Self.pushes(store) == [first, second])
        try store.transaction { transaction in
            #expect(try transaction.record(of: record.token) == record)
            try transaction.put(third, for: Self.device)
            try transaction.removePush(second.id, of: Self.device)
        }
        try store.close()
        store = try self.open()
        #expect(try Self.pushes(store) == [third])
        try store.close()
    }

    /// Goal: a commit waits for the disk (2 is FULL), in a new file and in a reopened one.
    @Test func eachCommitIsSynchronised() throws {
        for _ in 0..<2 {
            let store = try self.open()
            #expect(try self.level(of: store) == 2)
            try store.close()
        }
    }

    /// Goal: only data that may be lost in a power failure does not wait for the disk (1 is NORMAL), also after an
    /// error.
    @Test func commitsAfterOneThatDidNotWaitAreSynchronised() throws {
        struct Failure: Error {}
        let store = try self.open()
        for fails in [false, true] {
            try? store.transaction(surviving: .crash) { transaction in
                let database = (transaction as? SQLitePushTransaction)?.database
                #expect(try database.map { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 1)
                if fails { throw Failure() }
            }
            #expect(try self.level(of: store) == 2)
        }
        try store.close()
    }

    private func level(of store: SQLitePushStore) throws -> Int? {
        try store.database.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }

    /// Goal: a file that is full of tokens has room for pushes, and a file that is full of both can be opened.
    @Test func aFullFileKeepsRoomForPushesAndOpensAgain() throws {
        let bytesMax = 256 * 1024
        var store = try SQLitePushStore(path: self.rig.path("store.sqlite"), bytesMax: bytesMax)
        var tokens = 0
        var pushes = 0
        try store.transaction { transaction in
            while try transaction.enrolment(of: Self.device).hasRoom {
                tokens += 1
                let bytes = [UInt8(tokens >> 8), UInt8(tokens & 0xFF)]
                try transaction.insert(
                    TokenRecord(
                        token: try #require(DeviceToken(bytes: bytes)),
                        device: Self.device,
                        topic: "t\(tokens)",
                        usedAt: WallTime(seconds: 1)
                    )
                )
            }
        }
        #expect(throws: (any Error).self) {
            while true {
                let push = Self.largePush(pushes)
                try store.transaction { try $0.put(push, for: Self.device) }
                pushes += 1
            }
        }
        #expect(tokens > 100 && pushes > 20)
        try store.close()
        store = try SQLitePushStore(path: self.rig.path("store.sqlite"), bytesMax: bytesMax)
        #expect(try Self.pushes(store).count == pushes)
        // Space becomes free as pushes expire.
        try store.transaction { try $0.removeExpired(now: WallTime(seconds: 100)) }
        try store.transaction { try $0.put(try Self.push(1, topic: "a"), for: Self.device) }
        try store.close()
    }

    /// Goal: a push without room fails alone; SQLite's own limit would undo the whole batch.
    @Test func aPushWithoutRoomFailsAlone() throws {
        let store = try SQLitePushStore(path: self.rig.path("store.sqlite"), bytesMax: 256 * 1024)
        var pushes = 0
        #expect(throws: (any Error).self) {
            while true {
                try store.transaction { try $0.put(Self.largePush(pushes), for: Self.device) }
                pushes += 1
            }
        }
        try store.transaction { transaction in
            let first = try #require(try transaction.pushes(of: Self.device).first)
            #expect(throws: (any Error).self) {
                try transaction.attempt { try transaction.put(Self.largePush(pushes), for: Self.device) }
            }
            try transaction.attempt { try transaction.removePush(first.id, of: Self.device) }
        }
        #expect(pushes > 20)
        #expect(try Self.pushes(store).count == pushes - 1)
        try store.close()
    }

    /// Goal: the error for another program's or version's database names it, and the file stays unchanged.
    @Test(arguments: [
        ("CREATE TABLE moz_places (a)", "a database of another program"),
        ("PRAGMA application_id = 1466061672", "a database of a sharing server"),
        ("PRAGMA application_id = 1466058615; PRAGMA user_version = 9", "the tables have version 9"),
    ])
    func aForeignDatabaseIsRefused(_ sql: String, _ words: String) throws {
        let path = self.rig.path("store.sqlite")
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: sql) }
        try database.close()
        let error = #expect(throws: GatewayError.self) { try self.open() }
        #expect(
            error?.message.hasPrefix(path) == true && error?.message.contains(words) == true,
            "\(error?.message ?? "")"
        )
        let again = try DatabaseQueue(path: path)
        let tables = "SELECT name FROM sqlite_master"
        #expect(
            try again.read { try String.fetchAll($0, sql: tables) } == (sql.hasPrefix("CREATE") ? ["moz_places"] : [])
        )
        try again.close()
    }

    /// Goal: the error for a running sharing server's database says so, and does not speak of another gateway.
    @Test func theDatabaseOfARunningServerIsSaidToBeThat() throws {
        let path = self.rig.path("server.sqlite")
        let server = try SQLiteStore(path: path, policy: SharingPolicy())
        let error = #expect(throws: GatewayError.self) { try SQLitePushStore(path: path) }
        #expect(error?.message.contains("a database of a sharing server") == true, "\(error?.message ?? "")")
        withExtendedLifetime(server) {}
        let own = try self.open()
        let twice = #expect(throws: GatewayError.self) { try self.open() }
        #expect(twice?.message.contains("another process has it open") == true, "\(twice?.message ?? "")")
        try own.close()
    }

    /// Goal: a gateway that starts while its predecessor stops takes over.
    @Test func theDatabaseOfAGatewayThatEndsIsWaitedFor() async throws {
        let own = try self.open()
        let path = self.rig.path("store.sqlite")
        let next = Task.detached { try SQLitePushStore(path: path, patience: .seconds(60)) }
        try own.close()
        try await next.value.close()
    }

    /// Goal: a database in memory is refused, and no file with that name is created.
    @Test func aDatabaseInMemoryIsRefused() throws {
        let error = #expect(throws: GatewayError.self) { try SQLitePushStore(path: ":memory:") }
        #expect(error?.message == ":memory:: a database in memory would lose accepted data at a restart; give a file")
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
    }

    /// Goal: a push that reuses the previous one's row is still the last of its device, now and after reopening.
    @Test func aReplacementIsTheLast() throws {
        var store = try self.open()
        let topics = ["a", "b", "c"]
        func put(_ number: UInt8, _ topic: String) throws {
            let push = try Self.push(number, topic: topic)
            try store.transaction { transaction in
                try transaction.attempt { try transaction.put(push, for: Self.device) }
            }
        }
        func order() throws -> [String] { try Self.pushes(store).map(\.topic) }
        for (index, topic) in topics.enumerated() { try put(UInt8(index), topic) }
        try put(10, "a")
        #expect(try order() == ["b", "c", "a"])
        try store.close()
        store = try self.open()
        try put(11, "b")
        #expect(try order() == ["c", "a", "b"])
        try store.close()
        store = try self.open()
        try put(12, "d")
        try put(13, "c")
        #expect(try order() == ["a", "b", "d", "c"])
        #expect(try Self.pushes(store).map(\.payload) == [[10], [11], [12], [13]])
        try store.close()
    }

    /// Goal: a replacement from another hour expires at its own time.
    @Test func aReplacementExpiresInItsOwnTime() throws {
        let store = try self.open()
        func put(expires: Int64) throws {
            let push = StoredPush(
                id: PushID(high: 0, low: UInt64(expires)),
                topic: "a",
                payload: [1],
                priority: .immediate,
                expiration: .until(expires),
                collapseID: nil
            )
            try store.transaction { try $0.put(push, for: Self.device) }
        }
        func isThere(after seconds: Int64) throws -> Bool {
            try store.transaction { try $0.removeExpired(now: WallTime(seconds: seconds)) }
            return try !Self.pushes(store).isEmpty
        }
        try put(expires: 100)
        try put(expires: 9000)
        #expect(try isThere(after: 8999))
        try put(expires: 7300)
        try put(expires: 7301)
        #expect(try isThere(after: 7300))
        #expect(try !isThere(after: 7301))
        try store.close()
    }

    /// Goal: a failed attempt leaves no changes, whether it wrote once, twice, or read what it wrote.
    @Test func anAttemptThatFailsLeavesNothing() throws {
        struct Failure: Error {}
        let store = try self.open()
        let (first, second) = (try Self.push(1, topic: "a"), try Self.push(2, topic: "b"))
        try store.transaction { try $0.put(first, for: Self.device) }
        let attempts: [(any PushStoreTransaction) throws -> Void] = [
            { try $0.removePush(first.id, of: Self.device) },
            {
                try $0.removePush(first.id, of: Self.device)
                try $0.put(second, for: Self.device)
            },
            {
                try $0.removePush(first.id, of: Self.device)
                if try !$0.pushes(of: Self.device).isEmpty { Issue.record("an attempt sees what it wrote") }
            },
        ]
        for attempt in attempts {
            var hasFailed = false
            try store.transaction { transaction in
                do {
                    try transaction.attempt {
                        try attempt(transaction)
                        throw Failure()
                    }
                } catch is Failure {
                    hasFailed = true
                }
            }
            #expect(hasFailed)
            #expect(try Self.pushes(store) == [first])
        }
        try store.transaction { transaction in
            try transaction.attempt { try transaction.put(second, for: Self.device) }
        }
        #expect(try Self.pushes(store) == [first, second])
        try store.close()
    }

    @Test func theFileIsItsOwnersAlone() throws {
        let store = try self.open()
        let attributes = try FileManager.default.attributesOfItem(atPath: self.rig.path("store.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try store.close()
    }

    @Test func aSecondGatewayIsRefused() throws {
        let store = try self.open()
        let error = #expect(throws: GatewayError.self) { try self.open() }
        #expect(error?.message.contains("another process") == true)
        try store.close()
    }
}
