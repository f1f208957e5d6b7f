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

/// The sources of positions: ``SourceCoordinator`` decides which ones run and which one is used; this file starts and stops them.
extension Daemon {
    /// Creates the sources, all switched off.
    func makeSources(group: any EventLoopGroup) throws(DaemonError) {
        let queue = self.executor.queue
        let begin = Clocks.now().monotonic
        for (number, source) in self.configuration.sources.enumerated() {
            self.energy.append(EnergyAccount(source.receiverPower, now: begin))
            let events: @Sendable (FixSourceEvent) -> Void = { [weak self] event in
                queue.async { [weak self] in self?.assumeIsolated { $0.received(event, from: number) } }
            }
            let health: @Sendable (ReceiverHealth) -> Void = { [weak self] health in
                queue.async { [weak self] in self?.assumeIsolated { $0.received(health, of: number) } }
            }
            if let way = source.way {
                self.receivers.append(ReceiverHealth())
                self.sources.append(
                    ReceiverSource(
                        way,
                        number: UInt8(clamping: number),
                        group: group,
                        events: events,
                        health: health
                    )
                )
            } else if case .fixed(let position) = source {
                self.receivers.append(nil)
                self.sources.append(
                    FixedSource(position, number: UInt8(clamping: number), group: group, events: events)
                )
            } else if case .replay(let path, let settings) = source {
                self.receivers.append(nil)
                let playing = try ReplaySource(path: path, settings, group: group, events: events)
                self.logger.info("a recording", metadata: ["source": "\(number)", "form": "\(playing.words)"])
                self.sources.append(playing)
            }
        }
    }

    /// Powers the scanner, the only sensor without a source.
    func power(_ sensor: Sensor, isOn: Bool) {
        switch sensor {
        // The core starts receiver and compass as sources, not here.
        case .receiver, .compass: break
        case .scanner: if isOn { self.beaconFeed?.start() } else { self.beaconFeed?.stop() }
        }
    }

    /// Tells the core whether a recording runs.
    func recordersChanged() { self.feed(.recordingChanged(isRecorded: !self.recorders.isEmpty)) }

    /// Starts or stops a source.
    func perform(_ order: SourceArbiter.Order) {
        switch order {
        case .start(let number):
            self.energy[number].switchedOn(now: Clocks.now().monotonic)
            self.sources[number].start()
        case .stop(let number):
            self.energy[number].switchedOff(now: Clocks.now().monotonic)
            self.sources[number].stop()
        }
    }

    private func received(_ event: FixSourceEvent, from number: Int) {
        // Raw fixes are logged only here; apps receive the estimate.
        if case .measured(.fix(let fix)) = event {
            self.energy[number].fixCame(now: Clocks.now().monotonic)
            self.logger.debug("a fix", metadata: ["source": "\(number)", "raw": "\(fix)"])
        }
        self.feed(.sourceReported(event.report, from: number))
    }

    /// Stores the state of a receiver, and logs a change that people should know.
    private func received(_ health: ReceiverHealth, of number: Int) {
        let now = Clocks.now().monotonic
        let before = self.loggedConditions[number] ?? .off
        self.receivers[number] = health
        let condition = health.condition(now: now).condition
        guard condition.isNews(after: before) else { return }
        self.loggedConditions[number] = condition
        self.logger.log(
            level: condition.level,
            "receiver",
            metadata: ["source": "\(number)", "state": "\(condition.words)"]
        )
    }

    /// The times and the energy of the sources.
    func powerReport() -> WirePowerReport {
        let now = Clocks.now().monotonic
        return .with {
            $0.sources = self.configuration.sources.enumerated().map { number, source in
                let times = self.energy[number].times(now: now)
                return .with {
                    $0.source = source.words
                    $0.on = self.energy[number].isOn
                    $0.acquiring = WallTime(microseconds: 0).advanced(by: times.acquiring).microseconds
                    $0.tracking = WallTime(microseconds: 0).advanced(by: times.tracking).microseconds
                    $0.whole = WallTime(microseconds: 0).advanced(by: times.whole).microseconds
                    if let energy = self.energy[number].millijoules(now: now) {
                        $0.millijoules = energy.used
                        $0.millijoulesAlwaysOn = energy.alwaysOn
                    }
                }
            }
        }
    }

    /// The number of the source shown first: the one in use, otherwise the first choice.
    var shownSource: Int { self.core.sources?.chosen ?? 0 }

    /// The state of a source, as text.
    func state(ofSource number: Int) -> String {
        if let receiver = self.receivers[number] {
            return receiver.condition(now: Clocks.now().monotonic).condition.words
        }
        // A recording and a fixed position always have a fix.
        return self.core.sources?.runs(number) == true ? "delivering" : "off"
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
