internal import NIOCore
internal import NIOPosix
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// The socket for beacon scanners, open while apps need beacons (`docs/beacons.md`).
///
/// A successful connection is the signal to scan: while no app needs beacons, the socket and all connections are closed.
final class BeaconFeed: Sendable {
    /// The maximum number of scanners at a time: one for each Bluetooth adapter of a device, and some more.
    static let scannersMax = 8
    /// The pause before another attempt to open the socket.
    ///
    /// Source: our choice; a directory that is created late exists seconds after the boot, and an attempt costs little.
    private static let pause = TimeAmount.seconds(1)

    private struct State {
        var isOn = false
        /// Counts openings and closings, so that late events of an earlier opening are ignored.
        var generation = 0
        var listener: (any Channel)?
        /// The connected scanners, and whether each one receives beacons.
        var scanners: [ObjectIdentifier: (channel: any Channel, listens: Bool)] = [:]
        var health = BeaconFeedHealth()
        /// Drops a report of the feed's state if its text is that of the last report.
        var news = HealthNews<String>()
    }

    let path: String
    private let loop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let reports: @Sendable (SensorReport) -> Void
    private let health: @Sendable (BeaconFeedHealth) -> Void

    /// Creates a feed that is off.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - group: the event loops to run on.
    ///   - reports: receives the scanners' reports.
    ///   - health: receives each change of the feed's state (``HealthNews``).
    init(
        path: String,
        group: any EventLoopGroup,
        reports: @escaping @Sendable (SensorReport) -> Void,
        health: @escaping @Sendable (BeaconFeedHealth) -> Void
    ) {
        self.path = path
        self.loop = group.next()
        self.state = .makeBoxSendingValue(State(), eventLoop: self.loop)
        self.reports = reports
        self.health = health
    }

    func start() {
        self.loop.execute {
            guard !self.state.value.isOn else { return }
            self.state.value.isOn = true
            self.open()
        }
    }

    func stop() {
        self.loop.execute {
            self.state.value.isOn = false
            self.close()
            self.state.value.health.socket = .closed
            self.tellHealth()
        }
    }

    // MARK: The socket

    private func open() {
        self.close()
        let generation = self.state.value.generation
        let box = self.state
        let path = self.path
        let future = ServerBootstrap(group: self.loop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { [self] in
                    guard box.value.generation == generation, self.admits(channel) else {
                        return channel.close(promise: nil)
                    }
                    try channel.pipeline.syncOperations.addHandler(ScannerHandler(self))
                }
            }
            // Mode 0600, because any program that can write to the socket can make apps receive beacons.
            .listen(at: path, mode: 0o600, of: "--beacon-feed", on: self.loop)
        future.assumeIsolated().whenComplete { result in
            guard self.state.value.generation == generation else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            switch result {
            case .success(let channel):
                self.state.value.listener = channel
                self.state.value.health.socket = .open
            case .failure(let error):
                self.state.value.health.socket = .failed("\(error)")
                self.reports(.lost(.scanner))
                self.loop.assumeIsolated().scheduleTask(in: Self.pause) {
                    if self.state.value.isOn, self.state.value.generation == generation { self.open() }
                }
            }
            self.tellHealth()
        }
    }

    /// Closes the socket and all connections; their later events are ignored.
    private func close() {
        self.state.value.generation += 1
        let scanners = self.state.value.scanners
        self.state.value.scanners = [:]
        self.state.value.listener?.close(promise: nil)
        self.state.value.listener = nil
        for scanner in scanners.values { scanner.channel.close(promise: nil) }
    }

    // MARK: Scanners

    /// Accepts a connection, unless there are too many.
    private func admits(_ channel: any Channel) -> Bool {
        guard self.state.value.scanners.count < Self.scannersMax else {
            self.state.value.health.dropped("more than \(Self.scannersMax) scanners at a time")
            self.tellHealth()
            return false
        }
        self.state.value.scanners[ObjectIdentifier(channel)] = (channel, true)
        self.reports(.ready(.scanner))
        self.tellHealth()
        return true
    }

    fileprivate func received(_ events: [BeaconFeedDecoder.Event], from channel: any Channel) {
        let key = ObjectIdentifier(channel)
        guard self.state.value.scanners[key] != nil else { return }
        for event in events {
            switch event {
            case .received(let advertisement):
                self.state.value.health.received()
                self.listens(key)
                self.reports(.scanned(Advertisement(advertisement)))
            case .listening:
                self.listens(key)
                self.reports(.scanned(nil))
            case .deaf:
                self.state.value.scanners[key]?.listens = false
                self.tellIfDeaf()
            case .malformed(let error): self.state.value.health.dropped(error.description)
            }
        }
        self.tellHealth()
    }

    private func listens(_ key: ObjectIdentifier) {
        guard self.state.value.scanners[key]?.listens == false else { return }
        self.state.value.scanners[key]?.listens = true
        self.reports(.ready(.scanner))
    }

    fileprivate func closed(_ channel: any Channel) {
        guard self.state.value.scanners.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return }
        self.tellIfDeaf()
        self.tellHealth()
    }

    private func tellIfDeaf() {
        if self.state.value.scanners.values.contains(where: \.listens) { return }
        self.reports(.lost(.scanner))
    }

    private func tellHealth() {
        self.state.value.health.scanners = self.state.value.scanners.count
        self.state.value.health.deaf = self.state.value.scanners.values.count { !$0.listens }
        let words = self.state.value.health.words
        if self.state.value.news.isDue(words, now: Clocks.now().monotonic) { self.health(self.state.value.health) }
    }
}

/// The connection of a scanner.
private final class ScannerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let feed: BeaconFeed
    private var decoder = BeaconFeedDecoder()

    init(_ feed: BeaconFeed) {
        self.feed = feed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let events = self.decoder.feed(self.unwrapInboundIn(data).readableBytesView, now: Clocks.now())
        self.feed.received(events, from: context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) { self.feed.closed(context.channel) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension Advertisement {
    fileprivate init(_ source: SourceAdvertisement) {
        self.init(
            beacon: Beacon(uuid: Beacon.OwnerID(source.uuid), major: source.major, minor: source.minor),
            rssi: source.rssi,
            measuredPower: source.measuredPower
        )
    }
}
