internal import ArgumentParser
internal import Foundation
internal import Logging
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals
internal import WhereaboutsAPNSClient
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway

/// `whereabouts gateway`: the push gateway, and commands for a running one.
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Accept pushes as APNs does, and deliver them to Linux devices.",
        subcommands: [
            GatewayServeCommand.self, GatewayStatusCommand.self, GatewayTraceCommand.self, GatewayDevicesCommand.self,
            GatewayTokensCommand.self, GatewayKeysCommand.self, GatewaySendersCommand.self, GatewayMockCommand.self,
        ],
        defaultSubcommand: GatewayServeCommand.self
    )
}

/// `whereabouts gateway serve`: the push gateway, until SIGTERM or SIGINT.
struct GatewayServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway; the default subcommand.",
        discussion: """
            Providers send POST /3/device/<token> over HTTP/2 and TLS, signed with a provider token (ES256); devices \
            keep one TLS connection each. Accepted pushes are on disk before the provider gets its response; one is stored \
            per device and topic, for at most 30 days.

            Once the ports are open, one line on standard output says so:
              listening provider=HOST:PORT device=HOST:PORT
            and, with --metrics, metrics=HOST:PORT after it.
            Everything else is logged on standard error. SIGHUP reloads the certificate and the keys, also for \
            open connections; SIGTERM finishes the requests under way and exits with 0.

            Example:
              whereabouts gateway --certificate tls.pem --private-key tls.key \\
                --key ABCDE12345:FGHIJ67890:AuthKey_FGHIJ67890.p8:com.example.FindFriends --database /var/lib/whereabouts/push.sqlite
            """
    )

    @Option(
        help: ArgumentHelp(
            "Address for providers; port 0 lets the system choose [127.0.0.1:2197].",
            valueName: "host:port"
        ),
        transform: ListenAddress.argument
    )
    var providerAddress = ListenAddress(host: "127.0.0.1", port: 2197)

    @Option(
        help: ArgumentHelp(
            "Address for devices; port 0 lets the system choose [127.0.0.1:5223].",
            valueName: "host:port"
        ),
        transform: ListenAddress.argument
    )
    var deviceAddress = ListenAddress(host: "127.0.0.1", port: 5223)

    @Option(help: ArgumentHelp("PEM certificate chain for providers and devices.", valueName: "file"))
    var certificate: String

    @Option(help: ArgumentHelp("PEM private key of the certificate.", valueName: "file"))
    var privateKey: String

    @Option(
        name: .customLong("key"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Provider key: the .p8 file or the public key in PEM, and the apps that it may push to. Keys of several teams must "
                + "name their apps. Repeat the option for more "
                + "keys.",
            valueName: "team:key-id:file[:app,app]"
        )
    )
    var keys: [String] = []

    @Option(
        name: .customLong("keys"),
        help: ArgumentHelp(
            "File with more keys, one per line; # begins a comment. SIGHUP reloads it.",
            valueName: "file"
        )
    )
    var keysFile: String?

    @Option(
        name: .customLong("relay"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Relay encrypted location pushes to Apple: an app vendor's .p8 key and its apps. Only providers whose key was added "
                + "with `gateway keys --add … --relay` can use it. Repeat the option for more keys.",
            valueName: "team:key-id:file:app[,app]"
        )
    )
    var relays: [String] = []

    @Option(
        help: ArgumentHelp(
            "Server for relayed pushes, such as api.sandbox.push.apple.com:443 [api.push.apple.com:443].",
            valueName: "host:port"
        ),
        transform: ListenAddress.argument
    )
    var relayTo: ListenAddress?

    @Option(
        help: ArgumentHelp(
            "PEM file with the certificates to trust for relayed pushes instead of the system's.",
            valueName: "file"
        )
    )
    var relayTrustRoots: String?

    @Option(
        help: ArgumentHelp(
            "Create a control socket that only this user can use. The commands status, trace, devices, tokens, keys and senders "
                + "connect to it.",
            valueName: "file"
        )
    )
    var control: String?

    @Option(
        help: ArgumentHelp(
            "Maximum number of device connections; an idle one takes about 24 KB of memory [10000].",
            valueName: "count"
        )
    )
    var deviceConnections = 10_000

    @Option(
        help: ArgumentHelp("Maximum number of provider connections [1000].", valueName: "count")
    )
    var providerConnections = 1000

    @Flag(
        help: ArgumentHelp(
            "To test clients, behave like APNs in two cases: after a rejection, a connection has one stream; after a stale "
                + "provider token, it rejects every new token."
        )
    )
    var strict = false

    @Option(help: DatabaseOption.help)
    var database: String

    @OptionGroup var page: MetricsOption

    func validate() throws {
        for (option, count) in [
            ("--device-connections", self.deviceConnections), ("--provider-connections", self.providerConnections),
        ] where !(1...1_000_000).contains(count) {
            throw ValidationError("\(option) \(count): give a number from 1 to 1,000,000")
        }
        // A new file has no keys; an existing one, like a PostgreSQL database, is checked once it is open.
        let isFile = try PostgreSQLAddress(self.database) == nil
        if self.needsKeptKeys, isFile, !FileManager.default.fileExists(atPath: self.database) { throw Self.noKey }
        if self.relays.isEmpty, self.relayTo != nil || self.relayTrustRoots != nil {
            throw ValidationError("--relay-to and --relay-trust-roots need --relay; add --relay TEAMID:KEYID:FILE:APP")
        }
        if !self.relays.isEmpty, self.control == nil {
            throw ValidationError(
                "--relay needs --control, where senders are added; add --control FILE, and then keys with `whereabouts "
                    + "gateway keys --add … --relay 1000`"
            )
        }
        for option in self.keys + self.relays { try checkKeyOption(option) }
    }

    /// Whether all keys are in the database, and none in the options.
    private var needsKeptKeys: Bool { self.keys.isEmpty && self.keysFile == nil && self.control == nil }

    private static var noKey: ValidationError {
        ValidationError(
            "no provider key is given, and the database has none, so no push could be accepted; add --key TEAMID:KEYID:FILE, "
                + "or --control and keys with `whereabouts gateway keys --add`"
        )
    }

    /// The client for Apple's service; nil if nothing is relayed.
    private func relay() throws -> APNSClient.Configuration? {
        guard !self.relays.isEmpty else { return nil }
        return APNSClient.Configuration(
            endpoint: self.relayTo.map { Endpoint(host: $0.host, port: $0.port) } ?? .apple(.production),
            keys: try self.relays.map { try SigningKey(relayOption: $0) },
            trustRoots: self.relayTrustRoots.map { .file($0) }
        )
    }

    /// Reads all keys, as they are now.
    private func readKeys() throws -> [ProviderKey] {
        let lines = try self.keysFile.map { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw OperatorError(description: "\(path): cannot be read as text; give a file with one key a line")
            }
            return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
        }
        return try (self.keys + (lines ?? [])).map { try ProviderKey(option: $0) }
    }

    func run() async throws {
        _ = try DatabaseOption.address(self.database)
        try await Serving.run { [try await self.service($0, descriptors: $1)] }
    }

    /// Creates the configured gateway, with this many descriptors.
    func service(_ readiness: Readiness, descriptors: Int) async throws -> any Service {
        let signals = await Reloading.signals()
        var configuration = PushGateway.Configuration(
            providerAddress: self.providerAddress,
            deviceAddress: self.deviceAddress,
            certificatePath: self.certificate,
            privateKeyPath: self.privateKey,
            keys: try self.readKeys()
        )
        let (store, close) = try self.openStore()
        if self.needsKeptKeys, try store.providerKeys().isEmpty { throw Self.noKey }
        configuration.keyStore = store
        configuration.isStrict = self.strict
        configuration.deviceConnectionsMax = self.deviceConnections
        configuration.providerConnectionsMax = self.providerConnections
        configuration.relay = try self.relay()
        configuration.descriptorsMax = descriptors
        return GatewayService(
            configuration: configuration,
            store: store,
            close: close,
            page: self.page,
            control: self.control,
            readKeys: { try self.readKeys() },
            signals: signals,
            readiness: readiness,
            logger: Serving.logger("gateway")
        )
    }
}

