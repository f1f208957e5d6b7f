public import WhereaboutsVocabulary

/// Plays a recording: decides which fix is reported when.
///
/// ```
///           started                paused, or the end without a loop
///   off ─────────────▶ moving ─────────────────────────────────────▶ standing
///    ▲ stopped            ▲──────────────── resumed ───────────────────┘
/// ```
/// The recording continues while no positions are needed, because a device moves while its receiver is off. On a known path
/// between two fixes, a position is reported each second, so that a sparse or slow recording is no loss of reception. A
/// paused or finished playback reports its position each second, with speed zero. An early timer changes nothing.
public struct Playback: Sendable {
    /// How a recording is played.
    public struct Settings: Sendable, Hashable {
        /// The speed relative to the recording, in ``speeds``.
        public var speed = 1.0
        /// Whether the recording starts again after the last position; otherwise the device stays there.
        public var loops = true
        /// Whether playback starts paused.
        public var isPaused = false
        /// The greatest delay of a reported fix, 0 to ``jitterMax``: a slow line, or a busy computer.
        public var jitter = Duration.zero
        /// The seed that determines the delay of each fix.
        public var seed: UInt64 = 1

        /// Creates the settings of a plain playback.
        public init() {}
    }

    /// The speeds that a recording can be played at: slower, the device would not seem to move; faster, positions would jump.
    public static let speeds = 0.01...1000.0
    /// The longest delay of a fix.
    ///
    /// Source: our choice; twice the age beyond which conditions refuse a fix.
    public static let jitterMax = Duration.seconds(60)
    /// The time between two reported fixes, on a recorded path and while the playback is paused.
    static let interval = Duration.seconds(1)
    /// The minimum time between two fixes, so that fast playback reports fewer of them.
    static let leastInterval = Duration.milliseconds(100)
    /// The delay of a host after which playback continues from now, because the host was suspended.
    static let patience = Duration.seconds(2)

    /// A fix to be reported.
    private struct Next: Sendable {
        /// The instants of measurement and of the report.
        var measured, told: EngineInstant
        /// The time in the recording; nil: paused.
        var offset: Duration?
    }

    /// The recording.
    public let recording: Recording
    /// The settings as they are now.
    public private(set) var settings: Settings
    private var isOn = false
    /// An instant, and the time in the recording then.
    private var anchor: (instant: EngineInstant, offset: Duration)
    private var next: Next?
    private var random: SeededGenerator

    /// Creates a playback that begins now, and reports nothing before it is started.
    public init(_ recording: Recording, _ settings: Settings, now: EngineInstant) {
        precondition(Self.speeds.contains(settings.speed), "a speed is in \(Self.speeds), got \(settings.speed)")
        precondition(
            settings.jitter >= .zero && settings.jitter <= Self.jitterMax,
            "a jitter is 0 to \(Self.jitterMax), got \(settings.jitter)"
        )
        self.recording = recording
        self.settings = settings
        self.anchor = (now, .zero)
        self.random = SeededGenerator(seed: settings.seed)
    }

    /// The instant to call ``deadlineReached(now:)`` at; nil: no fix is pending.
    public var deadline: EngineInstant? { self.next?.told }

    /// The time in the recording, without the finished laps.
    public func position(now: EngineInstant) -> Duration {
        let offset = self.offset(now)
        return self.settings.loops ? offset - self.recording.lap * Int(offset / self.recording.lap) : offset
    }

    /// Whether playback has finished, and the device stays at the end of the recording.
    public func isOver(now: EngineInstant) -> Bool { !self.settings.loops && self.offset(now) >= self.end }

    // MARK: Inputs

    /// Records that positions are needed.
    public mutating func started(now: EngineInstant) {
        guard !self.isOn else { return }
        self.isOn = true
        self.begin(now)
    }

    /// Records that positions are not needed.
    public mutating func stopped() {
        self.isOn = false
        self.next = nil
    }

    /// Pauses or resumes the recording.
    public mutating func paused(_ isPaused: Bool, now: EngineInstant) {
        self.reanchor(now)
        self.settings.isPaused = isPaused
        if self.isOn { self.begin(now) }
    }

    /// Changes the speed of the playback to one within ``speeds``.
    public mutating func speedChanged(to speed: Double, now: EngineInstant) {
        precondition(Self.speeds.contains(speed), "a speed is in \(Self.speeds), got \(speed)")
        self.reanchor(now)
        self.settings.speed = speed
        if self.isOn { self.begin(now) }
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Report the fix, which was measured that long ago; its own time is the recorded one.
        case tell(SourceFix, age: Duration)
        case ignore
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        guard let next = self.next, now >= next.told else { return .ignore }
        let isLate = next.told.duration(to: now) > Self.patience
        guard !isLate else {
            self.begin(now)
            return .ignore
        }
        self.schedule(after: next.measured, at: next.offset ?? self.offset(next.measured), isFirst: false)
        guard let fix = next.offset.map({ self.fix(at: $0) }) ?? self.standing(now) else { return .ignore }
        return .tell(fix, age: next.measured.duration(to: now))
    }

