package import CoreMetrics
internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
package import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsDurableStorage
internal import WhereaboutsNetworkSupport
internal import WhereaboutsSharing
package import WhereaboutsSharingEngine
package import WhereaboutsVocabulary

/// The sharing server: HTTP over TLS, a store, pushes.
package struct SharingServer: Service {
    /// The addresses, files and limits of the server.
    package struct Configuration: Sendable {
        /// The address to listen on.
        package var host: String
        /// The port to listen on; with 0 the system chooses one.
        package var port: Int
        /// The path of the certificate chain, PEM.
        package var certificate: String
        /// The path of the certificate's private key, PEM.
        package var privateKey: String
        /// The path of the SQLite file, or the URL of the PostgreSQL database.
        package var database: String
        /// The numbers to decide by.
        package var policy = SharingPolicy()
        /// The maximum number of open event streams.
        ///
        /// Beyond this, a stranger's stream is closed to make room, or the requester must try later.
        package var eventStreamsMax = 10_000
        /// The maximum number of open connections.
        ///
        /// Beyond this, the oldest connection of a stranger is closed to make room (``ConnectionLimit``).
        package var connectionsMax = 20_000
        /// The file descriptors for this server; each connection needs one.
        package var descriptorsMax = Int.max
        /// The dispatchers that may open incidents; without them, the server alerts no responders.
        package var dispatchers: [PublicIdentity: Dispatcher] = [:]
        /// The street maps that the page of a link offers.
        package var tiles: TileService?
        /// How long to wait until the previous server releases the database.
        package var lockPatience = Duration.zero

        package init(host: String, port: Int, certificate: String, privateKey: String, database: String) {
            self.host = host
            self.port = port
            self.certificate = certificate
            self.privateKey = privateKey
            self.database = database
        }
    }

    private let configuration: Configuration
    private let certificate: ServerCertificate
    private let host: SharingHost
    private let routes: SharingRoutes
    private let connectionsMax: Int
    private let connections: Connections
    private let lock: ExclusiveLock?
    private let logger: Logger
    private let health: StoreHealth
    private let phase = Phase()

    /// Whether requests are served: the port is open, the server is not shutting down, and the database can be written.
    package var isReady: Bool { self.phase.isServing.load(ordering: .relaxed) && self.health.isWell }

    /// Opens the files; nothing is served before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: the addresses, files and limits.
    ///   - push: sends pushes to devices.
    ///   - logger: the log; messages above debug contain no token, key, name or position.
    ///   - metrics: the factory of the counters.
    ///   - now: the clock.
    /// - Throws: ``SharingError`` naming the file that cannot be used.
    package init(
        configuration: Configuration,
        push: any PushSender,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        now: @escaping @Sendable () -> WallTime = { .now }
    ) throws {
        self.configuration = configuration
        do {
            self.certificate = try ServerCertificate(
                chainPath: configuration.certificate,
                keyPath: configuration.privateKey
            )
        } catch {
            throw SharingError(.badProfile, "\(error)")
        }
        let metrics = ServerMetrics(factory: metrics)
        // Keep the limit below the number of descriptors: without a free descriptor, the server could not even accept
        // and refuse a connection.
        let descriptorsMax = max(0, configuration.descriptorsMax - Self.connectionsSpare)
        self.connectionsMax = Descriptors.share(descriptorsMax, among: [(configuration.connectionsMax, weight: 1)])[0]
        if self.connectionsMax < configuration.connectionsMax {
            logger.warning(
                "too few file descriptors (ulimit -n) for the configured number of connections",
                metadata: ["connections": "\(self.connectionsMax) of \(configuration.connectionsMax)"]
            )
        }
        self.connections = Connections(max: self.connectionsMax, metrics: metrics)
        let database = try Self.open(configuration, logger)
        self.lock = database.lock
        let health = StoreHealth(logger)
        self.health = health
        self.host = SharingHost(
            store: database.store,
            responders: database.responders,
            dispatchers: configuration.dispatchers,
            hints: database.hints,
            push: push,
            policy: configuration.policy,
            streamsMax: configuration.eventStreamsMax,
            logger: logger,
            metrics: metrics,
            health: health,
            now: now
        )
        self.routes = SharingRoutes(
            host: self.host,
            connections: self.connections,
            metrics: metrics,
            logger: logger,
            database: database.id,
            tiles: configuration.tiles
        )
        self.logger = logger
    }

    private struct Database {
        let store: any Store
        let id: CurrentDatabaseID
        /// The half of the store for volunteers and incidents.
        var responders: (any ResponderStore)?
        /// The lock of a file.
        var lock: ExclusiveLock?
        /// The hints between servers with one database.
        var hints: PostgreSQLHints?
    }

    private static func open(_ configuration: Configuration, _ logger: Logger) throws -> Database {
        let address: PostgreSQLAddress?
        do throws(PostgreSQLError) {
            address = try PostgreSQLAddress(configuration.database)
        } catch {
            throw SharingError(.badText, "\(error)")
        }
        guard let address else {
            let lock = try Self.lock(configuration.database, configuration.lockPatience)
            let file = try SQLiteStore(path: configuration.database, policy: configuration.policy)
            // A file may have been restored while no server ran.
            let id = CurrentDatabaseID(CurrentDatabaseID.drawn())
            return Database(store: file, id: id, responders: file, lock: lock)
        }
        guard configuration.dispatchers.isEmpty else {
            throw SharingError(
                .badProfile,
                "[[dispatchers]]: a PostgreSQL database does not store volunteers and incidents yet. Set database to a SQLite file, "
                    + "or remove the dispatchers"
            )
        }
        let store = try PostgreSQLStore(address, policy: configuration.policy)
        let hints = PostgreSQLHints(address, store.database, logger: logger)
        return Database(store: store, id: store.database, hints: hints)
    }

    /// The maximum number of bytes and fields of a request's head; our clients' longest field is a read permit of 150 bytes.
    private static let head = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 4096,
        maxHeaderListSize: 16_384,
        maxHeaderFieldCount: 64
    )
    /// The descriptors for connections that are being refused or closed to make room.
    private static let connectionsSpare = 64

    /// Serves until cancelled or shut down.
    package func run() async throws { try await self.run(onListening: { _ in }) }

    /// Serves until cancelled or shut down.
    ///
    /// It can run once; afterwards another server can use the database.
    ///
    /// - Parameters:
    ///   - onListening: called with the port, once requests are served.
    ///   - onEnd: called after the last request, before another server can use the database.
    /// - Throws: ``SharingError`` when the server cannot listen on the address.
    package func run(
        onListening: @escaping @Sendable (Int) -> Void,
        onEnd: @Sendable () async -> Void = {}
    ) async throws {
        defer { self.lock?.release() }
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionHandler(connections: self.connections)],
            httpDecoderConfiguration: Self.head
        )
        let application = Application(
            router: self.routes.router,
            server: try .tls(
                .http1(configuration: http),
                tlsConfiguration: self.certificate.configuration(protocols: ["http/1.1"], minimum: .tlsv13)
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(
                    self.connectionsMax + Self.connectionsSpare
                )
            ),
            services: [self.host],
            onServerRunning: { channel in
                guard let port = channel.localAddress?.port else { return }
                self.phase.isServing.store(true, ordering: .relaxed)
                onListening(port)
            },
            logger: self.logger
        )
        do {
            defer { self.phase.isServing.store(false, ordering: .relaxed) }
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                self.phase.isServing.store(false, ordering: .relaxed)
            }
            await onEnd()
        } catch let error as IOError where [EADDRINUSE, EACCES, EADDRNOTAVAIL].contains(error.errnoCode) {
            let address = "\(self.configuration.host):\(self.configuration.port)"
            throw SharingError(.network, "\(ListeningFailure(address, error))")
        }
    }

    /// Locks the file for this server: two servers would each send the pushes of every request.
    private static func lock(_ database: String, _ patience: Duration) throws -> ExclusiveLock {
        let end = ContinuousClock.now.advanced(by: patience)
        repeat {
            do {
                if let lock = try ExclusiveLock(database + ".lock") { return lock }
            } catch {
                throw SharingError(.badProfile, "\(error); name a file in a directory of this user: --database FILE")
            }
            if ContinuousClock.now < end { usleep(50_000) }
        } while ContinuousClock.now < end
        throw SharingError(
            .badProfile,
            "another server uses \(database); stop it, or give this one a database of its own"
        )
    }

    /// Loads a renewed certificate; open connections keep the old one.
    ///
    /// - Throws: ``SharingError`` naming the file that cannot be used; the old certificate stays in use.
    package func reloadCertificate() throws {
        do {
            try self.certificate.reload()
        } catch {
            throw SharingError(.badProfile, "\(error); the previous certificate stays in use")
        }
    }
}

private final class Phase: Sendable {
    let isServing = Atomic(false)
}
