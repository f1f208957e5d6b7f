internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// The device's position, course and speed, estimated from all fixes of all receivers (ADR 0093).
///
/// ```
///            fix                     fits
///   lost ──────────▶ following ◀──────────────┐
///    ▲                │  │ fix far away       │ the next ones fit again
///    └─ gapMax over ──┘  ▼                    │
///                     doubting(rival) ────────┘
///                        │ the rival's fixes agree for outlierPatience
///                        ▼
///                     following, there
/// ```
/// The reported accuracy is never better than the receiver's own figure for the fix, nor than the scatter of its fixes:
/// errors change over minutes, and no filter removes those. A fix that no receiver measured passes unchanged.
public struct FixEstimator: Sendable, Hashable {
    /// Whether there is a track to compare the next fix with.
    enum State: Sendable, Hashable {
        /// There is no fix, or the last one is too old.
        case lost
        /// The device is on this track.
        case following(Pursuit)
        /// The newest fixes are far from the track.
        case doubting(Pursuit, rival: Rival)
    }

    /// A track, and the means to undo its last measurement.
    struct Pursuit: Sendable, Hashable {
        var track: Track
        /// The track at the time of the last measurement, without it, in case the receiver corrects its fix; nil: the first measurement.
        var before: Track?
        var last: EngineInstant
    }

    /// Another track, formed by the outliers.
    struct Rival: Sendable, Hashable {
        var pursuit: Pursuit
        var count = 1
        let since: EngineInstant
    }

    private(set) var state = State.lost
    /// The best accuracy that is accepted from each receiver; looked up only.
    private var floors: [UInt8: AccuracyFloor] = [:]
    private let policy: EstimatePolicy
    private let beliefs: BeliefPolicy

    /// Two fixes this close in time are the same one, reported twice: no receiver has more than 50 a second.
    static let sameMoment = Duration.milliseconds(10)

    /// Creates the estimator of a device without a measurement.
    public init(policy: Policy) {
        self.policy = policy.estimates
        self.beliefs = policy.beliefs
    }

    /// Actions returned by ``fixReceived(_:now:)``.
    public enum OnFix: Sendable, Hashable {
        case use(Fix)
        case drop(FixDoubt)
    }

    /// Records a fix of a receiver that has a corrected time and an accuracy; other fixes pass unchanged.
    public mutating func fixReceived(_ fix: Fix, now: Now) -> OnFix {
        guard let receiver = fix.receiver, let accuracy = fix.horizontalAccuracy else { return .use(fix) }
        // Home Assistant has the same rule, with a limit of 1e-9°, which is smaller than the unit here.
        if fix.latitude == 0, fix.longitude == 0 { return .drop(.nowhere) }
        let floor = self.floors[receiver, default: AccuracyFloor()].value
        let believed = max(Int64(accuracy), floor, 1)
        let measurement = self.measurement(fix, accuracy: believed, now: now)
        var pursuit: Pursuit
        switch self.state {
        case .lost: return self.begin(fix, measurement)
        case .following(let known), .doubting(let known, _): pursuit = known
        }
        let elapsed = pursuit.last.duration(to: measurement.time)
        if elapsed > self.policy.gapMax { return self.begin(fix, measurement) }
        if elapsed <= .zero - Self.sameMoment { return .drop(.disordered) }
        if elapsed < Self.sameMoment, pursuit.before == nil { return self.begin(fix, measurement) }
        self.advance(&pursuit, to: measurement)
        let miss = pursuit.track.miss(measurement.point).length
        if elapsed <= self.beliefs.motionGapMax, elapsed >= Self.sameMoment {
            // The part of the miss that the measurement itself causes.
            let share = measurement.variance / (measurement.variance + pursuit.track.variance)
            self.floors[receiver, default: AccuracyFloor()]
                .errorSeen(Int64(min(miss * share.squareRoot() * 1000, 1e9)))
        }
        guard self.fits(miss, pursuit.track, measurement) else { return self.doubt(fix, measurement) }
        self.take(measurement, in: &pursuit)
        self.state = .following(pursuit)
        return .use(self.estimate(of: fix, pursuit.track, believed))
    }

    // MARK: The three ways

    private mutating func begin(_ fix: Fix, _ measurement: Track.Measurement) -> OnFix {
        let pursuit = Pursuit(measurement)
        self.state = .following(pursuit)
        return .use(self.estimate(of: fix, pursuit.track, 0))
    }

    /// Handles a fix that is far from the track.
    private mutating func doubt(_ fix: Fix, _ measurement: Track.Measurement) -> OnFix {
        let (next, action) = self.onOutlier(fix, measurement)
        self.state = next
        return action
    }

    private func onOutlier(_ fix: Fix, _ measurement: Track.Measurement) -> (State, OnFix) {
        let fresh = Rival(pursuit: Pursuit(measurement), since: measurement.time)
        switch self.state {
        case .lost: return (.following(fresh.pursuit), .use(fix))
        case .following(let pursuit): return (.doubting(pursuit, rival: fresh), .drop(.outlier))
        case .doubting(let pursuit, var rival):
            // A repeated measurement does not count twice.
            guard rival.pursuit.last.duration(to: measurement.time) >= Self.sameMoment else {
                return (self.state, .drop(.outlier))
            }
            self.advance(&rival.pursuit, to: measurement)
            let miss = rival.pursuit.track.miss(measurement.point).length
            guard self.fits(miss, rival.pursuit.track, measurement) else {
                return (.doubting(pursuit, rival: fresh), .drop(.outlier))
            }
            self.take(measurement, in: &rival.pursuit)
            rival.count += 1
            guard rival.count >= self.policy.outlierCountMin,
                rival.since.duration(to: measurement.time) >= self.policy.outlierPatience
            else { return (.doubting(pursuit, rival: rival), .drop(.outlier)) }
            return (.following(rival.pursuit), .use(self.estimate(of: fix, rival.pursuit.track, 0)))
        }
    }

