internal import DatabaseFaults
internal import Dispatch
internal import Rig
internal import Synchronization
internal import Testing
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsTestKit
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingServer

/// Faults of a real PostgreSQL: what was acknowledged is kept, and an unknown outcome is an error.
///
/// Each transaction adds a second to a time, so a transaction that is lost or happens twice changes the result.
@Suite(.timeLimit(.minutes(2)), .enabled(if: PostgreSQLServer.programs != nil, "\(PostgreSQLServer.absence)"))
struct PostgreSQLStoreTests {
    /// A store, and the rows of one sharer in it.
    private struct Bench: Sendable {
        let server: PostgreSQLServer
        let name: String
        let store: PostgreSQLStore
        let sharer: PublicIdentity
        let begin: WallTime

        init(_ server: PostgreSQLServer, socket: String? = nil, connections: Int = 1) async throws {
            let (url, name) = try server.address(socket: socket)
            self.server = server
            self.name = name
            self.store = try PostgreSQLStore(
                #require(try PostgreSQLAddress(url)),
                policy: SharingPolicy(),
                connections: connections
            )
            let bench = try RequestStoreBench(self.store)
            (self.sharer, self.begin) = (bench.sharer.publicIdentity, bench.now)
            // The connection is a new one afterwards: it prepares each statement again.
            try await self.store.transaction { [sharer, begin] in try $0.put(pushesPaidUntil: begin, of: sharer) }
            try self.terminate()
        }

        /// Ends the store's sessions, as an administrator does.
        func terminate() throws {
            try self.server.run(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(self.name)'"
            )
        }

        /// Waits until a session of the store waits for this kind of event.
        func waitForSession(waitingFor event: String) async throws {
            let sql = "FROM pg_stat_activity WHERE application_name = '\(self.name)' AND wait_event = '\(event)'"
            try await outsideThePool { while try self.server.run("SELECT count(*) \(sql)") == "0\n" {} }
        }

        /// Adds a second; `meanwhile` runs between the reads and the commit.
        func add(meanwhile: @escaping @Sendable () throws -> Void = {}) async throws {
            try await self.store.transaction(of: .sharer(self.sharer)) { [sharer] store in
                let time = try #require(try store.pushesPaidUntil(of: sharer))
                try meanwhile()
                try store.put(pushesPaidUntil: time.advanced(by: .seconds(1)), of: sharer)
            }
        }

