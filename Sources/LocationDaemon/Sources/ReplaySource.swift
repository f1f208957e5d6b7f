internal import Foundation
internal import LocationEngine
internal import LocationHost
internal import LocationSources
internal import NIOCore

/// Fixes from a recorded NMEA 0183 log, in the time it was recorded in, over and over, dated now.
final class ReplaySource: FixSource {
    private struct State {
        /// Counts up with each start and stop, so that what was scheduled before is ignored.
        var generation = 0
        var isOn = false
    }

    private let replay: NMEAReplay
    private let loop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let events: @Sendable (FixSourceEvent) -> Void
    private let begin = NIODeadline.now()

    init(
        path: String,
        group: any EventLoopGroup,
        events: @escaping @Sendable (FixSourceEvent) -> Void
    ) throws(DaemonError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DaemonError("the recording \(path) is missing or cannot be read; name another with --replay")
        }
        do {
            self.replay = try NMEAReplay(data)
        } catch {
            throw DaemonError("\(path): \(error)")
        }
        self.loop = group.next()
        self.state = .makeBoxSendingValue(State(), eventLoop: self.loop)
        self.events = events
    }

    func start() {
        self.loop.execute {
            guard !self.state.value.isOn else { return }
            self.state.value.isOn = true
            self.state.value.generation += 1
            self.events(.ready)
            self.play(self.nextEpoch, self.state.value.generation)
        }
    }

    func stop() {
        self.loop.execute {
            self.state.value.isOn = false
            self.state.value.generation += 1
        }
    }

    /// The device moves on while its receiver is off.
    private var nextEpoch: Int {
        let elapsed = Duration.nanoseconds((NIODeadline.now() - self.begin).nanoseconds)
        let laps = Int(elapsed / self.replay.lap)
        let rest = elapsed - self.replay.lap * laps
        let index = self.replay.epochs.firstIndex { $0.offset >= rest } ?? self.replay.epochs.count
        return laps * self.replay.epochs.count + index
    }

    private func play(_ number: Int, _ generation: Int) {
        let epoch = self.replay.epoch(number)
        let offset = epoch.offset.components
        let time = self.begin + .seconds(offset.seconds) + .nanoseconds(offset.attoseconds / 1_000_000_000)
        self.loop.scheduleTask(deadline: time) {
            guard self.state.value.generation == generation else { return }
            self.events(.fix(Fix(epoch.fix.stamped(at: Date().timeIntervalSince1970), receiver: nil)))
            self.play(number + 1, generation)
        }
    }
}
