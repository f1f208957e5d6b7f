internal import Crypto
internal import DatabaseFaults
internal import Rig
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine
@testable internal import WhereaboutsPushGateway

/// Tests for faults of a real PostgreSQL, and for properties of its store; `PushStoreRule` has the rest.
@Suite(.timeLimit(.minutes(2)), .enabled(if: PostgreSQLServer.programs != nil, "\(PostgreSQLServer.absence)"))
struct PostgreSQLPushStoreTests {
    /// A store with a device's token, and the gateway's engine.
    private final class Bench {
        let server: PostgreSQLServer
        let name: String
        let address: PostgreSQLAddress
        let store: PostgreSQLPushStore
        private var gateway = Gateway()
        private var random = SeededGenerator(seed: 1)
        let now = WallTime(seconds: 1000)

        init(_ server: PostgreSQLServer, socket: String? = nil) throws {
            let (url, name) = try server.address(socket: socket)
            (self.server, self.name) = (server, name)
            self.address = try #require(try PostgreSQLAddress(url))
            self.store = try PostgreSQLPushStore(self.address)
            try self.add(tokens: [1])
        }

        static func device(_ number: Int) -> DeviceKey {
            DeviceKey(bytes: (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
        }

        static func token(_ number: Int) throws -> DeviceToken {
            try #require(DeviceToken(bytes: Self.device(number).bytes))
        }

        /// Registers each token for a separate device.
        func add(tokens: [Int]) throws {
            try self.store.transaction { transaction in
                for number in tokens {
                    let token = try Self.token(number)
                    let record = TokenRecord(token: token, device: Self.device(number), topic: "t", usedAt: self.now)
                    try transaction.insert(record)
                }
            }
        }

        func push(_ number: Int = 1, payload: [UInt8] = [1]) throws -> Gateway.Input {
            let push = ValidPush(
                id: "id",
                token: try Self.token(number),
                topic: "t",
                payload: payload,
                priority: .immediate,
                expiration: .until(2000),
                collapseID: nil
            )
            return .pushReceived(push, ticket: UInt64(number))
        }

        /// Handles inputs as the gateway does; `meanwhile` runs between the decisions and the commit.
        @discardableResult
        func handle(
            _ inputs: [Gateway.Input],
            meanwhile: () throws -> Void = {}
        ) throws -> [Gateway.Output] {
            var outputs: [Gateway.Output] = []
            let now = Now(monotonic: EngineInstant(sinceStart: .seconds(1)), wall: self.now)
            try self.store.transaction(surviving: inputs.map(\.mustSurvive).max() ?? .crash) { transaction in
                try transaction.prefetch(inputs.flatMap { self.gateway.reads(of: $0, now: self.now) })
                for input in inputs {
                    try transaction.attempt {
                        outputs += try self.gateway.handle(input, transaction, random: &self.random, now: now)
                    }
                }
                try meanwhile()
            }
            self.gateway.committed()
            return outputs
        }

        /// Returns how many round trips the work takes.
        func roundTrips(_ work: () throws -> Void) rethrows -> Int {
            let before = self.store.session.roundTripsCount
            try work()
            return self.store.session.roundTripsCount - before
        }

        /// The payloads of the pushes that wait for the device, read by another connection.
        func waiting() throws -> String {
            let schema = "SET search_path = \(self.name)"
            return try self.server.run("\(schema); SELECT encode(payload, 'hex') FROM push ORDER BY arrival")
        }

        /// Ends the store's sessions, as an administrator does.
        func terminate() throws {
            try self.server.run(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(self.name)'"
            )
        }
    }

    /// Goal: over a network, a large batch takes as long as a small one.
    @Test func aBatchOfAnySizeTakesTwoRoundTrips() throws {
        let bench = try Bench(.ofThisProcess())
        try bench.add(tokens: Array(2...500))
        for count in [1, 500, 500] {
            let inputs = try (1...count).map { try bench.push($0, payload: Array(repeating: 1, count: 2000)) }
            var outputs: [Gateway.Output] = []
            #expect(try bench.roundTrips { outputs = try bench.handle(inputs) } == 2)
            #expect(outputs.count { if case .reply(_, nil) = $0 { true } else { false } } == count)
        }
        let links = (1...60).map { number in
            Gateway.Input.linkOpened(LinkID(UInt64(number)), Bench.device(number), AddressBlock([127, 0, 0, 1]))
        }
        // This batch changes nothing.
        #expect(try bench.roundTrips { try bench.handle(links) } == 1)
        var delivered: [PushID] = []
        let enabled = (1...60).map { number in
            Gateway.Input.requested(.enableTopics(["t"]), LinkID(UInt64(number)), Bench.device(number))
        }
        for case .deliver(let push, _) in try bench.handle(enabled) { delivered.append(push.id) }
        #expect(delivered.count == 60)
        let acknowledged = zip(1...60, delivered).map { number, id in
            Gateway.Input.requested(
                .acknowledge(id: id.bytes),
                LinkID(UInt64(number)),
                Bench.device(number)
            )
        }
        // An acknowledgement needs no read.
        #expect(try bench.roundTrips { try bench.handle(acknowledged) } == 1)
        #expect(try bench.waiting().split(separator: "\n").count == 440)
    }

    @Test func aSessionThatEndsBeforeItsCommitIsReplaced() throws {
        let bench = try Bench(.ofThisProcess())
        try bench.terminate()
        // The first session ended between two batches; this one ends between the reads and the commit.
        try bench.handle([bench.push()]) { try bench.terminate() }
        #expect(try bench.waiting() == "01\n")
        try bench.handle([bench.push(payload: [2])])
        #expect(try bench.waiting() == "02\n")
    }

    @Test func aTransactionWhoseChangesWereSentEndsWithItsSession() throws {
        let bench = try Bench(.ofThisProcess())
        #expect(throws: PostgreSQLError.self) {
            try bench.store.transaction { transaction in
                try transaction.unregister(topic: "t", of: Bench.device(1), at: bench.now)
                // This session must see the change, so it is sent.
                #expect(try transaction.devices(after: nil, limit: 9) == [])
                try bench.terminate()
            }
        }
        var devices: [DeviceKey] = []
        try bench.store.transaction { devices = try $0.devices(after: nil, limit: 9) }
        #expect(devices == [Bench.device(1)])
    }

