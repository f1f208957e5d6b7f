internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Rig
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink

/// A push gateway, with an honest provider and device: an honest action is a push that arrives.
final class GatewayScene: AttackScene {
    static let bundle = "com.example.Honest"
    static let topic = PushType.location.topic(bundleIdentifier: GatewayScene.bundle)
    /// The time that a push may take from the provider to the device.
    static let patience = TimeAmount.seconds(10)
    static let group = MultiThreadedEventLoopGroup.singleton
    static let logger = Logger(label: "attack") { _ in SwiftLogNoOpLogHandler() }

    let installation: Installation
    /// The ports for providers and devices.
    let providerPort, devicePort: Int
    private let connection: Mutex<APNSClient>
    private let device: PushLinkClient
    private let token: DeviceToken
    private let arrivals: Arrivals

    private init(
        installation: Installation,
        ports: (provider: Int, device: Int),
        device: PushLinkClient,
        token: DeviceToken,
        arrivals: Arrivals
    ) throws {
        self.installation = installation
        self.connection = Mutex(try Self.makeProvider(installation, port: ports.provider))
        self.providerPort = ports.provider
        self.devicePort = ports.device
        self.device = device
        self.token = token
        self.arrivals = arrivals
    }

    static func start() async throws -> GatewayScene { try await self.start(in: Installation()) { [] } }

    /// Starts a gateway with more options.
    static func start(in installation: Installation, options: () throws -> [String]) async throws -> GatewayScene {
        do {
            try installation.startGateway(apps: self.bundle, options: options())
            guard let providerPort = installation.providerPort, let devicePort = installation.devicePort else {
                throw RigError("the gateway", "it said no ports")
            }
            let arrivals = Arrivals()
            var link = PushLinkClient.Configuration(
                host: "localhost",
                port: devicePort,
                trustRootsPath: installation.workspace.authorityPath
            )
            link.link.backoffMin = .milliseconds(50)
            let device = try PushLinkClient(
                configuration: link,
                key: Curve25519.Signing.PrivateKey(),
                group: Self.group,
                logger: Self.logger,
                events: { arrivals.record($0) }
            )
            arrivals.acknowledge = { device.acknowledge($0) }
            device.setTopics([Self.topic])
            device.register(topic: Self.topic)
            device.start()
            return try GatewayScene(
                installation: installation,
                ports: (providerPort, devicePort),
                device: device,
                token: try await arrivals.token(within: Self.patience),
                arrivals: arrivals
            )
        } catch {
            installation.stop()
            installation.workspace.remove()
            throw error
        }
    }

    private static func makeProvider(_ installation: Installation, port: Int) throws -> APNSClient {
        try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: "localhost", port: port),
                keys: [
                    SigningKey(
                        teamID: Workspace.teamID,
                        keyID: Workspace.keyID,
                        path: installation.workspace.providerKeyPath
                    )
                ],
                trustRoots: .file(installation.workspace.authorityPath)
            ),
            group: Self.group,
            logger: Self.logger
        )
    }

    /// The honest provider's connection.
    var provider: APNSClient { self.connection.withLock { $0 } }

    func honestAction() async throws {
        let number = self.arrivals.nextNumber()
        if number.isMultiple(of: 20) { try await self.comeAnew() }
        let arrival = self.arrivals.arrival(of: number, within: Self.patience)
        do {
            _ = try await self.provider.send(
                Push(
                    .location,
                    token: self.token,
                    bundleIdentifier: Self.bundle,
                    payload: PushPayload(encoding: ["number": number]),
                    expiration: .until(Int64(Date.now.timeIntervalSince1970) + 600)
                )
            ).get()
        } catch {
            self.arrivals.giveUp(number, error)
        }
        try await arrival.get()
    }

    /// Opens the provider's connection again, as clients do: an old connection does not prove that new ones are possible.
    private func comeAnew() async throws {
        let client = try Self.makeProvider(self.installation, port: self.providerPort)
        let old = self.connection.withLock { connection in
            defer { connection = client }
            return connection
        }
        await old.shutdown()
    }

    var pids: [Int32] { [self.installation.pid(of: "gateway")].compactMap(\.self) }

    func stop() async {
        try? await self.device.shutdown().get()
        await self.provider.shutdown()
        self.installation.stop()
        self.installation.workspace.remove()
    }
}
