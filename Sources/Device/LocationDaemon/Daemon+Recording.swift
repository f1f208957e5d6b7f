internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Recordings: `locationctl record` writes them, and `locationctl playback` controls the recording that plays.
extension Daemon {
    /// Starts to send a control connection the fixes of the sources, which run until the connection closes.
    func record(_ order: WireRecordRequest, _ key: ObjectIdentifier) throws(DaemonError) {
        guard self.recorders[key] == nil else { throw DaemonError("this connection already records") }
        var source = self.shownSource
        if order.raw > 0 {
            source = Int(order.raw) - 1
            try self.sources.tap(source) { [weak self, source] bytes in
                self?.assumeIsolated { $0.tell(bytes, of: source) }
            }
            self.recorders[key] = .bytes(of: source)
        } else {
            self.recorders[key] = .fixes
        }
        self.log(BundleID(""), "recording", "locationctl began to record what the receiver says.")
        self.reply(.with { $0.recordingBegun.source = self.sources.words(of: source) }, to: key)
        self.recordersChanged()
    }

    /// Tells the core whether a recording runs.
    func recordersChanged() { self.feed(.recordingChanged(isRecorded: !self.recorders.isEmpty)) }

    /// Records that a control connection is closed.
    func recordingEnded(_ key: ObjectIdentifier) {
        guard let recorder = self.recorders.removeValue(forKey: key) else { return }
        // The doctor receives no positions, so the end of its trial is not logged.
        guard recorder != .trial else { return self.recordersChanged() }
        if case .bytes(let source) = recorder, !self.recorders.values.contains(recorder) {
            self.sources.untap(source)
        }
        self.log(BundleID(""), "recording", "locationctl ended recording what the receiver says.")
        self.recordersChanged()
    }

    /// Sends recordings a fix of the source in use.
    func tellRecorders(_ fix: Fix) {
        for (key, recorder) in self.recorders {
            switch recorder {
            case .fixes: self.reply(.with { $0.recorded.fix = WireFix(fix) }, to: key)
            case .trial: self.trialEnded(key)
            case .bytes: break
            }
        }
    }

    private func tell(_ bytes: [UInt8], of source: Int) {
        for (key, recorder) in self.recorders where recorder == .bytes(of: source) {
            self.reply(.with { $0.recorded.raw = Data(bytes) }, to: key)
        }
    }

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