    /// Goal: a provider whose push may be lost gets an error, and repeats it.
    @Test(arguments: [(PostgreSQLProxy.Fault.cutBeforeCommit, ""), (.cutAfterCommit, "01\n")])
    func aCutCommitIsUnknown(_ fault: PostgreSQLProxy.Fault, _ waiting: String) async throws {
        let server = try PostgreSQLServer.ofThisProcess()
        let proxy = try await PostgreSQLProxy(to: server.directory)
        let bench = try Bench(server, socket: proxy.directory)
        proxy.set(fault)
        #expect(throws: PostgreSQLError.outcomeUnknown) { try bench.handle([bench.push()]) }
        try bench.store.transaction { _ = try $0.pushes(of: Bench.device(1)) }
        #expect(try bench.waiting() == waiting)
        try bench.handle([bench.push(payload: [2])])
        #expect(try bench.waiting() == "02\n")
    }

    /// Goal: a push is accepted, and a session begins, only after the standby has stored it.
    @Test func aCancelledWaitForTheStandbyIsUnknown() throws {
        let bench = try Bench(PostgreSQLServer())
        try bench.handle([bench.push()])
        // The role's setting waits for no standby, so only the gateway's does.
        try bench.server.run("ALTER ROLE rig SET synchronous_commit = local")
        try bench.server.run("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
        try bench.server.run("SELECT pg_reload_conf()")
        let canceller = try bench.server.running(
            """
            DO $$ BEGIN
                WHILE (
                    SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
                ) = 0 LOOP
                    PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
                END LOOP;
            END $$
            """
        )
        // PostgreSQL's checkpointer puts the setting into effect, some time after the reload.
        #expect(throws: PostgreSQLError.outcomeUnknown) {
            for _ in 0..<1000 { try bench.handle([bench.push(payload: [2])]) }
        }
        _ = try canceller()
        try bench.server.run("ALTER SYSTEM RESET synchronous_standby_names")
        try bench.server.run("SELECT pg_reload_conf()")
        try bench.handle([bench.push(payload: [3])])
        #expect(try bench.waiting() == "03\n")
    }

    @Test func aDatabaseBelongsToOneGateway() throws {
        let bench = try Bench(.ofThisProcess())
        let early = #expect(throws: GatewayError.self) { try PostgreSQLPushStore(bench.address) }
        #expect(early?.message.contains("another gateway is using it") == true)
        bench.store.close()
        let second = try PostgreSQLPushStore(bench.address, patience: .seconds(30))
        // The first gateway cannot return while the second one runs, or later, because its memory is out of date.
        #expect(throws: PostgreSQLError.self) { try bench.handle([bench.push()]) }
        second.close()
        try bench.server.waitUntil(
            "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = '\(bench.name)'"
        )
        let refused = #expect(throws: PostgreSQLError.self) {
            while true {
                do {
                    try bench.store.tryWriting()
                    return
                } catch PostgreSQLError.unusable(let reason) where reason.contains("lost session") {}
            }
        }
        #expect(refused?.reason.contains("Restart this gateway") == true)
        #expect(try bench.waiting() == "")
    }

