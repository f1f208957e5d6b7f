internal import Geodesy
public import Vocabulary

/// Whether the device stands still, by one rule (``Policy/stillness(of:)``).
///
/// ```
///                    fix inside                        fix inside, period over
///   unknown ──fix──▶ settling(anchor, since) ─────────────────────────────────▶ still(anchor)
///      ▲                  │  ▲ fix outside: new anchor                              │
///      │                  └──┘ ◀──────────────────── fix outside ───────────────────┘
///      └── lost, from every state
/// ```
/// Inside means: no farther from the anchor than the radius, or than the fix is uncertain if that is more. There is no
/// deadline: a receiver that is on gives fixes, and one that does not is lost.
public struct StationaryPause: Sendable, Hashable {
    /// When a device counts as still.
    public struct Rule: Sendable, Hashable {
        /// The radius of the circle it must not leave, in millimetres; more than 0.
        public var radius: Int32
        /// How long it must stay inside; more than zero.
        public var period: Duration

        /// Creates a rule.
        public init(radius: Int32, period: Duration) {
            precondition(radius > 0, "a circle of stillness must have a radius > 0 mm, got \(radius)")
            precondition(period > .zero, "a period of stillness must be > 0 s, got \(period)")
            self.radius = radius
            self.period = period
        }
    }

    /// Where the device is.
    enum State: Sendable, Hashable {
        /// Nobody knows.
        case unknown
        /// Every fix since then stayed inside the circle around the anchor.
        case settling(anchor: QuantizedCoordinate, since: EngineInstant)
        /// It stayed there for the period, and is still there.
        case still(anchor: QuantizedCoordinate)
    }

    private(set) var state: State = .unknown
    private let rule: Rule

    /// Creates the machine of a device nobody watched.
    public init(rule: Rule) {
        self.rule = rule
    }

    /// Whether the device stands still.
    public var isStill: Bool { if case .still = self.state { true } else { false } }

    /// Records a fix.
    public mutating func fixReceived(_ fix: Fix, now: EngineInstant) {
        switch self.state {
        case .settling(let anchor, let since):
            guard self.isInside(fix, anchor) else {
                self.state = .settling(anchor: fix.point, since: now)
                return
            }
            if since.duration(to: now) >= self.rule.period { self.state = .still(anchor: anchor) }
        case .still(let anchor):
            if !self.isInside(fix, anchor) { self.state = .settling(anchor: fix.point, since: now) }
        case .unknown:
            self.state = .settling(anchor: fix.point, since: now)
        }
    }

    /// Records that nobody watches any more, or nobody can.
    public mutating func lost() {
        self.state = .unknown
    }

    private func isInside(_ fix: Fix, _ anchor: QuantizedCoordinate) -> Bool {
        let point = fix.point
        let limit = Int64(max(self.rule.radius, fix.horizontalAccuracy ?? 0))
        // Most fixes need no geodesic. On WGS-84 1e-7 degree of latitude is 11.05…11.17 mm, of longitude 11.14 mm at most:
        // latitude alone may be too far, and both together, as on a plain, may be near enough.
        let north = abs(Int64(point.latitude) - Int64(anchor.latitude))
        if north * 1105 / 100 > limit { return false }
        let around = abs(Int64(point.longitude) - Int64(anchor.longitude))
        let east = min(around, 3_600_000_000 - around)
        let (most, farthest) = (Double(north) * 11.17, Double(east) * 11.14)
        if most * most + farthest * farthest < Double(limit) * Double(limit) { return true }
        let distance = Geodesic.inverse(from: anchor.coordinate, to: point.coordinate).distance.millimeters
        return distance <= limit
    }
}
