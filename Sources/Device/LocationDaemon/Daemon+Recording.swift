internal import Dispatch
internal import SwiftProtobuf
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages

/// `locationctl playback` controls the recording that plays.
extension Daemon {
    /// Changes the pause or speed of the playback, and replies with its new state.
    func play(_ order: WirePlaybackRequest, _ key: ObjectIdentifier) throws(DaemonError) {
        guard let playing = self.sources.playback else {
            throw DaemonError("locationd plays no recording; start it with --replay")
        }
        if order.hasSpeed, !Playback.speeds.contains(order.speed) {
            throw DaemonError(
                "the speed must be \(Playback.speeds.lowerBound) to \(Playback.speeds.upperBound), not \(order.speed)"
            )
        }
        let queue = self.executor.queue
        playing.change(
            isPaused: order.hasPaused ? order.paused : nil,
            speed: order.hasSpeed ? order.speed : nil
        ) { playback, now in
            let (settings, seconds) = (playback.settings, (playback.position(now: now) / .seconds(1)).rounded())
            let state = playback.isOver(now: now) ? "over" : settings.isPaused ? "paused" : "playing"
            let words =
                "\(state) at \(Int(seconds)) s of \(playing.words), "
                + "speed \(settings.speed)\(settings.loops ? "" : ", once")"
            queue.async { [weak self] in self?.assumeIsolated { $0.reply(Self.done(words), to: key) } }
        }
    }
}
