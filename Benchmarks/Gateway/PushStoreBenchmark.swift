internal import Foundation
internal import Rig
internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsVocabulary

extension Benchmark {
    /// Batches of pushes of 1 KB that the gateway stores in PostgreSQL, beside pgbench.
    ///
    /// *batches*: pushes a second, in batches of 512 for 5,120 devices. Each push replaces the one before.
    static let pushStore = Benchmark(name: "push-store") {
        guard PostgreSQLServer.programs != nil else { throw NotMeasured(reason: PostgreSQLServer.absence) }
        let load = try PushStoreLoad()
        // The first round inserts and writes whole pages; the others take turns, because the disk's speed changes.
        _ = (try load.pushesASecond(), try load.pgbenchPushesASecond())
        let rounds = try (0..<5).map { _ in (try load.pushesASecond(), try load.pgbenchPushesASecond()) }
        let (pushes, reference) = (rounds.map(\.0).quantile(0.5), rounds.map(\.1).quantile(0.5))
        return [
            Figure(
                name: "batches",
                value: pushes,
                unit: "pushes/s",
                ratio: pushes / reference,
                reference: "the same writes by pgbench, whose server makes up the rows"
            )
        ]
    }
}

private struct PushStoreLoad {
    private static let batchSize = 512
    private static let devicesCount = 5120
    private static let batchesCount = 100

    private let server: PostgreSQLServer
    private let programs: String
    private let schema: String
    private let store: PostgreSQLPushStore
    private let now = WallTime(seconds: 1_800_000_000)

    init() throws {
        guard let programs = PostgreSQLServer.programs else { throw NotMeasured(reason: PostgreSQLServer.absence) }
        self.programs = programs
        self.server = try PostgreSQLServer()
        let (url, schema) = try self.server.address()
        guard let address = try PostgreSQLAddress(url) else { throw Self.failure("no address") }
        self.schema = schema
        self.store = try PostgreSQLPushStore(address)
        try self.store.transaction { transaction in
            for number in 0..<Self.devicesCount {
                let record = TokenRecord(
                    token: try Self.token(number),
                    device: DeviceKey(bytes: try Self.token(number).bytes),
                    topic: "org.example.FindFriends.location-query",
                    usedAt: self.now,
                    isPushed: true
                )
                try transaction.insert(record)
            }
        }
        try self.server.run("ANALYZE \(self.schema).token")
    }

    private static func token(_ number: Int) throws -> DeviceToken {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        guard let token = DeviceToken(bytes: Array(repeating: 0, count: 28) + bytes) else {
            throw Self.failure("no token")
        }
        return token
    }

    private static func failure(_ reason: String) -> Command.Failure { Command.Failure(description: reason) }

    /// Reads and writes as the gateway does for a batch of pushes.
    func pushesASecond() throws -> Double {
        let payload = Array(repeating: UInt8(ascii: "a"), count: 1024)
        var random = SystemRandomNumberGenerator()
        func store(_ batch: Int) throws {
            let tokens = try (0..<Self.batchSize).map { place in
                try Self.token((batch * Self.batchSize + place) % Self.devicesCount)
            }
            try self.store.transaction { transaction in
                try transaction.prefetch(tokens.map { .token($0) })
                for token in tokens {
                    try transaction.attempt {
                        guard let record = try transaction.record(of: token) else { throw Self.failure("no token") }
                        let push = StoredPush(
                            id: PushID(using: &random),
                            topic: record.topic,
                            payload: payload,
                            priority: .immediate,
                            expiration: .until(self.now.seconds + 600),
                            collapseID: nil
                        )
                        try transaction.put(push, for: record.device)
                    }
                }
            }
        }
        let elapsed = try ContinuousClock().measure {
            for batch in 0..<Self.batchesCount { try store(batch) }
        }
        return Double(Self.batchesCount * Self.batchSize) / (elapsed / .seconds(1))
    }

    /// Has pgbench replace the same rows in transactions of the same size.
    func pgbenchPushesASecond() throws -> Double {
        let script = """
            \\set first random(0, \(Self.devicesCount / Self.batchSize - 1)) * \(Self.batchSize)
            BEGIN;
            INSERT INTO \(self.schema).push (device, topic, arrival, id, payload, priority, expires, hour, collapse_id)
            SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), 'org.example.FindFriends.location-query', :client_id * 1000000 + n,
                decode(md5(random()::text), 'hex'), decode(repeat('61', 1024), 'hex'), 10, \(self.now.seconds + 600),
                \((self.now.seconds + 600) / 3600), NULL
            FROM generate_series(:first, :first + \(Self.batchSize - 1)) AS n
            ON CONFLICT (device, topic) DO UPDATE SET arrival = excluded.arrival, id = excluded.id,
                payload = excluded.payload, priority = excluded.priority, expires = excluded.expires, hour = excluded.hour,
                collapse_id = excluded.collapse_id;
            COMMIT;

            """
        let file = FileManager.default.temporaryDirectory.appending(path: "push-store-\(UUID().uuidString).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        try script.write(to: file, atomically: true, encoding: .utf8)
        let output = try Command.output(
            "\(self.programs)/pgbench",
            [
                "-n", "-M", "prepared", "-c", "1", "-t", "\(Self.batchesCount)", "-f", file.path(percentEncoded: false),
                "-h", self.server.directory, "-U", "rig", "postgres",
            ]
        )
        guard let found = output.firstMatch(of: /tps = ([0-9.]+)/), let rate = Double(found.output.1) else {
            throw Self.failure("pgbench printed no rate: \(output)")
        }
        return rate * Double(Self.batchSize)
    }
}
