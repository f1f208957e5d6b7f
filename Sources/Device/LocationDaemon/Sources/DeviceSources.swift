internal import Dispatch
internal import Logging
internal import NIOCore
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The sources of positions and the scanner of beacons: switched as the core orders, with their health and their energy.
///
/// ``SourceCoordinator`` decides which sources run and which one is used. Used only on the daemon's queue.
final class DeviceSources {
    private struct Entry {
        let configuration: DaemonConfiguration.Source
        let source: any FixSource
        /// The time that the source was on, and its energy.
        var energy: EnergyAccount
        /// The health of the source's receiver; nil: the source has none, such as a recording.
        var receiver: ReceiverHealth?
        /// The last logged condition of the receiver.
        var logged = ReceiverHealth.Condition.off
    }

    private let logger: Logger
    private let reach: Reach<DeviceSources>
    private var all: [Entry] = []
    /// The feed of beacon scanners; nil: no feed is configured.
    private var beaconFeed: BeaconFeed?
    /// The last reported health of the feed.
    private var beaconFeedHealth = BeaconFeedHealth()

    init(logger: Logger, reach: Reach<DeviceSources>) {
        self.logger = logger
        self.reach = reach
    }

    /// Creates the sources, all switched off.
    func open(_ sources: [DaemonConfiguration.Source], group: any EventLoopGroup) throws(DaemonError) {
        let (queue, reach) = (self.reach.daemon.queue, self.reach)
        let begin = Clocks.now().monotonic
        for (number, configuration) in sources.enumerated() {
            let events: @Sendable (FixSourceEvent) -> Void = { event in
                queue.async { reach { $0.received(event, from: number) } }
            }
            let health: @Sendable (ReceiverHealth) -> Void = { health in
                queue.async { reach { $0.received(health, of: number) } }
            }
            let source: any FixSource
            switch (configuration, configuration.way) {
            case (_, let way?):
                source = ReceiverSource(
                    way,
                    number: UInt8(clamping: number),
                    group: group,
                    events: events,
                    health: health
                )
            case (.replay(let path, let settings), nil):
                let playing = try ReplaySource(path: path, settings, group: group, events: events)
                self.logger.info("a recording", metadata: ["source": "\(number)", "form": "\(playing.words)"])
                source = playing
            case (.fixed(let position), nil):
                source = FixedSource(position, number: UInt8(clamping: number), group: group, events: events)
            case (.gpsd, nil), (.gpsdSocket, nil), (.nmea, nil), (.program, nil): continue
            }
            self.all.append(
                Entry(
                    configuration: configuration,
                    source: source,
                    energy: EnergyAccount(configuration.receiverPower, now: begin),
                    receiver: configuration.way.map { _ in ReceiverHealth() }
                )
            )
        }
    }

    /// Creates the beacon feed, switched off, and reports to the core that the device has a scanner.
    func openBeaconFeed(_ path: String, group: any EventLoopGroup) {
        let (queue, reach) = (self.reach.daemon.queue, self.reach)
        self.beaconFeed = BeaconFeed(path: path, group: group) { report in
            queue.async { reach.daemon.feed(.happened(.sensed(report))) }
        } health: { health in
            queue.async { reach { $0.received(health) } }
        }
        self.reach.daemon.feed(.happened(.sensed(.ready(.scanner))))
    }

    /// Switches everything off.
    func stop() {
        for entry in self.all { entry.source.stop() }
        self.beaconFeed?.stop()
    }

    /// Powers the scanner, the only sensor without a source.
    func power(_ sensor: Sensor, isOn: Bool) {
        switch sensor {
        // The core starts receiver and compass as sources, not here.
        case .receiver, .compass: break
        case .scanner: if isOn { self.beaconFeed?.start() } else { self.beaconFeed?.stop() }
        }
    }

    /// Starts or stops a source.
    func perform(_ order: SourceArbiter.Order) {
        switch order {
        case .start(let number):
            self.all[number].energy.switchedOn(now: Clocks.now().monotonic)
            self.all[number].source.start()
        case .stop(let number):
            self.all[number].energy.switchedOff(now: Clocks.now().monotonic)
            self.all[number].source.stop()
        }
    }

    private func received(_ event: FixSourceEvent, from number: Int) {
        // Raw fixes are logged only here; apps receive the estimate.
        if case .measured(.fix(let fix)) = event {
            self.all[number].energy.fixCame(now: Clocks.now().monotonic)
            self.logger.debug("a fix", metadata: ["source": "\(number)", "raw": "\(fix)"])
        }
        self.reach.daemon.feed(.sourceReported(event.report, from: number))
    }

    /// Stores the state of a receiver, and logs a change that people should know.
    private func received(_ health: ReceiverHealth, of number: Int) {
        let condition = health.condition(now: Clocks.now().monotonic).condition
        self.all[number].receiver = health
        guard condition.isNews(after: self.all[number].logged) else { return }
        self.all[number].logged = condition
        self.logger.log(
            level: condition.level,
            "receiver",
            metadata: ["source": "\(number)", "state": "\(condition.words)"]
        )
    }

    private func received(_ health: BeaconFeedHealth) {
        let before = self.beaconFeedHealth.words
        self.beaconFeedHealth = health
        guard health.words != before else { return }
        let level: Logger.Level =
            switch health.socket {
            case .failed: .warning
            case .closed, .open: .info
            }
        self.logger.log(level: level, "beacons", metadata: ["state": "\(health.words)"])
    }

