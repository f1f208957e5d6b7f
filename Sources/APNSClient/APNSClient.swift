public import Crypto
internal import Foundation
public import Logging
public import NIOCore
internal import NIOSSL

/// Sends location pushes to Apple, or to a push gateway that speaks as Apple does.
///
/// Keeps one HTTP/2 connection, opened with the first push and again after it was lost. A request that the server
/// certainly did not act on (GOAWAY, REFUSED_STREAM) is sent once more on a new connection; any other that ends without
/// an answer is not, because a second push costs the device's budget. Every call ends at its deadline.
public final class APNSClient: Sendable {
    /// Where to send, and as whom.
    public struct Configuration: Sendable {
        /// The host name or address; its certificate must be valid for it.
        public var host: String
        /// The port; Apple listens on 443 and 2197.
        public var port: Int
        /// A PEM file with the authorities to trust; nil: the system's.
        public var trustRootsPath: String?
        /// The team that owns the key, 10 characters.
        public var teamID: String
        /// The key's id, 10 characters.
        public var keyID: String
        /// The key that signs provider tokens.
        public var key: P256.Signing.PrivateKey
        /// How long a push may take, the opening of a connection included.
        public var timeout = Duration.seconds(10)
        /// The most pushes under way at a time; more are refused with ``APNSError/Code/tooManyInFlight``.
        public var inFlightMax = 1000

        /// Creates a configuration.
        public init(
            host: String,
            port: Int = 443,
            trustRootsPath: String? = nil,
            teamID: String,
            keyID: String,
            key: P256.Signing.PrivateKey
        ) {
            self.host = host
            self.port = port
            self.trustRootsPath = trustRootsPath
            self.teamID = teamID
            self.keyID = keyID
            self.key = key
        }

        /// Creates a configuration with a key file as Apple issues it.
        ///
        /// - Throws: ``APNSError`` naming the file and the remedy.
        public init(
            host: String,
            port: Int = 443,
            trustRootsPath: String? = nil,
            teamID: String,
            keyID: String,
            keyPath: String
        ) throws {
            let key: P256.Signing.PrivateKey
            do {
                key = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOfFile: keyPath, encoding: .utf8))
            } catch {
                throw APNSError(
                    .badConfiguration,
                    "\(keyPath): holds no P-256 private key in PEM (\(error.localizedDescription)); "
                        + "give the .p8 file that belongs to key \(keyID)"
                )
            }
            self.init(
                host: host,
                port: port,
                trustRootsPath: trustRootsPath,
                teamID: teamID,
                keyID: keyID,
                key: key
            )
        }
    }

    /// The server's answer to an accepted push.
    public struct Response: Sendable, Hashable {
        /// The push's id.
        public let apnsID: String?
    }

    private let core: NIOLoopBoundBox<APNSClientCore>
    private let eventLoop: any EventLoop

    /// Creates a client; it connects with the first push.
    ///
    /// - Parameters:
    ///   - configuration: where to send, and as whom.
    ///   - group: whose next event loop the client lives on; it must outlive the client.
    ///   - logger: never sees a token or a payload.
    ///   - now: the wall clock in UNIX seconds, for provider tokens.
    /// - Throws: ``APNSError`` when the trust roots cannot be read.
    public init(
        configuration: Configuration,
        group: any EventLoopGroup,
        logger: Logger = Logger(label: "whereabouts.apns-client"),
        now: @escaping @Sendable () -> Int64 = APNSClient.systemTime
    ) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        let context: NIOSSLContext
        do {
            if let path = configuration.trustRootsPath {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            }
            context = try NIOSSLContext(configuration: tls)
        } catch {
            throw APNSError(
                .badConfiguration,
                "\(configuration.trustRootsPath ?? "the system's trust roots"): cannot be used (\(error)); "
                    + "give a file of PEM certificates"
            )
        }
        let eventLoop = group.next()
        let core = APNSClientCore(
            configuration: configuration,
            tls: context,
            eventLoop: eventLoop,
            logger: logger,
            now: now
        )
        self.core = .makeBoxSendingValue(core, eventLoop: eventLoop)
        self.eventLoop = eventLoop
    }

    /// Returns the time of the system's wall clock, in UNIX seconds.
    public static let systemTime: @Sendable () -> Int64 = { Int64(Date.now.timeIntervalSince1970) }

    /// Sends a push.
    ///
    /// - Returns: the response, once the server accepted the push: it will try to deliver it.
    /// - Throws: ``APNSError``; its code says whether the push may have been accepted all the same.
    public func send(_ push: LocationPush) async throws -> Response {
        let core = self.core
        return try await self.eventLoop.flatSubmit { core.value.send(push) }.get()
    }

    /// Closes the connection; pushes under way end with ``APNSError/Code/connectionLost``.
    public func shutdown() async throws {
        let core = self.core
        try await self.eventLoop.flatSubmit { core.value.shutdown() }.get()
    }
}
