internal import Foundation
internal import NIOCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// A source that plays a recording, with the present time in each fix; ``Playback`` decides when to report which fix.
final class ReplaySource: FixSource {
    private struct State {
        var playback: Playback
        var timer: Scheduled<Void>?
    }

    private let loop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let events: @Sendable (FixSourceEvent) -> Void
    let words: String

    init(
        path: String,
        _ settings: Playback.Settings = .init(),
        group: any EventLoopGroup,
        events: @escaping @Sendable (FixSourceEvent) -> Void
    ) throws(DaemonError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DaemonError("the recording \(path) is missing or cannot be read; name another with --replay")
        }
        let recording: Recording
        do {
            recording = try Recording(data)
        } catch {
            throw DaemonError("\(path): \(error)")
        }
        let dropped = recording.droppedCount > 0 ? ", \(recording.droppedCount) lines or points dropped" : ""
        self.words = "\(recording.format.rawValue), \(recording.epochs.count) positions\(dropped)"
        self.loop = group.next()
        self.state = .makeBoxSendingValue(
            State(playback: Playback(recording, settings, now: Clocks.now().monotonic)),
            eventLoop: self.loop
        )
        self.events = events
    }

    func start() {
        self.loop.execute {
            self.events(.ready)
            self.change { $0.started(now: $1) }
        }
    }

    func stop() {
        self.loop.execute { self.change { playback, _ in playback.stopped() } }
    }

    /// Changes the playback; nil leaves a setting as it is.
    ///
    /// - Parameters:
    ///   - isPaused: whether the playback is paused.
    ///   - speed: the factor of the recording's speed, in `Playback.speeds`.
    ///   - done: receives the changed playback and the time.
    func change(isPaused: Bool?, speed: Double?, done: @escaping @Sendable (Playback, EngineInstant) -> Void) {
        self.loop.execute {
            self.change { playback, now in
                if let speed { playback.speedChanged(to: speed, now: now) }
                if let isPaused { playback.paused(isPaused, now: now) }
                done(playback, now)
            }
        }
    }

    private func change(_ body: (inout Playback, EngineInstant) -> Void) {
        let now = Clocks.now().monotonic
        body(&self.state.value.playback, now)
        self.state.value.timer?.cancel()
        self.state.value.timer = self.state.value.playback.deadline.map { deadline in
            // Wait at most an hour; `deadlineReached()` ignores an early call.
            let wait = min(max(.zero, now.duration(to: deadline)), .seconds(3600))
            return self.loop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { self.deadlineReached() }
        }
    }

    private func deadlineReached() {
        self.change { playback, now in
            switch playback.deadlineReached(now: now) {
            case .ignore: break
            case .tell(let fix, let age):
                let time = (Clocks.now().wall - age).timeIntervalSince1970
                self.events(.fix(Fix(fix.stamped(at: time), receiver: nil)))
            }
        }
    }
}
