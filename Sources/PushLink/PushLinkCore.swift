internal import Crypto
internal import FoundationEssentials
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PushEngine
internal import PushLinkMessages
internal import SwiftProtobuf

/// What ``PushLinkClient`` is on its event loop; everything here runs there, so that nothing needs a lock.
final class PushLinkCore {
    /// Where the client is in the diagram of ``PushLinkClient``.
    private enum State {
        case idle
        /// TCP, TLS or the proof is under way; the channel comes with TCP.
        case connecting((any Channel)?, timeout: Scheduled<Void>)
        /// The gateway said welcome, at `since`.
        case open(any Channel, keepalive: RepeatedTask, since: NIODeadline)
        case waiting(Scheduled<Void>)
        case stopped
    }

    private let configuration: PushLinkClient.Configuration
    private let tls: NIOSSLContext
    private let key: Curve25519.Signing.PrivateKey
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let events: @Sendable (PushLinkClient.Event) -> Void
    private var random: any RandomNumberGenerator & Sendable
    private var backoff: Backoff
    private var state = State.idle
    private var wishes = TopicWishes()
    private var topics: [String] = []
    private var lastRead = NIODeadline.uptimeNanoseconds(0)
    private var pingNumber: UInt64 = 0
    /// Counts the connections, so that reports of an earlier one are told apart and ignored.
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
        self.backoff = Backoff(base: configuration.backoffBase, cap: configuration.backoffMax)
    }

    // MARK: Called by the client.

    func start() {
        guard case .idle = self.state else { return }
        self.connect()
    }

    func register(_ topic: String) {
        self.wishes.register(topic)
        self.send(.register(.with { $0.topic = topic }))
    }

    func unregister(_ topic: String) {
        self.wishes.unregister(topic)
        self.send(.unregister(.with { $0.topic = topic }))
    }

    func setTopics(_ topics: [String]) {
        if topics.count > PushLinkClient.topicsMax {
            self.logger.warning(
                "too many push topics; the last ones are left out",
                metadata: ["count": "\(topics.count)", "limit": "\(PushLinkClient.topicsMax)"]
            )
        }
        self.topics = Array(topics.prefix(PushLinkClient.topicsMax))
        self.send(.topics(.with { $0.enabled = self.topics }))
    }

    func acknowledge(_ id: [UInt8]) {
        self.send(.acknowledge(.with { $0.pushID = Data(id) }))
    }

    func stop() -> EventLoopFuture<Void> {
        let previous = self.state
        self.state = .stopped
        self.attempt += 1
        switch previous {
        case .idle, .stopped: return self.eventLoop.makeSucceededVoidFuture()
        case .waiting(let retry):
            retry.cancel()
            return self.eventLoop.makeSucceededVoidFuture()
        case .connecting(let channel, let timeout):
            timeout.cancel()
            return self.close(channel)
        case .open(let channel, let keepalive, _):
            keepalive.cancel()
            return self.close(channel)
        }
    }

    private func close(_ channel: (any Channel)?) -> EventLoopFuture<Void> {
        guard let channel else { return self.eventLoop.makeSucceededVoidFuture() }
        channel.close(promise: nil)
        return channel.closeFuture
    }

    // MARK: Connecting.

    private func connect() {
        self.attempt += 1
        let attempt = self.attempt
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let timeout = self.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(self.configuration.handshakeTimeout)
        ) { self.linkFailed("no welcome within \(self.configuration.handshakeTimeout)") }
        self.state = .connecting(nil, timeout: timeout)
        ClientBootstrap(group: self.eventLoop)
            .connectTimeout(TimeAmount(self.configuration.handshakeTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try bound.value.configure(channel, attempt: attempt) }
            }
            .connect(host: self.configuration.host, port: self.configuration.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): self.tcpConnected(channel, attempt: attempt)
                case .failure(let error): self.linkEnded("\(error)", attempt: attempt)
                }
            }
    }

    private func configure(_ channel: any Channel, attempt: Int) throws {
        // An address is verified as one: names only go into SNI.
        let name =
            (try? SocketAddress(ipAddress: self.configuration.host, port: 0)) == nil ? self.configuration.host : nil
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLClientHandler(context: self.tls, serverHostname: name))
        try pipeline.addHandler(ByteToMessageHandler(PushLinkFrameDecoder<Whereabouts_Pushlink_V1_GatewayFrame>()))
        try pipeline.addHandler(PushLinkClientHandler(core: self, attempt: attempt))
    }

    private func tcpConnected(_ channel: any Channel, attempt: Int) {
        guard attempt == self.attempt, case .connecting(_, let timeout) = self.state else {
            // Stopped, or given up, while TCP was connecting.
            channel.close(promise: nil)
            return
        }
        self.state = .connecting(channel, timeout: timeout)
    }

    private func opened(_ channel: any Channel, keepalive seconds: UInt32) {
        guard case .connecting(_, let timeout) = self.state else { return }
        timeout.cancel()
        let interval = TimeAmount.seconds(Int64(min(max(seconds, 1), 600)))
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let keepalive = self.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.keepAlive(patience: min(interval, Self.pongPatience))
        }
        self.state = .open(channel, keepalive: keepalive, since: .now())
        for request in self.wishes.requests {
            switch request {
            case .register(let topic): self.send(.register(.with { $0.topic = topic }))
            case .unregister(let topic): self.send(.unregister(.with { $0.topic = topic }))
            }
        }
        self.send(.topics(.with { $0.enabled = self.topics }))
        self.logger.info("push link connected")
        self.events(.connected)
    }

    /// Each ping is answered at once; a slow mobile path takes some seconds, so that this long means that it is gone.
    private static let pongPatience = TimeAmount.seconds(10)

    /// Keeps the path through routers open, and finds out whether it still is.
    private func keepAlive(patience: TimeAmount) {
        self.pingNumber += 1
        self.send(.ping(.with { $0.number = self.pingNumber }))
        let (attempt, sent) = (self.attempt, NIODeadline.now())
        self.eventLoop.assumeIsolated().scheduleTask(in: patience) {
            guard attempt == self.attempt, self.lastRead < sent else { return }
            self.linkFailed("the gateway did not answer a ping within \(patience.nanoseconds / 1_000_000_000) s")
        }
    }

    // MARK: Called by the handler.

    func received(_ frame: Whereabouts_Pushlink_V1_GatewayFrame, on channel: any Channel, attempt: Int) {
        guard attempt == self.attempt else { return }
        self.lastRead = .now()
        switch frame.body {
        case .challenge(let challenge): self.prove(Array(challenge.nonce), on: channel)
        case .welcome(let welcome): self.opened(channel, keepalive: welcome.keepaliveSeconds)
        case .registered(let registered):
            self.events(.registered(topic: registered.topic, token: Array(registered.token)))
        case .unregistered(let unregistered):
            self.wishes.unregistered(unregistered.topic)
            self.events(.unregistered(topic: unregistered.topic))
        case .push(let push): self.events(.push(PushLinkClient.Push(push)))
        case .goAway(let goAway): self.linkFailed("the gateway ended the link: \(goAway.reason)")
        case .pong, nil: break
        }
    }

    private func prove(_ nonce: [UInt8], on channel: any Channel) {
        guard case .connecting = self.state, nonce.count == PushLinkProof.nonceBytes else {
            return self.linkFailed("the gateway sent a challenge that is none")
        }
        do {
            let signature = try PushLinkProof.sign(nonce: nonce, key: self.key)
            let proof = Whereabouts_Pushlink_V1_Proof.with {
                $0.deviceKey = self.key.publicKey.rawRepresentation
                $0.signature = Data(signature)
            }
            try self.write(.proof(proof), on: channel)
        } catch {
            self.linkFailed("\(error)")
        }
    }

    /// Records that a connection ended; of one that was given up already it is no news.
    func linkEnded(_ reason: String, attempt: Int) {
        if attempt == self.attempt { self.linkFailed(reason) }
    }

    private func linkFailed(_ reason: String) {
        let channel: (any Channel)?
        switch self.state {
        case .idle, .waiting, .stopped: return
        case .connecting(let connecting, let timeout):
            timeout.cancel()
            channel = connecting
        case .open(let open, let keepalive, let since):
            keepalive.cancel()
            channel = open
            // A gateway that says welcome and hangs up at once must not be called again and again without a pause.
            if NIODeadline.now() - since > TimeAmount(self.configuration.backoffMax) { self.backoff.reset() }
        }
        self.attempt += 1
        let wait = self.backoff.next(using: &self.random)
        self.state = .waiting(self.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { self.connect() })
        channel?.close(promise: nil)
        self.logger.info("push link lost", metadata: ["reason": "\(reason)", "retry in": "\(wait)"])
        self.events(.disconnected(reason))
    }

    // MARK: Sending.

    private func send(_ body: Whereabouts_Pushlink_V1_DeviceFrame.OneOf_Body) {
        guard case .open(let channel, _, _) = self.state else { return }
        do {
            try self.write(body, on: channel)
        } catch {
            self.linkFailed("\(error)")
        }
    }

    private func write(_ body: Whereabouts_Pushlink_V1_DeviceFrame.OneOf_Body, on channel: any Channel) throws {
        let frame = Whereabouts_Pushlink_V1_DeviceFrame.with { $0.body = body }
        channel.writeAndFlush(try PushLinkFraming.frame(frame, allocator: channel.allocator), promise: nil)
    }
}

extension PushLinkClient.Push {
    fileprivate init(_ push: Whereabouts_Pushlink_V1_Push) {
        self.init(
            id: Array(push.pushID),
            topic: push.topic,
            payload: Array(push.payload),
            priority: Int(push.priority),
            expiration: push.expiration,
            collapseID: push.collapseID.isEmpty ? nil : push.collapseID
        )
    }
}
