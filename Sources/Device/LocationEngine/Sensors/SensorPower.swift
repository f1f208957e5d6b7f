public import WhereaboutsVocabulary

/// Whether a sensor is on, and whether it knows its measurement: the receiver the position, the compass the heading.
///
/// ```
///         needed              measurement                silence
///   off ─────────▶ searching ─────────────▶ knowing ───────────────▶ unavailable
///    ▲                 │ patience over        ▲  │ source lost          ▲   │ measurement
///    │                 └──────────────────────┼──┴──────────────────────┘   │
///    └── linger over, from every state        └─────────────────────────────┘
///
///            the device stands still          until, or a new stream needs it
///   knowing ─────────────────────────▶ resting ──────────────────────────────▶ searching
/// ```
/// Ignored races: measurements while off, deadlines early, late or spurious.
public struct SensorPower: Sendable, Hashable {
    /// The state of the sensor's power and measurements.
    enum State: Sendable, Hashable {
        /// No client needs the sensor.
        case off
        /// On, without a measurement so far.
        case searching(since: EngineInstant)
        /// On, with a recent measurement.
        case knowing(last: EngineInstant)
        /// On, but silent for too long, or its source is lost.
        case unavailable
        /// Off for a while, because its last measurement is still valid.
        case resting(until: EngineInstant)
    }

    /// Whether an app or the engine needs the sensor.
    enum Need: Sendable, Hashable {
        case wanted
        /// No client needs the sensor; it stays on until then, in case a client needs it again.
        case lingering(until: EngineInstant)
    }

    private(set) var state: State = .off
    private(set) var need: Need = .lingering(until: EngineInstant(sinceStart: .zero))
    @Boxed private var policy: Policy

    /// Creates a sensor that is off.
    public init(policy: Policy) {
        self._policy = Boxed(policy)
    }

    /// Whether the sensor is powered down.
    public var isOff: Bool { self.state == .off }

    /// Whether the sensor is powered down although an app needs it.
    public var isResting: Bool { if case .resting = self.state { true } else { false } }

    /// Whether the sensor is on, with a recent measurement.
    var isKnowing: Bool { if case .knowing = self.state { true } else { false } }

    /// Whether streams must learn that the sensor has no measurement.
    public var isUnavailable: Bool { self.state == .unavailable }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        if self.state == .off { return nil }
        var earliest = self.changeOfState
        if case .lingering(let until) = self.need { earliest.lower(to: until) }
        return earliest
    }

    private var changeOfState: EngineInstant? {
        switch self.state {
        case .off, .unavailable: nil
        case .searching(let since): since.advanced(by: self.policy.acquisitionPatience)
        case .knowing(let last): last.advanced(by: self.policy.fixSilence)
        case .resting(let until): until
        }
    }

    /// Actions returned by ``needChanged(to:linger:now:)``.
    public enum OnNeed: Sendable, Hashable {
        case start
        /// Do nothing: the sensor is on, or stays on for a while.
        case ignore
    }

    /// Records whether an app needs the sensor's measurements.
    ///
    /// - Parameters:
    ///   - needed: whether an app needs them.
    ///   - linger: how long the sensor stays on after the last need; nil: ``Policy/receiverLinger``.
    ///   - now: the time.
    /// - Returns: whether to power the sensor up.
    public mutating func needChanged(to needed: Bool, linger: Duration? = nil, now: EngineInstant) -> OnNeed {
        switch (needed, self.need) {
        case (true, _):
            self.need = .wanted
            guard self.state == .off else { return .ignore }
            self.state = .searching(since: now)
            return .start
        case (false, .wanted) where self.isResting:
            self.state = .off
            self.need = .lingering(until: now)
            return .ignore
        case (false, .wanted):
            self.need = .lingering(until: now.advanced(by: linger ?? self.policy.receiverLinger))
            return .ignore
        case (false, .lingering):
            return .ignore
        }
    }

    /// Actions returned by ``restBegan(for:now:)``.
    public enum OnRest: Sendable, Hashable {
        case stop
        /// Do nothing: there is no measurement that could stay valid.
        case ignore
    }

    /// Records that the last measurement stays valid for a while; the sensor's users still need it.
    public mutating func restBegan(for duration: Duration, now: EngineInstant) -> OnRest {
        guard case .knowing = self.state, self.need == .wanted else { return .ignore }
        self.state = .resting(until: now.advanced(by: duration))
        return .stop
    }

    /// Records that the last measurement is no longer valid enough; ignored while the sensor does not rest.
    public mutating func restEnded(now: EngineInstant) -> OnNeed {
        guard self.isResting else { return .ignore }
        self.state = .searching(since: now)
        return .start
    }

    /// Actions returned by ``measured(tellsAccuracy:now:)``.
    public enum OnMeasurement: Sendable, Hashable {
        case deliver
        /// Drop the measurement: the sensor is off, or has just started and will become more accurate.
        case drop
    }

    /// Records a measurement.
    ///
    /// - Parameters:
    ///   - tellsAccuracy: whether the measurement has an accuracy.
    ///   - now: when the measurement arrived.
    /// - Returns: whether to use the measurement.
    public mutating func measured(tellsAccuracy: Bool, now: EngineInstant) -> OnMeasurement {
        switch self.state {
        case .off: return .drop
        case .searching(let since) where !tellsAccuracy && now < since.advanced(by: self.policy.accuracyPatience):
            return .drop
        // A measurement that was in progress when the sensor was switched off is still valid.
        case .resting: return .deliver
        case .searching, .knowing, .unavailable:
            self.state = .knowing(last: now)
            return .deliver
        }
    }

    /// Records that the source is gone, or will have no measurement soon; ignored while the sensor is off.
    public mutating func sourceLost() {
        switch self.state {
        case .off, .resting: break
        case .searching, .knowing, .unavailable: self.state = .unavailable
        }
    }

    /// Records that the source is back and searches; ignored while the sensor is off, or has a measurement.
    public mutating func sourceReady(now: EngineInstant) {
        switch self.state {
        case .unavailable: self.state = .searching(since: now)
        case .off, .searching, .knowing, .resting: break
        }
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        case stop
        /// Switch the sensor on: its rest is over.
        case start
        /// Notify streams of a change, if there is one.
        case announce
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        if self.state != .off, case .lingering(let until) = self.need, now >= until {
            self.state = .off
            return .stop
        }
        guard let change = self.changeOfState, now >= change else { return .announce }
        if self.isResting {
            self.state = .searching(since: now)
            return .start
        }
        self.state = .unavailable
        return .announce
    }
}