extension GatewayServeCommand {
    /// Opens the database, once the previous gateway has released it; returns what closes it, too.
    private func openStore() throws -> (any PushStore & ProviderKeyStore, close: @Sendable () throws -> Void) {
        if let address = try PostgreSQLAddress(self.database) {
            let store = try PostgreSQLPushStore(address, patience: Serving.lockPatience)
            return (store, store.close)
        }
        let store = try SQLitePushStore(path: self.database, patience: Serving.lockPatience)
        return (store, store.close)
    }
}

/// The gateway as a service: starts, prints where it listens, and stops with the service group.
private struct GatewayService: Service {
    let configuration: PushGateway.Configuration
    let store: any PushStore
    let close: @Sendable () throws -> Void
    let page: MetricsOption
    let control: String?
    let readKeys: @Sendable () throws -> [ProviderKey]
    let signals: UnixSignalsSequence
    let readiness: Readiness
    let logger: Logger

    func run() async throws {
        let registry = MetricsRegistry()
        let gateway = try await PushGateway(
            configuration: self.configuration,
            store: self.store,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: self.logger,
            metrics: registry
        )
        let page = try await self.page.show(registry) { gateway.isReady }
        var control: OperatorListener?
        if let path = self.control {
            control = try await OperatorListener(
                path: path,
                gateway: gateway,
                group: MultiThreadedEventLoopGroup.singleton
            )
        }
        let metrics = page.map { " metrics=\($0.address)" } ?? ""
        let listening = "listening provider=\(gateway.providerAddress) device=\(gateway.deviceAddress)\(metrics)"
        // The gateway accepts pushes even if the line cannot be written.
        try? printLine(listening)
        self.readiness.listens()
        let certificate: @Sendable () throws -> String? = {
            try gateway.reloadCertificate()
            return nil
        }
        let keys: @Sendable () throws -> String? = { try gateway.exchangeKeys(try self.readKeys()) }
        let reloading = Reloading(signals: self.signals, logger: self.logger, reloads: [certificate, keys])
        try await reloading.run()
        self.logger.notice("shutting down: pending requests are answered first")
        let end: Result<Void, any Error>
        do {
            end = .success(try await gateway.shutdown())
        } catch {
            end = .failure(error)
        }
        // Close both after the gateway: until then they report that the gateway is not ready. A leftover socket file would
        // block the next start.
        try await control?.close()
        try await page?.listener.close()
        try end.get()
        try self.close()
        self.logger.notice("stopped; every accepted push is on disk")
    }
}
