internal import CoreMetrics
internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Rig
internal import Synchronization
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsCertificates
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// A directory with a certificate authority and keys, and the gateway, clients and devices made from them.
final class GatewayRig: Sendable {
    static let group = MultiThreadedEventLoopGroup.singleton
    static let bundle = "org.example.FindFriends"
    static let topic = "org.example.FindFriends.location-query"
    static let teamID = "TEAMTEAM01"
    static let keyID = "KEYKEYKEY1"

    let directory: URL
    let key = P256.Signing.PrivateKey()
    /// The number of seconds by which the gateway's clock is ahead.
    private let clockOffset = Mutex<Int64>(0)

    init() throws {
        self.directory = FileManager.default.temporaryDirectory.appending(path: "push-gateway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        let tls = try LoopbackCertificate()
        try tls.authorityPEM.write(to: self.directory.appending(path: "ca.pem"), atomically: true, encoding: .utf8)
        try tls.certificatePEM.write(to: self.directory.appending(path: "tls.pem"), atomically: true, encoding: .utf8)
        try tls.keyPEM.write(to: self.directory.appending(path: "tls.key"), atomically: true, encoding: .utf8)
        try self.key.pemRepresentation.write(
            to: self.directory.appending(path: "key.p8"),
            atomically: true,
            encoding: .utf8
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: self.directory)
    }

    func path(_ name: String) -> String { self.directory.appending(path: name).path(percentEncoded: false) }

    func advanceClock(seconds: Int64) {
        self.clockOffset.withLock { $0 += seconds }
    }

    /// The time by the gateway's clock.
    var clock: WallTime {
        let seconds = self.clockOffset.withLock { $0 }
        return WallTime(milliseconds: PushGateway.systemTime().milliseconds + seconds * 1000)
    }

    private static let portsDrawn = Atomic(0)

    /// A free port that the system assigns to no client while its listener is away.
    ///
    /// The system's ports for clients begin at 32768 (ip(7), `ip_local_port_range`). A device that reconnects to such a
    /// port on loopback might be assigned that very port, connect to itself, and block the listener.
    static func portBelowClients() async throws -> Int {
        let first = 20_000 + Int(ProcessInfo.processInfo.processIdentifier) % 10_000
        for _ in 0..<100 {
            // Each port is returned once: tests run concurrently, and two would find the same one free.
            let port = first + Self.portsDrawn.add(1, ordering: .relaxed).oldValue
            let bootstrap = ServerBootstrap(group: Self.group)
            if let listener = try? await bootstrap.bind(host: "127.0.0.1", port: port).get() {
                try await listener.close()
                return port
            }
        }
        throw RigError("a port", "none of a hundred from \(first) is free")
    }

    func withGateway<Value>(
        port: Int = 0,
        apps: String = "",
        isStrict: Bool = false,
        providerConnectionsMax: Int? = nil,
        deviceConnectionsMax: Int? = nil,
        relay: APNSClient.Configuration? = nil,
        relayTimeout: Duration = .seconds(60),
        logger: Logger = GatewayRig.logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        disk: FailingDisk? = nil,
        database: PostgreSQLAddress? = nil,
        _ body: (PushGateway) async throws -> Value
    ) async throws -> Value {
        let close: () throws -> Void
        let store: any PushStore & ProviderKeyStore
        if let database {
            let postgreSQL = try PostgreSQLPushStore(database)
            (store, close) = (postgreSQL, postgreSQL.close)
        } else {
            let file = try SQLitePushStore(path: self.path("push.sqlite"))
            (store, close) = (file, file.close)
        }
        var configuration = PushGateway.Configuration(
            providerAddress: ListenAddress(host: "127.0.0.1", port: 0),
            deviceAddress: ListenAddress(host: "127.0.0.1", port: port),
            certificatePath: self.path("tls.pem"),
            privateKeyPath: self.path("tls.key"),
            keys: [try ProviderKey(option: "\(Self.teamID):\(Self.keyID):\(self.path("key.p8"))\(apps)")]
        )
        configuration.keyStore = store
        configuration.isStrict = isStrict
        configuration.providerConnectionsMax = providerConnectionsMax ?? configuration.providerConnectionsMax
        configuration.deviceConnectionsMax = deviceConnectionsMax ?? configuration.deviceConnectionsMax
        configuration.relay = relay
        configuration.relayTimeout = relayTimeout
        configuration.link.keepalive = .seconds(1)
        // A test's device shares two processors with all other tests.
        configuration.link.handshakeTimeout = .seconds(60)
        let gateway = try await PushGateway(
            configuration: configuration,
            store: disk.map { FailingStore(base: store, disk: $0) } ?? store,
            group: Self.group,
            logger: logger,
            metrics: metrics,
            now: { [self] in self.clock }
        )
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(gateway))
        } catch {
            result = .failure(error)
        }
        try await gateway.shutdown()
        try close()
        return try result.get()
    }

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    func provider(
        _ gateway: PushGateway,
        key: P256.Signing.PrivateKey? = nil,
        teamID: String = GatewayRig.teamID,
        keyID: String = GatewayRig.keyID
    ) throws -> APNSClient {
        var configuration = APNSClient.Configuration(
            endpoint: Endpoint(host: "localhost", port: gateway.providerAddress.port),
            keys: [SigningKey(teamID: teamID, keyID: keyID, privateKey: key ?? self.key)],
            trustRoots: .file(self.path("ca.pem"))
        )
        // A test's pushes share two processors with all other tests.
        configuration.timeout = .seconds(60)
        return try APNSClient(configuration: configuration, group: Self.group, logger: Self.logger)
    }

    func push(_ token: [UInt8], payload: String = "{}", expiration: Expiration? = nil) throws -> Push {
        Push(
            .location,
            token: try #require(DeviceToken(bytes: token)),
            bundleIdentifier: Self.bundle,
            payload: try PushPayload(json: Array(payload.utf8)),
            expiration: expiration ?? .until(PushGateway.systemTime().seconds + 600)
        )
    }

    /// A device that connects at once.
    func device(
        _ gateway: PushGateway,
        key: Curve25519.Signing.PrivateKey,
        topics: [String] = [GatewayRig.topic]
    ) throws -> Device {
        try Device(port: gateway.deviceAddress.port, trustRootsPath: self.path("ca.pem"), key: key, topics: topics)
    }

    /// A push link client and its recorded events.
    final class Device: Sendable {
        let client: PushLinkClient
        let events = Events<PushLinkClient.Event>()

        init(port: Int, trustRootsPath: String, key: Curve25519.Signing.PrivateKey, topics: [String]) throws {
            var configuration = PushLinkClient.Configuration(
                host: "127.0.0.1",
                port: port,
                trustRootsPath: trustRootsPath
            )
            configuration.link.backoffMin = .milliseconds(20)
            configuration.link.backoffMax = .milliseconds(100)
            self.client = try PushLinkClient(
                configuration: configuration,
                key: key,
                group: GatewayRig.group,
                logger: GatewayRig.logger,
                events: { [events] in events.record($0) }
            )
            self.client.setTopics(topics)
            self.client.start()
        }

        /// Registers a topic and returns its token.
        func register(_ topic: String = GatewayRig.topic) async throws -> [UInt8] {
            self.client.register(topic: topic)
            return try await self.registered(topic)
        }

        func registered(_ topic: String = GatewayRig.topic) async throws -> [UInt8] {
            let event = try await self.events.next("the token of \(topic)") {
                if case .registered(topic, _) = $0 { true } else { false }
            }
            guard case .registered(_, let token) = event else { preconditionFailure("matched above") }
            return token.bytes
        }

        /// Whether a push arrived that the test did not wait for.
        var hasPush: Bool {
            self.events.pending.contains { if case .push = $0 { true } else { false } }
        }

        func connected() async throws {
            _ = try await self.events.next("a connection") { $0 == .connected }
        }

        func push() async throws -> StoredPush {
            let event = try await self.events.next("a push") { if case .push = $0 { true } else { false } }
            guard case .push(let push) = event else { preconditionFailure("matched above") }
            return push
        }

        func acknowledge(_ push: StoredPush) {
            self.client.acknowledge(push.id)
        }

        func disconnect() async throws {
            try await self.client.shutdown().get()
        }
    }
}
