internal import ArgumentParser
internal import WhereaboutsLocationDaemon
internal import WhereaboutsLocationSources

/// The options for playing a recording.
struct PlaybackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A recording to play instead of asking gpsd: GPX, NMEA 0183 or gpsd's JSON; `locationctl playback` pauses it.",
            valueName: "file"
        )
    )
    var replay: String?

    @Option(help: ArgumentHelp("How many times faster than recorded, 0.01 to 1000.", valueName: "factor"))
    var replaySpeed = 1.0

    @Option(help: ArgumentHelp("Longest random delay of a position in seconds, 0 to 60.", valueName: "seconds"))
    var replayJitter = 0.0

    @Flag(help: "Stay at the end of the recording instead of starting again.")
    var replayOnce = false

    @Flag(help: "Start paused, until `locationctl playback --resume`.")
    var replayPaused = false

    func validate() throws {
        let changed = [
            ("--replay-speed", self.replaySpeed != 1), ("--replay-jitter", self.replayJitter != 0),
            ("--replay-once", self.replayOnce), ("--replay-paused", self.replayPaused),
        ]
        if self.replay == nil, let (option, _) = changed.first(where: \.1) {
            throw ValidationError("\(option) needs a recording; name one with --replay")
        }
        guard Playback.speeds.contains(self.replaySpeed) else {
            throw ValidationError("--replay-speed must be 0.01 to 1000, not \(self.replaySpeed)")
        }
        guard (0...(Playback.jitterMax / .seconds(1))).contains(self.replayJitter) else {
            throw ValidationError("--replay-jitter must be 0 to 60 seconds, not \(self.replayJitter)")
        }
    }

    /// The recording as a source; nil: no recording is played.
    var source: DaemonConfiguration.Source? {
        self.replay.map { path in
            var settings = Playback.Settings()
            settings.speed = self.replaySpeed
            settings.jitter = .seconds(self.replayJitter)
            settings.loops = !self.replayOnce
            settings.isPaused = self.replayPaused
            return .replay(path: path, settings)
        }
    }
}