    // MARK: Arithmetic

    private func measurement(_ fix: Fix, accuracy: Int64, now: Now) -> Track.Measurement {
        let meters = Double(accuracy) / 1000
        let noise = max(Int64(fix.speedAccuracy ?? 0), fix.speedAccuracy == nil ? self.policy.speedNoise : 100)
        return Track.Measurement(
            point: fix.point,
            // Half of the variance along each axis.
            variance: meters * meters / 2,
            velocity: self.velocity(of: fix),
            velocityVariance: Double(noise) * Double(noise) / 1e6,
            // A step of the wall clock between two fixes does not change their order.
            time: now.monotonic - max(.zero, fix.time.duration(to: now.wall))
        )
    }

    /// The velocity that the receiver measured; a slow velocity needs no course.
    private func velocity(of fix: Fix) -> PlaneVector? {
        guard let speed = fix.speed.map(Int64.init), (0...self.beliefs.speedMax).contains(speed) else { return nil }
        if let course = fix.course {
            return PlaneVector(length: Double(speed) / 1000, direction: Double(course) / 100)
        }
        return speed < self.policy.courseSpeedMin ? .zero : nil
    }

    private func advance(_ pursuit: inout Pursuit, to measurement: Track.Measurement) {
        let seconds = pursuit.last.duration(to: measurement.time) / .seconds(1)
        guard seconds >= Self.sameMoment / .seconds(1) else {
            if let before = pursuit.before { pursuit.track = before }
            return
        }
        pursuit.last = measurement.time
        pursuit.track.advance(by: seconds, acceleration: self.acceleration(pursuit.track, measurement))
        pursuit.before = pursuit.track
    }

    /// The acceleration that the device may have at its speed, in m/s²; the purposes of apps' streams do not matter.
    private func acceleration(_ track: Track, _ measurement: Track.Measurement) -> Double {
        let guessed = track.knowsVelocity ? 0 : track.velocityVariance.squareRoot()
        let speed = max(track.velocity.length + guessed, measurement.velocity?.length ?? 0) * 1000
        guard speed < Double(self.policy.vehicleSpeed) else {
            return Double(self.policy.vehicleAcceleration) / 1000
        }
        let isStill = speed < Double(self.policy.courseSpeedMin)
        return Double(isStill ? self.policy.stillAcceleration : self.policy.walkingAcceleration) / 1000
    }

    /// Whether a fix with this distance in metres from the prediction may belong to this track.
    private func fits(_ miss: Double, _ track: Track, _ measurement: Track.Measurement) -> Bool {
        // No accuracy below this is accepted, above all from a fix that may be refused.
        let least = Double(self.beliefs.accuracyFloor) / 1000
        let variance = track.variance + max(measurement.variance, least * least / 2)
        let sigmas = Double(self.policy.outlierSigmas)
        return miss * miss <= sigmas * sigmas * variance
    }

    private func take(_ measurement: Track.Measurement, in pursuit: inout Pursuit) {
        var measurement = measurement
        let sigmas = Double(self.policy.outlierSigmas)
        if pursuit.track.knowsVelocity, let velocity = measurement.velocity {
            let miss = (velocity - pursuit.track.velocity).length
            let variance = pursuit.track.velocityVariance + measurement.velocityVariance
            if miss * miss > sigmas * sigmas * variance { measurement.velocity = nil }
        }
        pursuit.track.take(measurement)
    }

    /// The fix with the place and the velocity of the track.
    private func estimate(of fix: Fix, _ track: Track, _ believed: Int64) -> Fix {
        var estimate = fix
        (estimate.latitude, estimate.longitude) = (track.point.latitude, track.point.longitude)
        let own = Self.millimeters((2 * track.variance).squareRoot())
        estimate.horizontalAccuracy = max(fix.horizontalAccuracy ?? 0, Int32(clamping: believed), own)
        guard fix.speed != nil, track.knowsVelocity else { return estimate }
        let speed = track.velocity.length
        let sigma = track.velocityVariance.squareRoot()
        estimate.speed = Self.millimeters(speed)
        estimate.speedAccuracy = fix.speedAccuracy ?? Self.millimeters(sigma)
        guard fix.course != nil, speed * 1000 >= Double(self.policy.courseSpeedMin), speed > sigma,
            let course = track.velocity.direction
        else {
            (estimate.course, estimate.courseAccuracy) = (nil, nil)
            return estimate
        }
        estimate.course = Int32((course * 100).rounded()) % 36_000
        estimate.courseAccuracy = fix.courseAccuracy ?? Int32((sigma / speed * (180 / .pi) * 100).rounded())
        return estimate
    }

    private static func millimeters(_ meters: Double) -> Int32 { Int32(min((meters * 1000).rounded(), 2e9)) }
}

extension FixEstimator.Pursuit {
    fileprivate init(_ measurement: Track.Measurement) {
        self.init(track: Track(measurement), before: nil, last: measurement.time)
    }
}
