internal import ArgumentParser
internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals
internal import WhereaboutsAPNSClient
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushGateway
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer

/// `whereabouts server`: the sharing server, until SIGTERM or SIGINT.
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Run the sharing server: check grants, push to devices, forward encrypted answers.",
        discussion: """
            The server stores each request on disk before it reports it as accepted. The server never sees a \
            position: answers are encrypted for the requester.

            When the port is open, it prints one line:
              listening https=HOST:PORT
            followed by metrics=HOST:PORT with --metrics. The log goes to standard error. SIGHUP loads the certificate again. SIGTERM \
            ends the server, with exit code 0.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Address to listen on; port 0 lets the system choose [127.0.0.1:8443].",
            valueName: "host:port"
        ),
        transform: ListenAddress.argument
    )
    var address = ListenAddress(host: "127.0.0.1", port: 8443)
    @Option(help: ArgumentHelp("The certificate chain, PEM.", valueName: "file"))
    var certificate: String
    @Option(help: ArgumentHelp("The private key of the certificate, PEM.", valueName: "file"))
    var privateKey: String
    @Option(help: DatabaseOption.help)
    var database: String
    @Option(
        help: ArgumentHelp("Address of Apple's push server, or of a push gateway.", valueName: "host:port"),
        transform: ListenAddress.argument
    )
    var apnsEndpoint: ListenAddress
    @Option(
        help: ArgumentHelp(
            "PEM file with the certificates to trust for --apns-endpoint, instead of the system's.",
            valueName: "file"
        )
    )
    var apnsTrustRoots: String?
    @Option(help: ArgumentHelp("The .p8 file with the key that signs provider tokens.", valueName: "file"))
    var apnsKey: String
    @Option(help: ArgumentHelp("Key ID of --apns-key, 10 characters.", valueName: "id"), transform: parseTeamOrKeyID)
    var apnsKeyID: String
    @Option(
        help: ArgumentHelp("Team ID of --apns-key, 10 characters.", valueName: "id"),
        transform: parseTeamOrKeyID
    )
    var apnsTeamID: String

    @Option(
        help: ArgumentHelp(
            "Capacity of a device's push budget, locationd's --push-budget-capacity.",
            valueName: "count"
        )
    )
    var devicePushes = SharingPolicy().pushPace.burst

    @Option(
        help: ArgumentHelp(
            "Show street maps to people who open links: the URL of a map tile with {z}, {x} and {y}.",
            valueName: "url"
        ),
        transform: { text in
            guard let tiles = TileService(text) else {
                throw ValidationError("not a URL of map tiles; expected \(TileService.rule)")
            }
            return tiles
        }
    )
    var tiles: TileService?

    @OptionGroup var page: MetricsOption

    func validate() throws {
        guard (4...1_000_000).contains(self.devicePushes) else {
            throw ValidationError("--device-pushes must be from 4 to 1000000")
        }
    }

    func run() async throws {
        _ = try DatabaseOption.address(self.database)
        try await Serving.run { [await self.service($0, descriptors: $1)] }
    }

    /// Creates the configured sharing server, with this many descriptors.
    func service(
        _ readiness: Readiness,
        descriptors: Int,
        dispatchers: [PublicIdentity: Dispatcher] = [:]
    ) async -> any Service {
        SharingService(
            command: self,
            descriptors: descriptors,
            dispatchers: dispatchers,
            signals: await Reloading.signals(),
            readiness: readiness,
            logger: Serving.logger("server")
        )
    }
}

/// The sharing server as a service: starts, prints where it listens, and stops with the service group.
private struct SharingService: Service {
    let command: ServerCommand
    let descriptors: Int
    let dispatchers: [PublicIdentity: Dispatcher]
    let signals: UnixSignalsSequence
    let readiness: Readiness
    let logger: Logger

    func run() async throws {
        let registry = MetricsRegistry()
        let client = try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: self.command.apnsEndpoint.host, port: self.command.apnsEndpoint.port),
                keys: [
                    SigningKey(
                        teamID: self.command.apnsTeamID,
                        keyID: self.command.apnsKeyID,
                        path: self.command.apnsKey
                    )
                ],
                trustRoots: self.command.apnsTrustRoots.map { .file($0) }
            ),
            logger: self.logger,
            metrics: registry
        )
        let host = self.command.address.host
        var configuration = SharingServer.Configuration(
            host: host,
            port: self.command.address.port,
            certificate: self.command.certificate,
            privateKey: self.command.privateKey,
            database: self.command.database
        )
        let interval = configuration.policy.pushPace.interval
        configuration.policy = SharingPolicy(pushPace: Pace(interval: interval, burst: self.command.devicePushes))
        configuration.descriptorsMax = self.descriptors
        configuration.tiles = self.command.tiles
        configuration.dispatchers = self.dispatchers
        configuration.lockPatience = Serving.lockPatience
        let server = try SharingServer(
            configuration: configuration,
            push: APNSPushSender(client: client),
            logger: self.logger,
            metrics: registry
        )
        // Open the page only now, because the previous server used its address until it ended.
        let page = try await self.command.page.show(registry) { server.isReady }
        let listens: @Sendable (Int) -> Void = { port in
            // A script that started the server waits for this line. If the line cannot be written, the server must still serve.
            let metrics = page.map { " metrics=\($0.address)" } ?? ""
            try? printLine("listening https=\(ListenAddress(host: host, port: port))\(metrics)")
            self.readiness.listens()
        }
        try await withThrowingDiscardingTaskGroup { group in
            let certificate: @Sendable () throws -> String? = {
                try server.reloadCertificate()
                return nil
            }
            let reloading = Reloading(signals: self.signals, logger: self.logger, reloads: [certificate])
            group.addTask { try await reloading.run() }
            try await server.run(onListening: listens, onEnd: { try? await page?.listener.close() })
            group.cancelAll()
        }
        await client.shutdown()
    }
}
