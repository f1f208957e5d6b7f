internal import LocationEngine
internal import LocationHost
internal import NIOCore
internal import NIOPosix
internal import Vocabulary

/// Fixes from a host, over TCP; connected only while on.
///
/// A host that is absent, or goes away, is tried again after 250 ms, doubling to 5 s.
final class NetworkSource: FixSource {
    /// The protocol the host speaks.
    enum Language: String {
        /// gpsd's JSON protocol.
        case gpsd
        /// NMEA 0183.
        case nmea = "the receiver"
    }

    private let state: NIOLoopBoundBox<State>
    private let loop: any EventLoop

    private struct State {
        var isOn = false
        /// Counts up with each start, so that what an earlier connection reports is ignored.
        var generation = 0
        var channel: (any Channel)?
        var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
    }

    private let language: Language
    private let host: String
    private let port: Int
    private let events: @Sendable (FixSourceEvent) -> Void

    init(
        _ language: Language,
        host: String,
        port: Int,
        group: any EventLoopGroup,
        events: @escaping @Sendable (FixSourceEvent) -> Void
    ) {
        self.language = language
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
            self.state.value.backoff.reset()
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
                    let report: (FixSourceEvent) -> Void = { [self] event in self.received(event, generation) }
                    switch self.language {
                    case .gpsd: try channel.pipeline.syncOperations.addHandler(GPSDHandler(report: report))
                    case .nmea: try channel.pipeline.syncOperations.addHandler(NMEAHandler(report: report))
                    }
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
                    self.lost(
                        "\(self.language.rawValue) at \(self.host):\(self.port) closed the connection",
                        generation
                    )
                }
            case .failure:
                self.lost("\(self.language.rawValue) at \(self.host):\(self.port) cannot be reached", generation)
            }
        }
    }

    private func received(_ event: FixSourceEvent, _ generation: Int) {
        guard self.state.value.generation == generation else { return }
        self.state.value.backoff.reset()
        self.events(event)
    }

    private func lost(_ reason: String, _ generation: Int) {
        guard self.state.value.generation == generation else { return }
        self.state.value.channel = nil
        self.events(.lost(reason))
        self.loop.scheduleTask(in: TimeAmount(self.state.value.backoff.next())) {
            if self.state.value.generation == generation { self.connect(generation) }
        }
    }
}