        /// The number of seconds that were added.
        func sum() async throws -> Int {
            let time = try await self.store.read { [sharer] in try $0.pushesPaidUntil(of: sharer) }
            return Int(try self.begin.duration(to: #require(time)) / .seconds(1))
        }
    }

    @Test func aSessionThatEndsBeforeTheCommitIsReplaced() async throws {
        let bench = try await Bench(.ofThisProcess())
        let attempts = Mutex(0)
        try await bench.add {
            let attempt = attempts.withLock {
                $0 += 1; return $0
            }
            if attempt == 1 { try bench.terminate() }
        }
        #expect(attempts.withLock { $0 } == 2)
        #expect(try await bench.sum() == 1)
    }

    @Test func aSessionThatEndsWhileItWaitsForTheLockIsReplaced() async throws {
        let bench = try await Bench(.ofThisProcess(), connections: 2)
        let (locked, unlocked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Task {
            try await bench.add {
                locked.signal()
                unlocked.wait()
            }
        }
        try await outsideThePool { locked.wait() }
        let second = Task { try await bench.add() }
        try await bench.waitForSession(waitingFor: "advisory")
        try bench.server.run(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE application_name = '\(bench.name)' AND wait_event = 'advisory'
            """
        )
        try await bench.waitForSession(waitingFor: "advisory")
        unlocked.signal()
        try await first.value
        try await second.value
        #expect(try await bench.sum() == 2)
    }

    /// Goal: if the server's reply to a commit is lost, the client gets an error, never a success.
    @Test(arguments: [(PostgreSQLProxy.Fault.cutBeforeCommit, 0), (.cutAfterCommit, 1)])
    func aCutCommitIsUnknown(_ fault: PostgreSQLProxy.Fault, _ sum: Int) async throws {
        let server = try PostgreSQLServer.ofThisProcess()
        let proxy = try await PostgreSQLProxy(to: server.directory)
        let bench = try await Bench(server, socket: proxy.directory)
        proxy.set(fault)
        await #expect(throws: PostgreSQLError.outcomeUnknown) { try await bench.add() }
        #expect(try await bench.sum() == sum)
        try await bench.add()
        #expect(try await bench.sum() == sum + 1)
    }

    /// Goal: a commit that the standby may not have is not acknowledged.
    @Test func aCancelledWaitForTheStandbyIsUnknown() async throws {
        let bench = try await Bench(PostgreSQLServer())
        try bench.server.run("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
        try bench.server.run("SELECT pg_reload_conf()")
        let adding = Task { try await bench.add() }
        try await bench.waitForSession(waitingFor: "SyncRep")
        try bench.server.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        await #expect(throws: PostgreSQLError.outcomeUnknown) { try await adding.value }
        // The repeated request changes nothing, but is acknowledged only when the standby has stored the first one.
        let again = Task {
            try await bench.store.transaction(of: .sharer(bench.sharer)) { try $0.pushesPaidUntil(of: bench.sharer) }
        }
        try await bench.waitForSession(waitingFor: "SyncRep")
        try bench.server.run("ALTER SYSTEM RESET synchronous_standby_names")
        try bench.server.run("SELECT pg_reload_conf()")
        #expect(try await again.value == bench.begin.advanced(by: .seconds(1)))
    }

    @Test func aPoolerIsRefused() async throws {
        let server = try PostgreSQLServer.ofThisProcess()
        let proxy = try await PostgreSQLProxy(to: server.directory)
        proxy.set(.otherProcess)
        let address = try #require(try PostgreSQLAddress(server.address(socket: proxy.directory).url))
        let error = #expect(throws: SharingError.self) { try PostgreSQLStore(address, policy: SharingPolicy()) }
        #expect(error?.message.contains("pooler") == true)
    }

    /// Goal: whatever the settings of the role and the database, an acknowledged commit is on disk, and no time limit
    /// ends it.
    @Test func settingsThatWouldLoseCommitsAreOverruled() async throws {
        let server = try PostgreSQLServer.ofThisProcess()
        var (url, _) = try server.address()
        url += "%20-csynchronous_commit%3Doff%20-cstatement_timeout%3D1000%20-clock_timeout%3D1000"
        let connection = try PostgreSQLConnection(#require(try PostgreSQLAddress(url)))
        let names = ["synchronous_commit", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
        let values = try names.map { name in
            try connection.exchange([PostgreSQLStatement("SELECT current_setting('\(name)')")])[0][0].text(0)
        }
        #expect(values == ["on", "0", "0", "30s"])
    }

    @Test func aDatabaseOfAnotherProgramOrVersionIsRefused() async throws {
        let server = try PostgreSQLServer.ofThisProcess()
        func error(after sql: (String) -> [String]) throws -> String {
            let (url, name) = try server.address()
            let address = try #require(try PostgreSQLAddress(url))
            for sql in sql(name) {
                try server.run("SET search_path = \(name)\(sql)")
            }
            return try #require(
                #expect(throws: SharingError.self) { try PostgreSQLStore(address, policy: SharingPolicy()) }
            ).message
        }
        let table = "; CREATE TABLE whereabouts_format (owner BIGINT, version BIGINT)"
        #expect(try error { _ in ["; CREATE TABLE other (a INT)"] }.contains("another program"))
        #expect(
            try error { _ in [table, "; INSERT INTO whereabouts_format VALUES (\(0x5762_4777), 1)"] }
                .contains("whereabouts gateway")
        )
        #expect(
            try error { _ in [table, "; INSERT INTO whereabouts_format VALUES (\(0x5762_5368), 99)"] }
                .contains("version 99")
        )
    }

    /// Goal: servers that start at once with an empty database do not disturb each other.
    @Test func serversThatStartAtOnceCreateTheTablesOnce() async throws {
        let address = try #require(try PostgreSQLAddress(PostgreSQLServer.ofThisProcess().address().url))
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { _ = try PostgreSQLStore(address, policy: SharingPolicy(), connections: 1) }
            }
            try await group.waitForAll()
        }
    }

    /// Goal: data larger than the pipeline's buffers is transferred.
    @Test func largeRowsAreReadAndWritten() async throws {
        let bench = try await Bench(.ofThisProcess())
        let requests = try RequestStoreBench(bench.store)
        let answer = Array(repeating: UInt8(1), count: 2_000_000)
        let all = try (2..<12).map { try requests.request($0) }
        for request in all {
            try await requests.insert(request, at: 0)
            try await bench.store.transaction { try $0.put(answer: answer, to: request.value.id) }
        }
        let pending = try await bench.store.read { try $0.pending(for: requests.sharer.publicIdentity) }
        #expect(pending.map(\.answer) == all.map { _ in answer })
    }
}

/// Runs work that waits for other tasks, which need the threads of the cooperative pool.
private func outsideThePool(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "outside-the-pool").async { continuation.resume(with: Result { try work() }) }
    }
}
