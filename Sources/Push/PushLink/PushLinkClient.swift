public import Crypto
public import Logging
public import NIOCore
internal import NIOSSL
public import WhereaboutsPushEngine
public import WhereaboutsVocabulary

/// The device's end of the push link: one TLS connection to the gateway, for all apps.
///
/// ``PushEngine/DeviceSide`` decides its messages and their times; the client provides a connection, a timer and a key.
/// All methods may be called from any thread and return at once; their outcome is reported as an ``Event`` on the
/// client's event loop, one at a time. Handlers must not block.
public final class PushLinkClient: Sendable {
    /// An event of the link.
    public typealias Event = DeviceSide.Event

    private let core: NIOLoopBoundBox<PushLinkCore>
    private let eventLoop: any EventLoop

    /// Creates a client that does nothing until ``start()``.
    ///
    /// - Parameters:
    ///   - configuration: the gateway's address and the trusted authorities.
    ///   - key: the device's identity.
    ///   - group: provides the client's event loop; the group must outlive the client.
    ///   - logger: the log of state changes, which never contains a token or a payload.
    ///   - random: draws the jitter.
    ///   - events: called on the event loop, in order.
    /// - Throws: ``PushLinkError`` when the trust roots cannot be read.
    public init(
        configuration: Configuration,
        key: Curve25519.Signing.PrivateKey,
        group: any EventLoopGroup,
        logger: Logger = Logger(label: "whereabouts.push-link"),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        events: @escaping @Sendable (Event) -> Void
    ) throws {
        let eventLoop = group.next()
        let core = PushLinkCore(
            configuration: configuration,
            tls: try Self.tlsContext(configuration),
            key: key,
            eventLoop: eventLoop,
            logger: logger,
            random: random,
            events: events
        )
        self.core = .makeBoxSendingValue(core, eventLoop: eventLoop)
        self.eventLoop = eventLoop
    }

    /// Starts to connect; a second call does nothing.
    public func start() {
        self.feed(.started)
    }

    /// Requests the token of a topic, now and after each reconnection, until ``unregister(topic:)``.
    public func register(topic: String) {
        self.feed(.registrationWanted(topic: topic))
    }

    /// Ends the token of a topic; repeated after reconnections until the gateway confirms it.
    public func unregister(topic: String) {
        self.feed(.registrationUnwanted(topic: topic))
    }

    /// Sends the complete list of topics whose pushes may be delivered; other pushes wait at the gateway.
    ///
    /// Only the first ``PushEngine/TokenDecision/topicsMax`` topics are announced; the others are dropped with a warning
    /// in the log.
    public func setTopics(_ topics: [String]) {
        self.feed(.topicsEnabled(topics))
    }

    /// Tells the gateway that the device has stored a push, so that the gateway removes it.
    ///
    /// Does nothing while disconnected: the gateway sends the push again, with the same ID.
    public func acknowledge(_ id: PushID) {
        self.feed(.pushSaved(id))
    }

    /// Resumes or pauses reading from the gateway, on this connection only.
    public func read(_ isOn: Bool) {
        let core = self.core
        self.eventLoop.execute { core.value.read(isOn) }
    }

    /// Ends the link permanently; no event is reported after the future succeeds.
    ///
    /// - Returns: a future that succeeds once the connection is closed.
    @discardableResult
    public func shutdown() -> EventLoopFuture<Void> {
        let core = self.core
        return self.eventLoop.flatSubmit { core.value.stop() }
    }

    private func feed(_ input: DeviceSide.Input) {
        let core = self.core
        self.eventLoop.execute { core.value.feed(input) }
    }

    private static func tlsContext(_ configuration: Configuration) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        guard let path = configuration.trustRootsPath else { return try NIOSSLContext(configuration: tls) }
        do {
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw PushLinkError(
                .unusableTrustRoots,
                "\(path): cannot be used as trust roots (\(error)); give a file of PEM certificates"
            )
        }
    }
}