    // MARK: Recordings

    /// Sends the bytes of a source to `bytes`, on the daemon's queue, until ``untap(_:)``.
    func tap(_ number: Int, _ bytes: @escaping @Sendable ([UInt8]) -> Void) throws(DaemonError) {
        guard self.all.indices.contains(number) else {
            let list = self.all.enumerated().map { "\($0 + 1): \($1.configuration.words)" }.joined(separator: ", ")
            throw DaemonError("there is no source \(number + 1); there are \(list)")
        }
        guard let receiver = self.all[number].source as? ReceiverSource else {
            throw DaemonError("\(self.words(of: number)) has no bytes to record; record without --raw")
        }
        let queue = self.reach.daemon.queue
        receiver.tap { heard in queue.async { bytes(heard) } }
    }

    func untap(_ number: Int) { (self.all[number].source as? ReceiverSource)?.tap(nil) }

    /// The recording that plays; nil: none does.
    var playback: ReplaySource? { self.all.lazy.compactMap { $0.source as? ReplaySource }.first }

    // MARK: For people

    func words(of number: Int) -> String { self.all[number].configuration.words }

    /// The state of a source, as text.
    ///
    /// - Parameters:
    ///   - number: the source.
    ///   - isOn: whether the core has it run.
    /// - Returns: the text.
    func state(of number: Int, isOn: Bool) -> String {
        if let receiver = self.all[number].receiver {
            return receiver.condition(now: Clocks.now().monotonic).condition.words
        }
        // A recording and a fixed position always have a fix.
        return isOn ? "delivering" : "off"
    }

    /// The sources for the doctor.
    var facts: [DeviceFacts.Source] {
        let now = Clocks.now().monotonic
        return self.all.map { .init(source: $0.configuration, condition: $0.receiver?.condition(now: now).condition) }
    }

    /// The times and the energy of the sources.
    func powerReport() -> WirePowerReport {
        let now = Clocks.now().monotonic
        return .with {
            $0.sources = self.all.map { entry in
                let times = entry.energy.times(now: now)
                return .with {
                    $0.source = entry.configuration.words
                    $0.on = entry.energy.isOn
                    $0.acquiring = WallTime(microseconds: 0).advanced(by: times.acquiring).microseconds
                    $0.tracking = WallTime(microseconds: 0).advanced(by: times.tracking).microseconds
                    $0.whole = WallTime(microseconds: 0).advanced(by: times.whole).microseconds
                    if let energy = entry.energy.millijoules(now: now) {
                        $0.millijoules = energy.used
                        $0.millijoulesAlwaysOn = energy.alwaysOn
                    }
                }
            }
        }
    }

    /// The state of a source's receiver; nil: the source has none.
    func receiverStatus(of number: Int, in engine: Engine) -> WireReceiverStatus? {
        self.all[number].receiver.map { .init($0, in: engine) }
    }

    /// The state of the beacon feed; nil: there is no feed.
    var beaconFeedStatus: WireBeaconFeedStatus? {
        self.beaconFeed.map { feed in
            let health = self.beaconFeedHealth
            return .with {
                $0.path = feed.path
                $0.state = health.words
                $0.scanners = UInt32(clamping: health.scanners)
                $0.advertisements = UInt64(clamping: health.advertisements)
                $0.dropped = UInt64(clamping: health.dropped)
                $0.fault = health.fault ?? ""
            }
        }
    }
}

extension FixSourceEvent {
    /// The report for the core; the reason of a loss is in the receiver's health.
    fileprivate var report: SourceCoordinator.Report {
        switch self {
        case .ready: .ready
        case .measured(let element): .measured(element)
        case .lost: .lost
        }
    }
}

extension DaemonConfiguration.Source {
    /// The connection to a receiver or program; nil for a recording and a fixed position.
    fileprivate var way: ReceiverWay? {
        switch self {
        case .gpsd(let host, let port): .gpsd(host: host, port: port)
        case .gpsdSocket(let path): .gpsdSocket(path: path)
        case .nmea(let address): .nmea(address)
        case .program(let path, let isCoarse): .program(path: path, isCoarse: isCoarse)
        case .fixed, .replay: nil
        }
    }

    /// The power of the source's receiver; nil: unknown, or there is no receiver.
    fileprivate var receiverPower: EnergyAccount.Power? {
        switch self {
        case .gpsd, .gpsdSocket, .nmea: .satellites
        case .program, .fixed, .replay: nil
        }
    }

    /// Whether the source costs little energy, and is accurate to about 100 m.
    var isCoarse: Bool {
        switch self {
        case .program(_, let isCoarse): isCoarse
        case .gpsd, .gpsdSocket, .nmea, .fixed, .replay: false
        }
    }

    var words: String {
        switch self {
        case .gpsd(let host, let port): "gpsd at \(host):\(port)"
        case .gpsdSocket(let path): "gpsd at \(path)"
        case .nmea(let address): "NMEA 0183 from \(address)"
        case .program(let path, _): "the program at \(path)"
        // Leave the position out, because this text appears in status and logs.
        case .fixed: "the fixed position of --at"
        case .replay(let path, _): "replay of \(path)"
        }
    }
}
