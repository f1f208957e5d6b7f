internal import CoreMetrics
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsPushLinkMessages
internal import WhereaboutsVocabulary

/// The shell of ``PushEngine/GatewaySide``: the connection of a device and its timer.
final class DeviceLinkHandler: ChannelInboundHandler {
    typealias InboundIn = PushLinkDeviceFrame
    typealias OutboundOut = ByteBuffer

    private let id: LinkID
    private let host: GatewayHost
    private let notes: ThrottledNotes
    private let metrics: GatewayMetrics
    private let connections: ConnectionRegistry
    private var side: GatewaySide
    /// The parts that need the channel, while it is open.
    private var attached: (context: ChannelHandlerContext, timer: DeadlineTimer, link: DeviceLink)?

    init(
        id: LinkID,
        from address: AddressBlock,
        host: GatewayHost,
        configuration: GatewaySide.Configuration,
        connections: ConnectionRegistry,
        notes: ThrottledNotes,
        metrics: GatewayMetrics
    ) {
        var random = SystemRandomNumberGenerator()
        self.id = id
        self.host = host
        self.connections = connections
        self.notes = notes
        self.metrics = metrics
        self.side = GatewaySide(id, configuration, from: address, now: .onEventLoop(), using: &random)
    }

    // MARK: Called by the channel.

    func handlerAdded(context: ChannelHandlerContext) {
        let eventLoop = context.eventLoop
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let link = DeviceLink(
            id: self.id,
            send: { message in
                eventLoop.execute {
                    let isWritable = bound.value.attached?.context.channel.isWritable ?? false
                    bound.value.feed(.messageDecided(message, isWritable: isWritable))
                }
            },
            finish: { eventLoop.execute { bound.value.feed(.requestFinished) } },
            trust: { trust in eventLoop.execute { bound.value.showed(trust) } },
            close: { reason in eventLoop.execute { bound.value.feed(.endDecided(reason: reason)) } }
        )
        let timer = DeadlineTimer(eventLoop) { [weak self] in self?.feed(.deadlineReached) }
        self.attached = (context, timer, link)
        timer.follow(self.side.deadline)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.feed(.connectionEnded)
        self.attached = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        self.feed(.connected)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.feed(.received(DeviceMessage(Self.unwrapInboundIn(data))))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.feed(.connectionEnded)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is GatewayShutdown: self.feed(.endDecided(reason: "the gateway is shutting down"))
        case is GaveWay:
            let words = "all connections are in use, and this one was closed for a newer one (--device-connections)"
            self.feed(.endDecided(.lost, reason: words))
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .handshakeFailed? = error as? NIOSSLError { self.connections.handshakeFailed(.malformed) }
        guard error is PushLinkError else { return self.feed(.endDecided(.lost, reason: "the connection failed")) }
        self.feed(.endDecided(.unreadable, reason: "\(error)"))
    }

    // MARK: Effects.

    private func feed(_ input: GatewaySide.Input) {
        guard let (context, timer, link) = self.attached else { return }
        for effect in self.side.handle(input, now: .onEventLoop()) {
            self.perform(effect, context: context, link: link)
        }
        timer.follow(self.side.deadline)
    }

    private func perform(_ effect: GatewaySide.Effect, context: ChannelHandlerContext, link: DeviceLink) {
        switch effect {
        case .send(let message): self.send(message, context: context)
        case .verify(let proof, let nonce): self.feed(.proofChecked(isValid: proof.isValid(for: nonce)))
        case .setReading(let isReading):
            // This fails only on a closed channel, which needs no reading.
            try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
        case .feed(let input):
            self.note(input)
            self.host.take(input, from: link)
        case .disconnect: context.close(promise: nil)
        }
    }

    private func send(_ message: GatewayMessage, context: ChannelHandlerContext) {
        if case .goAway(let reason) = message {
            if let ending = self.side.ending { self.metrics.linkEnded(ending) }
            self.notes.write(.info, "device link ended", ["link": "\(self.id.rawValue)", "reason": "\(reason)"])
        }
        do {
            let buffer = try PushLinkFraming.frame(message.frame, allocator: context.channel.allocator)
            context.writeAndFlush(Self.wrapOutboundOut(buffer)).assumeIsolated().whenComplete { [weak self] _ in
                self?.feed(.messageLeft(message))
            }
        } catch {
            self.notes.write(.error, "a frame could not be written", ["error": "\(error)"])
            context.close(promise: nil)
        }
    }

    private func showed(_ trust: ConnectionTrust) {
        guard let channel = self.attached?.context.channel else { return }
        self.connections.showed(trust, channel)
    }

    private func note(_ input: Gateway.Input) {
        switch input {
        case .linkOpened:
            self.notes.write(.info, "device connected", ["link": "\(self.id.rawValue)"])
        case .linkClosed: self.notes.write(.debug, "device disconnected", ["link": "\(self.id.rawValue)"])
        case .requested, .pushReceived, .sweepDue, .deviceRemoved, .tokenRemoved, .relayEnded: break
        }
    }
}
