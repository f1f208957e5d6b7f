public import WhereaboutsVocabulary

/// The time that a source was on since the host started, and the energy that its receiver used.
///
/// A receiver that was switched on acquires satellites until its first position; after it, the receiver tracks them.
public struct EnergyAccount: Sendable, Hashable {
    /// The power of a receiver in milliwatts.
    public struct Power: Sendable, Hashable {
        /// The power until the first position.
        public var acquiring: Int64
        /// The power after the first position.
        public var tracking: Int64

        /// A satellite receiver of today: 32 mA and 29 mA at 3.0 V, with GPS and GLONASS.
        ///
        /// Source: u-blox SAM-M8Q data sheet, UBX-16012619 R04, table 8. The additional power of a device that stays
        /// awake is not counted.
        public static let satellites = Power(acquiring: 96, tracking: 87)

        /// Creates the power of a receiver.
        public init(acquiring: Int64, tracking: Int64) {
            self.acquiring = acquiring
            self.tracking = tracking
        }
    }

    /// The times of a source.
    public struct Times: Sendable, Hashable {
        /// The time when the source was on, without a position so far.
        public var acquiring = Duration.zero
        /// The time when the source was on, after a position.
        public var tracking = Duration.zero
        /// The whole time, on and off.
        public var whole = Duration.zero

        /// Creates times of zero.
        public init() {}
    }

    private enum State: Sendable, Hashable {
        /// The source is off.
        case off
        /// The source is on since then, without a position.
        case acquiring(since: EngineInstant)
        /// The source is on, and reported its first position then.
        case tracking(since: EngineInstant)
    }

    private var state = State.off
    private var ended = Times()
    private let begin: EngineInstant
    private let power: Power?

    /// Creates the account of a source that is off.
    ///
    /// - Parameters:
    ///   - power: the power of its receiver; nil: unknown.
    ///   - now: when the host started.
    public init(_ power: Power?, now: EngineInstant) {
        self.power = power
        self.begin = now
    }

    /// Records that the source was switched on; has no effect when it is on.
    public mutating func switchedOn(now: EngineInstant) {
        if self.state == .off { self.state = .acquiring(since: now) }
    }

    /// Records that the source was switched off; has no effect when it is off.
    public mutating func switchedOff(now: EngineInstant) {
        self.ended = self.times(now: now)
        self.state = .off
    }

    /// Records a position; ignored while the source is off.
    public mutating func fixCame(now: EngineInstant) {
        guard case .acquiring = self.state else { return }
        self.ended = self.times(now: now)
        self.state = .tracking(since: now)
    }

    /// Whether the source is on.
    public var isOn: Bool { self.state != .off }

    /// The times so far.
    public func times(now: EngineInstant) -> Times {
        var times = self.ended
        times.whole = self.begin.duration(to: now)
        switch self.state {
        case .off: break
        case .acquiring(let since): times.acquiring += since.duration(to: now)
        case .tracking(let since): times.tracking += since.duration(to: now)
        }
        return times
    }

    /// The energy used so far, and that of a receiver that tracks all the time, in millijoules; nil when the power is unknown.
    public func millijoules(now: EngineInstant) -> (used: Int64, alwaysOn: Int64)? {
        guard let power else { return nil }
        let times = self.times(now: now)
        let used = Self.energy(power.acquiring, times.acquiring) + Self.energy(power.tracking, times.tracking)
        return (used, Self.energy(power.tracking, times.whole))
    }

    private static func energy(_ milliwatts: Int64, _ time: Duration) -> Int64 {
        let parts = time.components
        return milliwatts * parts.seconds + milliwatts * (parts.attoseconds / 1_000_000_000_000_000) / 1000
    }
}
