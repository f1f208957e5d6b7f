public import CoreMetrics
internal import Foundation
public import Logging
public import NIOCore
internal import Synchronization
public import WhereaboutsAPNSClient
internal import WhereaboutsNetworkSupport
public import WhereaboutsPushEngine
public import WhereaboutsVocabulary

/// Accepts pushes with APNs' protocol, stores them, and delivers them to Linux devices.
///
/// It has two TLS listeners: one for providers, with APNs' provider API, and one for devices, with the push link. As a relay it
/// forwards other providers' pushes for a vendor's apps to Apple (ADR 0076).
public final class PushGateway: Sendable {
    /// The addresses, files, keys and limits of a gateway.
    public struct Configuration: Sendable {
        /// The address for providers.
        public var providerAddress: ListenAddress
        /// The address for devices.
        public var deviceAddress: ListenAddress
        /// A PEM file with the certificate chain, for both listeners.
        public var certificatePath: String
        /// A PEM file with the private key of the certificate.
        public var privateKeyPath: String
        /// The keys that may sign provider tokens.
        public var keys: [ProviderKey]
        /// The storage of keys that an operator adds; nil if no keys can be added.
        public var keyStore: (any ProviderKeyStore)?
        /// The relay's client for Apple, with the vendor's keys, each for its apps; nil if the gateway is no relay.
        ///
        /// The gateway sets the client's timeout.
        public var relay: APNSClient.Configuration?
        /// How long a relayed push may take; tests set a longer time.
        package var relayTimeout = Relay.timeout
        /// The times of device connections.
        public var link = GatewaySide.Configuration()
        /// The maximum number of provider connections; strangers' are closed for newer ones, and each address has a hundredth.
        public var providerConnectionsMax = 1000
        /// The maximum number of device connections; strangers' are closed for newer ones, and each address has a hundredth.
        public var deviceConnectionsMax = 10_000
        /// Whether connections imitate behaviour of APNs that makes some real clients hang.
        ///
        /// It is for testing a client. A rejection sets the limit of streams to 1 until a push is accepted; a stale token spoils all later ones.
        public var isStrict = false
        /// The descriptors of the process; if there are fewer than connections, both limits are lowered.
        public var descriptorsMax = Int.max

        /// Creates a configuration.
        public init(
            providerAddress: ListenAddress,
            deviceAddress: ListenAddress,
            certificatePath: String,
            privateKeyPath: String,
            keys: [ProviderKey]
        ) {
            self.providerAddress = providerAddress
            self.deviceAddress = deviceAddress
            self.certificatePath = certificatePath
            self.privateKeyPath = privateKeyPath
            self.keys = keys
        }
    }

    /// The address for providers, with the port that the system chose if it was 0.
    public let providerAddress: ListenAddress
    /// The address for devices, with the port that the system chose if it was 0.
    public let deviceAddress: ListenAddress

    let host: GatewayHost
    let keyring: ProviderKeyring
    /// The relayed apps.
    let relayedApps: Set<String>
    let now: @Sendable () -> WallTime
    let isStopping = Atomic(false)
    /// The listeners for providers and for devices, in this order.
    let listeners: [(channel: any Channel, connections: ConnectionRegistry)]
    /// The log for operations of operators.
    let logger: Logger
    private let relay: RelayPort?
    private let certificate: ServerCertificate
    /// The removal of expired data, and the check of a failed store.
    private let repeated: [RepeatedTask]

