internal import Crypto
internal import FakeAPNS
internal import Logging
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// A client with the usual test settings, for a server that misbehaves.
struct Sender {
    static let app = "org.example.FindFriends"
    static let key = SigningKey(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY1", privateKey: P256.Signing.PrivateKey())
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func configuration(of server: FakeAPNS) -> APNSClient.Configuration {
        var configuration = APNSClient.Configuration(
            endpoint: Endpoint(host: "localhost", port: server.port),
            keys: [Self.key],
            trustRoots: .file(server.authorityPath)
        )
        // Two processors, shared with all other tests.
        configuration.timeout = .seconds(30)
        return configuration
    }

    static func push(_ type: PushType = .location) throws -> Push {
        Push(type, token: try #require(DeviceToken(bytes: [1, 2, 255])), bundleIdentifier: Self.app)
    }

    /// Runs a client with a server, then stops both.
    static func run(
        _ actions: [FakeAPNS.Action] = [],
        streamsMax: Int? = 100,
        clientCertificate: String? = nil,
        configure: (inout APNSClient.Configuration) throws -> Void = { _ in },
        _ body: (APNSClient, FakeAPNS) async throws -> Void
    ) async throws {
        let server = try await FakeAPNS.start(
            actions,
            streamsMax: streamsMax,
            clientCertificate: clientCertificate
        )
        var configuration = Self.configuration(of: server)
        try configure(&configuration)
        let client = try APNSClient(configuration: configuration, logger: Self.logger)
        try await body(client, server)
        await client.shutdown()
        try await server.stop()
    }
}