    @Test func aPoolerAndAnotherProgramsDatabaseAreRefused() async throws {
        let server = try PostgreSQLServer.ofThisProcess()
        let proxy = try await PostgreSQLProxy(to: server.directory)
        proxy.set(.otherProcess)
        func error(_ url: String) throws -> String {
            let address = try #require(try PostgreSQLAddress(url))
            return try #require(#expect(throws: GatewayError.self) { try PostgreSQLPushStore(address) }).message
        }
        #expect(try error(server.address(socket: proxy.directory).url).contains("pooler"))
        let (url, name) = try server.address()
        let table = "CREATE TABLE whereabouts_format (owner BIGINT, version BIGINT)"
        let owner = DatabaseOwner.sharingServer.rawValue
        try server.run("SET search_path = \(name); \(table); INSERT INTO whereabouts_format VALUES (\(owner), 1)")
        #expect(try error(url).contains("whereabouts server"))
    }

    /// Goal: a full database rejects pushes and tokens one by one, and accepts changes that free space.
    @Test func aFullDatabaseRefusesPushesAndTokens() throws {
        let bench = try Bench(.ofThisProcess())
        try bench.handle([bench.push()])
        bench.store.close()
        let store = try PostgreSQLPushStore(bench.address, rowsMax: 0, patience: .seconds(30))
        try store.transaction { transaction in
            #expect(try !transaction.enrolment(of: Bench.device(1)).hasRoom)
            let push = try #require(try transaction.pushes(of: Bench.device(1)).first)
            #expect(throws: PostgreSQLError.self) {
                try transaction.attempt { try transaction.put(push, for: Bench.device(2)) }
            }
            try transaction.removePush(push.id, of: Bench.device(1))
        }
        #expect(try bench.waiting() == "")
        store.close()
    }

    @Test func keysOfProvidersAreKept() throws {
        let bench = try Bench(.ofThisProcess())
        func key(_ team: String, _ id: String, _ scope: TopicScope, _ relayed: Int?) -> ProviderKey {
            let publicKey = P256.Signing.PrivateKey().publicKey
            return ProviderKey(teamID: team, keyID: id, publicKey: publicKey, scope: scope, relayedADay: relayed)
        }
        let keys = [
            key("TEAMTEAM01", "KEYKEYKEY1", .all, nil), key("TEAMTEAM01", "KEYKEYKEY2", .apps(["a", "b"]), 7),
            key("TEAMTEAM02", "KEYKEYKEY1", .apps(["c"]), nil),
        ]
        for key in keys.reversed() { try bench.store.put(key) }
        func kept() throws -> [String] {
            try bench.store.providerKeys().map { kept in
                let given = keys.first { $0.name == kept.name }?.publicKey.rawRepresentation
                return "\(kept.name) \(kept.publicKey.rawRepresentation == given) \(kept.apps) \(kept.relayedADay ?? 0)"
            }
        }
        #expect(
            try kept() == [
                "TEAMTEAM01:KEYKEYKEY1 true [] 0", #"TEAMTEAM01:KEYKEYKEY2 true ["a", "b"] 7"#,
                #"TEAMTEAM02:KEYKEYKEY1 true ["c"] 0"#,
            ]
        )
        #expect(try bench.store.removeProviderKeys(teamID: "TEAMTEAM02", keyID: "KEYKEYKEY1"))
        #expect(try !bench.store.removeProviderKeys(teamID: "TEAMTEAM02", keyID: nil))
        try bench.store.put(key("TEAMTEAM01", "KEYKEYKEY2", .all, nil))
        #expect(try bench.store.providerKeys().map(\.relayedADay) == [nil, nil])
        #expect(try bench.store.removeProviderKeys(teamID: "TEAMTEAM01", keyID: nil))
        #expect(try bench.store.providerKeys().isEmpty)
    }

    /// Goal: a gateway whose session was ended accepts the next push on another one.
    @Test func aPushReachesTheDevice() async throws {
        let rig = try GatewayRig()
        let server = try PostgreSQLServer.ofThisProcess()
        let (url, name) = try server.address()
        try await rig.withGateway(database: PostgreSQLAddress(url)) { gateway in
            let device = try rig.device(gateway, key: Curve25519.Signing.PrivateKey())
            let provider = try rig.provider(gateway)
            let token = try await device.register()
            for number in 1...2 {
                _ = try await provider.send(rig.push(token, payload: #"{"request":\#(number)}"#)).get()
                #expect(try await device.push().payload == Array(#"{"request":\#(number)}"#.utf8))
                try server.run(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(name)'"
                )
            }
            #expect(gateway.isReady)
            try await device.disconnect()
            await provider.shutdown()
        }
    }
}
