internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// Whether the device is still, by one rule (``Policy/stillness(of:)``).
///
/// ```
///                    fix inside                   fix inside, period over
///   unknown ──fix──▶ settling(circle, since) ──────────────────────────▶ still(middle)
///      ▲                ▲ │ departed                                         │
///      │                └─┴────────────────────── departed ──────────────────┘
///      └── lost, from every state
/// ```
/// A fix is inside if its distance from the circle's first fix, or once still from its middle, is at most the radius,
/// or twice the fix's uncertainty if that is more, since one fix in three is farther from the truth than its
/// uncertainty. The device departed if all fixes were outside for ``Policy/departurePatience``, since a receiver may
/// err for a moment. There is no deadline: a receiver that is on either delivers fixes or is lost.
public struct StationaryPause: Sendable, Hashable {
    /// When a device counts as still.
    public struct Rule: Sendable, Hashable {
        /// The radius of the circle that the device must not leave, in millimetres; more than 0.
        public var radius: Int32
        /// How long the device must stay inside; more than zero.
        public var period: Duration

        /// Creates a rule.
        public init(radius: Int32, period: Duration) {
            precondition(radius > 0, "a circle of stillness must have a radius > 0 mm, got \(radius)")
            precondition(period > .zero, "a period of stillness must be > 0 s, got \(period)")
            self.radius = radius
            self.period = period
        }
    }

    enum State: Sendable, Hashable {
        /// Unknown.
        case unknown
        /// The device has not left this circle since then.
        case settling(StillCircle, since: EngineInstant)
        /// The device stayed there for the period, and has not left.
        case still(middle: QuantizedCoordinate)
    }

    /// Whether the newest fixes agree with the state.
    enum Doubt: Sendable, Hashable {
        /// The last fix was inside, or there was none.
        case none
        /// All fixes since this instant were outside.
        case outside(since: EngineInstant)
    }

    private(set) var state: State = .unknown
    private(set) var doubt: Doubt = .none
    private let rule: Rule
    private let patience: Duration

    /// Creates the machine of a device without fixes.
    public init(rule: Rule, patience: Duration) {
        self.rule = rule
        self.patience = patience
    }

    /// Whether the device is still.
    public var isStill: Bool { if case .still = self.state { true } else { false } }

    /// Whether the device counts as still although the newest fix contradicts it.
    public var isDoubtful: Bool { self.isStill && self.doubt != .none }

    /// Records a fix.
    public mutating func fixReceived(_ fix: Fix, now: EngineInstant) {
        switch self.state {
        case .unknown:
            self.state = .settling(StillCircle(fix), since: now)
        case .settling(var circle, let since):
            guard self.isInside(fix, circle.first) else { return self.wasOutside(fix, now) }
            self.doubt = .none
            circle.add(fix, radius: self.rule.radius)
            let isOver = since.duration(to: now) >= self.rule.period
            self.state = isOver ? .still(middle: circle.middle) : .settling(circle, since: since)
        case .still(let middle):
            guard self.isInside(fix, middle) else { return self.wasOutside(fix, now) }
            self.doubt = .none
        }
    }

    /// Handles a fix outside the circle: the device left, or the receiver errs.
    private mutating func wasOutside(_ fix: Fix, _ now: EngineInstant) {
        guard case .outside(let since) = self.doubt else {
            self.doubt = .outside(since: now)
            return
        }
        guard since.duration(to: now) >= self.patience else { return }
        self.doubt = .none
        self.state = .settling(StillCircle(fix), since: now)
    }

    /// Records that no app needs the state any more, or that the receiver is off or unavailable.
    public mutating func lost() {
        self.state = .unknown
        self.doubt = .none
    }

    private func isInside(_ fix: Fix, _ anchor: QuantizedCoordinate) -> Bool {
        let point = fix.point
        let limit = max(Int64(self.rule.radius), 2 * Int64(fix.horizontalAccuracy ?? 0))
        // Most fixes need no geodesic. On WGS-84 1e-7 degree of latitude is 11.05…11.17 mm, of longitude 11.14 mm at most: a
        // fix is outside if its latitude alone is too far, and inside if both differences, as on a plain, are small enough.
        let north = abs(Int64(point.latitude) - Int64(anchor.latitude))
        if north * 1105 / 100 > limit { return false }
        let around = abs(Int64(point.longitude) - Int64(anchor.longitude))
        let east = min(around, 3_600_000_000 - around)
        let (most, farthest) = (Double(north) * 11.17, Double(east) * 11.14)
        if most * most + farthest * farthest < Double(limit) * Double(limit) { return true }
        let distance = Geodesic.millimeters(from: anchor, to: point)
        return distance <= limit
    }
}