    /// The time between two deletions of expired pushes, tokens and accounts.
    ///
    /// Source: our choice; expired data has no effect, so that deleting it only frees space.
    private static let expiryPeriod = TimeAmount.minutes(10)
    /// The time between two checks of a failed store.
    ///
    /// Source: our choice; as short as a load balancer's interval between health checks.
    private static let trialPeriod = TimeAmount.seconds(5)

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - configuration: the addresses, files, keys and limits.
    ///   - store: the store of tokens and pushes; only the gateway may use it until ``shutdown()`` returns.
    ///   - group: the event loops of all connections.
    ///   - logger: the log, which never contains a token, a key or a payload.
    ///   - metrics: the factory of the counters.
    ///   - now: the wall clock.
    /// - Throws: ``GatewayError`` naming the input and the remedy.
    public init(
        configuration: Configuration,
        store: any PushStore,
        group: any EventLoopGroup,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        now: @escaping @Sendable () -> WallTime = PushGateway.systemTime
    ) async throws {
        let keyring = try ProviderKeyring(configuration.keys, store: configuration.keyStore)
        let certificate = try Self.certificate(configuration)
        let relay = try configuration.relay.map {
            var client = $0
            client.timeout = configuration.relayTimeout
            return try RelayPort(client, group: group, logger: logger, metrics: metrics)
        }
        let relayedApps = Set((configuration.relay?.keys ?? []).flatMap(\.apps))
        Self.warn(of: keyring, relayedApps: relayedApps, logger)
        let connectionsMax = Self.connectionsMax(configuration, logger)
        let metrics = GatewayMetrics(metrics)
        let notes = ThrottledNotes(logger, now: { .onEventLoop() }) { metrics.notesLeftOut.increment() }
        let host = GatewayHost(
            store: store,
            relay: relay,
            relayedApps: relayedApps,
            now: now,
            notes: notes,
            metrics: metrics
        )
        let doors = GatewayDoors(
            configuration: configuration,
            certificate: certificate,
            group: group,
            keyring: keyring,
            host: host,
            notes: notes,
            metrics: metrics,
            now: now
        )
        let providers = ConnectionRegistry(
            connectionsMax: connectionsMax.providers,
            metrics: metrics.providers,
            notes: notes
        )
        let devices = ConnectionRegistry(connectionsMax: connectionsMax.devices, metrics: metrics.devices, notes: notes)
        let providerChannel = try await doors.listenToProviders(providers)
        let deviceChannel: any Channel
        do {
            deviceChannel = try await doors.listenToDevices(devices)
        } catch {
            try await providerChannel.close()
            throw error
        }
        self.host = host
        self.logger = logger
        self.keyring = keyring
        self.relay = relay
        self.relayedApps = relayedApps
        self.now = now
        self.certificate = certificate
        self.listeners = [(providerChannel, providers), (deviceChannel, devices)]
        self.providerAddress = Self.bound(configuration.providerAddress, providerChannel)
        self.deviceAddress = Self.bound(configuration.deviceAddress, deviceChannel)
        let loop = group.next()
        self.repeated = [
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.expiryPeriod) { _ in host.removeExpired() },
            loop.scheduleRepeatedTask(initialDelay: Self.trialPeriod, delay: Self.trialPeriod) { _ in host.tryStore() },
        ]
    }

    /// Stops: accepts no new connections, sends GOAWAY with `Shutdown`, and answers requests in progress.
    ///
    /// Returns when all changes are on disk and every connection is closed, after a few seconds at most.
    public func shutdown() async throws {
        self.isStopping.store(true, ordering: .relaxed)
        for task in self.repeated { task.cancel() }
        for listener in self.listeners { try await listener.channel.close() }
        for listener in self.listeners { try await listener.connections.end() }
        await self.relay?.shutdown()
        self.host.close()
    }

    /// Returns the time of the system's wall clock.
    public static let systemTime: @Sendable () -> WallTime = {
        WallTime(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
    }

    /// Loads a renewed certificate; open connections keep the old one.
    ///
    /// - Throws: ``GatewayError`` naming the file that cannot be used; the old certificate stays in use.
    public func reloadCertificate() throws {
        do {
            try self.certificate.reload()
        } catch {
            throw GatewayError(.badCertificate, "\(error); the previous certificate stays in use")
        }
    }

    private static func certificate(_ configuration: Configuration) throws -> ServerCertificate {
        do {
            return try ServerCertificate(
                chainPath: configuration.certificatePath,
                keyPath: configuration.privateKeyPath
            )
        } catch {
            throw GatewayError(.badCertificate, "\(error)")
        }
    }

    /// Warns of pushes that this configuration will not accept, or not relay to Apple.
    private static func warn(of keyring: ProviderKeyring, relayedApps: Set<String>, _ logger: Logger) {
        if keyring.names.isEmpty {
            logger.warning(
                "there is no provider key yet, so no push is accepted; add one with `whereabouts gateway keys`"
            )
        }
        if let warning = keyring.warning { logger.warning("\(warning)") }
        let idleSenders = keyring.inForce.count {
            $0.relayedADay != nil && $0.relayedApps(among: relayedApps).isEmpty
        }
        if idleSenders > 0 {
            logger.warning(
                "no pushes of some senders go to Apple, because no --relay names their apps; `whereabouts gateway keys` shows which",
                metadata: ["senders": "\(idleSenders)"]
            )
        }
    }

    /// The maximum number of connections of each listener, limited by the descriptors of the process.
    private static func connectionsMax(
        _ configuration: Configuration,
        _ logger: Logger
    ) -> (providers: Int, devices: Int) {
        let wanted = (providers: configuration.providerConnectionsMax, devices: configuration.deviceConnectionsMax)
        // Weight the kinds like their defaults, so that a large limit of one kind does not reduce the other.
        let shares = Descriptors.share(
            configuration.descriptorsMax,
            among: [(wanted.providers, weight: 1), (wanted.devices, weight: 10)]
        )
        if shares.reduce(0, +) < wanted.providers + wanted.devices {
            logger.warning(
                "too few file descriptors (ulimit -n) for the configured number of connections",
                metadata: [
                    "descriptors": "\(configuration.descriptorsMax)",
                    "providers": "\(shares[0]) of \(wanted.providers)",
                    "devices": "\(shares[1]) of \(wanted.devices)",
                ]
            )
        }
        return (shares[0], shares[1])
    }

    private static func bound(_ address: ListenAddress, _ channel: any Channel) -> ListenAddress {
        ListenAddress(host: address.host, port: channel.localAddress?.port ?? address.port)
    }
}
