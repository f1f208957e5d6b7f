internal import Rig
internal import Testing
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsTestKit
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingServer

/// Tests for the hints, the database ID and the pushes of servers with one PostgreSQL database.
@Suite(.timeLimit(.minutes(2)), .enabled(if: PostgreSQLServer.programs != nil, "\(PostgreSQLServer.absence)"))
struct PostgreSQLHintsTests {
    /// The store and the hints of one server, which is connected once this exists.
    private final class Node {
        let store: PostgreSQLStore
        private let hints: PostgreSQLHints

        init(_ url: String) async throws {
            let address = try #require(try PostgreSQLAddress(url))
            self.store = try PostgreSQLStore(address, policy: SharingPolicy(), connections: 1)
            self.hints = PostgreSQLHints(address, self.store.database, logger: LogCapture().logger)
            self.hints.start()
            #expect(await self.next() == .hintsMissed)
        }

        deinit { self.hints.stop() }

        func next() async -> SharingCore.Input? { await self.hints.inputs.first { _ in true } }

        func send(_ hint: NodeHint) { self.hints.send(hint) }
    }

    private let database: (url: String, name: String)
    private let server: PostgreSQLServer

    init() throws {
        self.server = try PostgreSQLServer.ofThisProcess()
        self.database = try self.server.address()
    }

    private func run(_ sql: String) throws { try self.server.run("SET search_path = \(self.database.name); \(sql)") }

    private func terminateSessions() throws {
        try self.run(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE application_name = '\(self.database.name)'
            """
        )
    }

    private func hint(_ number: UInt64) -> NodeHint { .changed(RequestID(high: 0, low: number)) }

    @Test func hintsReachTheOtherServersInOrder() async throws {
        let (first, second) = (try await Node(self.database.url), try await Node(self.database.url))
        for number in 0..<1000 { first.send(self.hint(UInt64(number))) }
        for number in 0..<1000 { #expect(await second.next() == .hinted(self.hint(UInt64(number)))) }
        let update = NodeHint.update(Array(repeating: 255, count: 4096), of: RequestID(high: 1, low: 1))
        second.send(update)
        // The first server does not receive its own hints.
        #expect(await first.next() == .hinted(update))
    }

    /// Goal: two installations in one PostgreSQL database do not disturb each other.
    @Test func hintsStayWithinTheirTables() async throws {
        let (first, second) = (try await Node(self.database.url), try await Node(self.database.url))
        let (url, _) = try self.server.address()
        let (other, neighbour) = (try await Node(url), try await Node(url))
        other.send(self.hint(1))
        #expect(await neighbour.next() == .hinted(self.hint(1)))
        first.send(self.hint(2))
        #expect(await second.next() == .hinted(self.hint(2)))
    }

    /// Goal: after a cut, a server reads for all that wait, and then gets hints again.
    @Test func aCutConnectionIsReplacedAndCountsAsMissedHints() async throws {
        let (first, second) = (try await Node(self.database.url), try await Node(self.database.url))
        try self.terminateSessions()
        #expect(await first.next() == .hintsMissed)
        #expect(await second.next() == .hintsMissed)
        first.send(self.hint(1))
        #expect(await second.next() == .hinted(self.hint(1)))
    }

    @Test func serversHaveTheIDThatTheFirstOneDrew() async throws {
        let (first, second) = (try await Node(self.database.url), try await Node(self.database.url))
        let drawn = first.store.database.value
        #expect(second.store.database.value == drawn)
        // A crash of PostgreSQL empties the table and ends all sessions.
        try self.run("TRUNCATE database_id")
        try self.terminateSessions()
        #expect(await first.next() == .hintsMissed)
        #expect(await second.next() == .hintsMissed)
        #expect(first.store.database.value != drawn && first.store.database.value == second.store.database.value)
        // A dump is restored to another place.
        try self.run("UPDATE database_id SET place = 'elsewhere'")
        #expect(try await Node(self.database.url).store.database.value != second.store.database.value)
    }

    /// Goal: of two servers that look at the same time, one takes each push.
    @Test func eachPushIsTakenByOneServer() async throws {
        let (first, second) = (try await Node(self.database.url), try await Node(self.database.url))
        let bench = try RequestStoreBench(first.store)
        let requests = try (UInt8(1)...40).map { try bench.request($0) }
        for request in requests { try await bench.insert(request, at: 0) }
        let (server, now) = (Server(policy: SharingPolicy()), bench.after(6))
        @Sendable func pushes(_ store: PostgreSQLStore) async throws -> [RequestID] {
            try await store.transaction(of: .due, surviving: .powerFailure) { try server.look($0, now: now).effects }
                .compactMap { if case .push(let id) = $0 { id } else { nil } }
        }
        let (a, b) = (first.store, second.store)
        var taken: [RequestID] = []
        for _ in 0..<20 where taken.count < requests.count {
            async let one = pushes(a)
            async let two = pushes(b)
            taken += try await one + two
        }
        #expect(taken.count == requests.count && Set(taken) == Set(requests.map(\.value.id)))
    }
}