    // MARK: Times

    private var end: Duration { self.recording.epochs.last?.offset ?? .zero }

    private func offset(_ instant: EngineInstant) -> Duration {
        guard !self.settings.isPaused else { return self.anchor.offset }
        let offset = self.anchor.offset + self.anchor.instant.duration(to: instant) * self.settings.speed
        return self.settings.loops ? offset : min(offset, max(self.end, self.anchor.offset))
    }

    private func instant(of offset: Duration) -> EngineInstant {
        self.anchor.instant.advanced(by: max(.zero, (offset - self.anchor.offset) / self.settings.speed))
    }

    /// Moves the anchor to now, before the settings change.
    private mutating func reanchor(_ now: EngineInstant) { self.anchor = (now, self.offset(now)) }

    /// Decides the first fix from now on.
    private mutating func begin(_ now: EngineInstant) {
        self.next = nil
        self.schedule(after: now, at: self.offset(now), isFirst: true)
    }

    /// Decides which fix follows the reported fix.
    ///
    /// At the start, the fix of the current moment counts, too.
    private mutating func schedule(after last: EngineInstant, at offset: Duration, isFirst: Bool) {
        guard !self.settings.isPaused, self.settings.loops || offset < self.end else {
            return self.schedule(measured: isFirst ? last : last.advanced(by: Self.interval), offset: nil)
        }
        var number = self.recording.number(after: isFirst ? offset - .milliseconds(1) : offset)
        let least = last.advanced(by: isFirst ? .zero : Self.leastInterval)
        while let epoch = self.epoch(number + 1), self.instant(of: epoch.offset) <= least { number += 1 }
        guard let epoch = self.epoch(number) else {
            return self.schedule(measured: last.advanced(by: Self.interval), offset: nil)
        }
        let instant = self.instant(of: epoch.offset)
        if epoch.isConnected, last.duration(to: instant) > Self.interval * 1.5 {
            let between = last.advanced(by: Self.interval)
            return self.schedule(measured: between, offset: self.offset(between))
        }
        self.schedule(measured: max(instant, least), offset: epoch.offset)
    }

    private func epoch(_ number: Int) -> Recording.Epoch? {
        guard self.settings.loops || number < self.recording.epochs.count else { return nil }
        return self.recording.epoch(number)
    }

    private mutating func schedule(measured: EngineInstant, offset: Duration?) {
        let jitter = self.settings.jitter * Double.random(in: 0...1, using: &self.random)
        // A fix cannot overtake an earlier one on a line.
        let told = max(measured.advanced(by: jitter), self.next?.told ?? measured)
        self.next = Next(measured: measured, told: told, offset: offset)
    }

    // MARK: Fixes

    /// The fix at a time in the recording: the newest one, or an interpolated one on a known path.
    private func fix(at offset: Duration) -> SourceFix? {
        let number = self.recording.number(after: offset)
        guard number > 0 else { return nil }
        let last = self.recording.epoch(number - 1)
        var fix = last.fix
        if let next = self.epoch(number), next.isConnected, offset > last.offset {
            fix = last.fix.between(next.fix, after: (offset - last.offset) / (next.offset - last.offset))
        }
        fix.speed = fix.speed.map { $0 * self.settings.speed }
        fix.speedAccuracy = fix.speedAccuracy.map { $0 * self.settings.speed }
        return fix
    }

    /// The fix of a still device; nil without reception.
    private func standing(_ now: EngineInstant) -> SourceFix? {
        let offset = self.offset(now)
        let number = self.recording.number(after: offset)
        guard number > 0 else { return nil }
        let isReceiving = self.epoch(number).map { $0.isConnected } ?? true
        let last = self.recording.epoch(number - 1)
        guard isReceiving || offset - last.offset <= Recording.silenceMax, var fix = self.fix(at: offset) else {
            return nil
        }
        (fix.speed, fix.course, fix.courseAccuracy) = (fix.speed.map { _ in 0 }, nil, nil)
        return fix
    }
}

extension SourceFix {
    /// The fix at a fraction 0…1 of the path to another one; values that one of both lacks stay unknown.
    fileprivate func between(_ other: SourceFix, after part: Double) -> SourceFix {
        func between(_ value: KeyPath<SourceFix, Double?>) -> Double? {
            guard let first = self[keyPath: value], let second = other[keyPath: value] else { return nil }
            return first + (second - first) * part
        }
        var fix = self
        fix.latitude += (other.latitude - self.latitude) * part
        // The shorter way around the Earth.
        fix.longitude += (other.longitude - self.longitude).remainder(dividingBy: 360) * part
        fix.longitude = fix.longitude.remainder(dividingBy: 360)
        fix.altitude = between(\.altitude)
        fix.ellipsoidalAltitude = between(\.ellipsoidalAltitude)
        fix.speed = between(\.speed)
        return fix
    }
}
