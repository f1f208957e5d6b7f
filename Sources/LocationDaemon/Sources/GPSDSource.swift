internal import LocationEngine
internal import LocationSources
internal import NIOCore
internal import NIOPosix

/// Fixes from a gpsd, over its JSON protocol on TCP; connected only while on.
///
/// A gpsd that is absent, or goes away, is tried again after 250 ms, doubling to 5 s.
final class GPSDSource: FixSource {
    private let state: NIOLoopBoundBox<State>
    private let loop: any EventLoop

    private struct State {
        var isOn = false
        /// Counts up with each start, so that what an earlier connection reports is ignored.
        var generation = 0
        var channel: (any Channel)?
        var pause = TimeAmount.milliseconds(250)
    }

    private let host: String
    private let port: Int
    private let events: @Sendable (FixSourceEvent) -> Void

    init(
        host: String,
        port: Int,
        group: any EventLoopGroup,
        events: @escaping @Sendable (FixSourceEvent) -> Void
    ) {
        self.host = host
        self.port = port
        self.events = events
        self.loop = group.next()
        self.state = .makeBoxSendingValue(State(), eventLoop: self.loop)
    }

    func start() {
        self.loop.execute {
            guard !self.state.value.isOn else { return }
            self.state.value.isOn = true
            self.state.value.generation += 1
            self.state.value.pause = .milliseconds(250)
            self.connect(self.state.value.generation)
        }
    }

    func stop() {
        self.loop.execute {
            self.state.value.isOn = false
            self.state.value.generation += 1
            self.state.value.channel?.close(promise: nil)
            self.state.value.channel = nil
        }
    }

    private func connect(_ generation: Int) {
        let bootstrap = ClientBootstrap(group: self.loop)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        GPSDHandler { [self] event in self.received(event, generation) }
                    )
                }
            }
        bootstrap.connect(host: self.host, port: self.port).assumeIsolated().whenComplete { result in
            guard self.state.value.generation == generation else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            switch result {
            case .success(let channel):
                self.state.value.channel = channel
                channel.closeFuture.assumeIsolated().whenComplete { _ in
                    self.lost("gpsd at \(self.host):\(self.port) closed the connection", generation)
                }
            case .failure:
                self.lost("gpsd at \(self.host):\(self.port) cannot be reached", generation)
            }
        }
    }

    private func received(_ event: FixSourceEvent, _ generation: Int) {
        guard self.state.value.generation == generation else { return }
        self.state.value.pause = .milliseconds(250)
        self.events(event)
    }

    private func lost(_ reason: String, _ generation: Int) {
        guard self.state.value.generation == generation else { return }
        self.state.value.channel = nil
        self.events(.lost(reason))
        let pause = self.state.value.pause
        self.state.value.pause = min(pause * 2, .seconds(5))
        self.loop.scheduleTask(in: pause) {
            if self.state.value.generation == generation { self.connect(generation) }
        }
    }
}

/// Turns one connection's bytes into events.
private final class GPSDHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var decoder = GPSDDecoder()
    private let report: (FixSourceEvent) -> Void

    init(report: @escaping (FixSourceEvent) -> Void) {
        self.report = report
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: GPSDDecoder.watchCommand)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for event in self.decoder.feed(self.unwrapInboundIn(data).readableBytesView) {
            switch event {
            case .ready: self.report(.ready)
            case .fix(let fix): self.report(.fix(Fix(fix)))
            case .devices(let paths) where paths.isEmpty: self.report(.lost("gpsd has no receiver"))
            case .deviceLost: self.report(.lost("gpsd lost its receiver"))
            case .deviceFound: self.report(.ready)
            case .failed(let message): self.report(.lost("gpsd reports: \(message)"))
            // No fix yet: the engine knows how long to be patient. A wrong line: the next one counts.
            case .watching, .devices, .noFix, .malformed: break
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
