internal import Crypto
internal import Dispatch
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import WhereaboutsHostSupport
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLinkMessages
internal import WhereaboutsVocabulary

/// The shell of ``PushEngine/DeviceSide``: its connection, timer and key.
///
/// Everything here runs on one event loop, so that nothing needs a lock.
final class PushLinkCore {
    private let configuration: PushLinkClient.Configuration
    private let tls: NIOSSLContext
    private let key: Curve25519.Signing.PrivateKey
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let events: @Sendable (PushLinkClient.Event) -> Void
    private var random: any RandomNumberGenerator & Sendable
    private var side: DeviceSide
    private lazy var alarm: any Alarm = self.makeAlarm()
    /// The connection of the newest attempt, once TCP is connected.
    private var channel: (any Channel)?
    /// The number of the connection, so that reports of an earlier one are ignored.
    private var attempt = 0

    init(
        configuration: PushLinkClient.Configuration,
        tls: NIOSSLContext,
        key: Curve25519.Signing.PrivateKey,
        eventLoop: any EventLoop,
        logger: Logger,
        random: any RandomNumberGenerator & Sendable,
        events: @escaping @Sendable (PushLinkClient.Event) -> Void
    ) {
        self.configuration = configuration
        self.tls = tls
        self.key = key
        self.eventLoop = eventLoop
        self.logger = logger
        self.random = random
        self.events = events
        self.side = DeviceSide(configuration.link)
    }

    private func makeAlarm() -> any Alarm {
        if self.configuration.countsSleep {
            let (bound, eventLoop) = (NIOLoopBound(Weak(core: self), eventLoop: self.eventLoop), self.eventLoop)
            let timer = BootTimer(queue: .global()) { eventLoop.execute { bound.value.core?.feed(.deadlineReached) } }
            if let timer { return timer }
            self.logger.warning("the push link cannot count suspended time: no file descriptor is left")
        }
        return DeadlineTimer(self.eventLoop) { [weak self] in self?.feed(.deadlineReached) }
    }

    /// A weak reference to a link, so that the link's timer does not keep it alive.
    private struct Weak {
        weak var core: PushLinkCore?
    }

    // MARK: Called by the client and its handlers.

    func feed(_ input: DeviceSide.Input) {
        var next: DeviceSide.Input? = input
        while let input = next {
            next = nil
            for effect in self.side.handle(input, now: self.alarm.now, using: &self.random) {
                do {
                    try self.perform(effect)
                } catch {
                    next = .connectionEnded(reason: Self.reason(of: error))
                }
            }
        }
        self.alarm.follow(self.side.deadline)
    }

    func received(_ message: GatewayMessage?, on channel: any Channel, attempt: Int) {
        guard attempt == self.attempt else { return }
        self.channel = channel
        self.feed(.received(message))
    }

    func connectionEnded(_ error: any Error, attempt: Int) {
        self.connectionEnded(Self.reason(of: error), attempt: attempt)
    }

    /// The reason in our own words, because a library's text would show its source files in the status.
    private static func reason(of error: any Error) -> String {
        (error as? PushLinkError)?.message ?? ConnectionFailure(error).words(trustRoots: "--gateway-trust-roots")
    }

    func connectionEnded(_ reason: String, attempt: Int) {
        guard attempt == self.attempt else { return }
        self.feed(.connectionEnded(reason: reason))
    }

    func read(_ isOn: Bool) {
        // This fails only on a closed connection, from which nothing is read any more.
        _ = self.channel?.setOption(.autoRead, value: isOn)
    }

    /// Ends the link permanently.
    ///
    /// - Returns: a future that succeeds once the connection is closed.
    func stop() -> EventLoopFuture<Void> {
        let closed = self.channel?.closeFuture
        self.feed(.stopped)
        return closed ?? self.eventLoop.makeSucceededVoidFuture()
    }

    // MARK: Effects.

    private func perform(_ effect: DeviceSide.Effect) throws {
        switch effect {
        case .connect: self.connect()
        case .disconnect:
            self.attempt += 1
            self.channel?.close(promise: nil)
            self.channel = nil
        case .sign(let nonce): try self.send(.proof(LinkProof(signing: nonce, key: self.key)))
        case .send(let message): try self.send(message)
        case .tell(let event):
            if event == .connected { self.logger.info("push link connected") }
            self.events(event)
        case .note(.lost(let reason, let pause)):
            self.logger.info(
                "push link lost",
                metadata: ["reason": "\(reason)", "retry-after": "\(pause.roundedToMilliseconds)"]
            )
        case .note(.topicsLeftOut(let count)):
            self.logger.warning(
                "some push topics are ignored: there are too many, or they are invalid",
                metadata: ["count": "\(count)"]
            )
        }
    }

    private func send(_ message: DeviceMessage) throws {
        guard let channel = self.channel else { return }
        channel.writeAndFlush(try PushLinkFraming.frame(message.frame, allocator: channel.allocator), promise: nil)
    }

    private func connect() {
        self.attempt += 1
        let attempt = self.attempt
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        ClientBootstrap(group: self.eventLoop)
            .connectTimeout(TimeAmount(self.configuration.link.handshakeTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try bound.value.configure(channel, attempt: attempt) }
            }
            .connect(host: self.configuration.host, port: self.configuration.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    // The attempt was given up while TCP was connecting.
                    guard attempt == self.attempt else { return channel.close(promise: nil) }
                    self.channel = channel
                case .failure(let error): self.connectionEnded(error, attempt: attempt)
                }
            }
    }

    private func configure(_ channel: any Channel, attempt: Int) throws {
        // If the host is an IP address, send no SNI: the certificate is verified for the address.
        let name =
            (try? SocketAddress(ipAddress: self.configuration.host, port: 0)) == nil ? self.configuration.host : nil
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLClientHandler(context: self.tls, serverHostname: name))
        try pipeline.addHandler(ByteToMessageHandler(PushLinkFrameDecoder<PushLinkGatewayFrame>()))
        try pipeline.addHandler(PushLinkClientHandler(core: self, attempt: attempt))
    }
}
