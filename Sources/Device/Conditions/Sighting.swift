public import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// A fix for conditions: a point, its uncertainty, and when it was measured.
public struct Sighting: Sendable, Hashable {
    /// Where the device was seen.
    public let point: QuantizedCoordinate
    /// The standard deviation along each axis, in millimetres, at least 1.
    public let sigma: Int64
    /// The speed over ground in millimetres a second, as the receiver measured it; nil without a measurement.
    public let speed: Int64?
    /// How long after its measurement the fix arrived; negative when it is from the future.
    public let age: Duration
    /// When the fix reached the engine.
    public let arrival: EngineInstant

    /// The instant of the measurement; for a fix from the future, that of its arrival.
    ///
    /// Computed from the arrival, so that a step of the wall clock between two fixes does not change their order.
    public var measured: EngineInstant { self.arrival - max(.zero, self.age) }

    /// Determines the uncertainty of a fix.
    ///
    /// - Parameters:
    ///   - point: the position.
    ///   - accuracy: √2 σ, the radius that 63 to 68 % of such fixes lie within, in millimetres; nil, 0 or negative when unknown.
    ///   - floor: the best accuracy that is accepted from its source, as ``AccuracyFloor`` learned it.
    ///   - speed: over ground in millimetres a second; nil when unknown.
    ///   - time: when the fix was measured, on the wall clock.
    ///   - now: both clocks at the arrival of the fix.
    ///   - policy: the numbers.
    public init(
        point: QuantizedCoordinate,
        accuracy: Int64?,
        floor: Int64 = 0,
        speed: Int64? = nil,
        time: WallTime,
        now: Now,
        policy: BeliefPolicy
    ) {
        let told = accuracy.flatMap { $0 > 0 ? $0 : nil } ?? policy.unknownAccuracy
        let believed = min(max(told, floor, policy.accuracyFloor), ConditionCircle.radiusMillimetersMax)
        self.point = point
        self.sigma = max(1, believed * 1000 / Self.accuracyOfSigma)
        self.speed = speed.flatMap { $0 >= 0 ? $0 : nil }
        self.age = time.duration(to: now.wall)
        self.arrival = now.monotonic
    }

    /// Core Location's accuracy is √(σ_east² + σ_north²), in thousandths of σ (`SourceFix` in LocationSources has the source).
    private static let accuracyOfSigma: Int64 = 1_414
}
