internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The position and movement of a device, from the fixes so far: a Kalman filter for a velocity with random accelerations.
///
/// Errors to the east and to the north count as equal and independent, because receivers report one circle: one covariance
/// serves both axes. Kalman, "A New Approach to Linear Filtering and Prediction Problems" (1960); the motion noise is white
/// acceleration (Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, 6.2.2).
struct Track: Sendable, Hashable {
    /// The plane of the position, replaced when the device has left it.
    private var plane: LocalPlane
    private var position: PlaneVector
    private(set) var velocity: PlaneVector
    /// The variances of position and velocity along each axis, and their covariance: m², m²/s², m²/s.
    private(set) var variance: Double
    private(set) var velocityVariance: Double
    private var covariance: Double
    /// Whether a receiver ever measured the velocity; otherwise it is a guess.
    private(set) var knowsVelocity: Bool

    /// How far from the plane's middle the device may go, in metres.
    private static let reach = 1000.0
    /// The assumed speed of a device of unknown speed, in metres a second: a car in a town.
    private static let unknownSpeed = 15.0

    init(_ measurement: Measurement) {
        self.plane = LocalPlane(at: measurement.point)
        self.position = .zero
        self.velocity = measurement.velocity ?? .zero
        self.variance = measurement.variance
        self.velocityVariance =
            measurement.velocity.map { _ in measurement.velocityVariance }
            ?? Self.unknownSpeed * Self.unknownSpeed
        self.covariance = 0
        self.knowsVelocity = measurement.velocity != nil
    }

    /// The point of the estimate.
    var point: QuantizedCoordinate { self.plane.point(at: self.position) }

    /// Advances the track by a time.
    ///
    /// - Parameters:
    ///   - seconds: the time; zero or more.
    ///   - acceleration: the standard deviation of accelerations that last a second, in m/s².
    mutating func advance(by seconds: Double, acceleration: Double) {
        let density = acceleration * acceleration
        self.position = self.position + self.velocity * seconds
        self.variance +=
            seconds * (2 * self.covariance + seconds * (self.velocityVariance + seconds * density / 3))
        self.covariance += seconds * (self.velocityVariance + seconds * density / 2)
        self.velocityVariance += seconds * density
        guard self.position.length > Self.reach else { return }
        self.plane = LocalPlane(at: self.point)
        self.position = .zero
    }

    /// The vector from the estimate to a point, in metres.
    func miss(_ point: QuantizedCoordinate) -> PlaneVector { self.plane.vector(to: point) - self.position }

    mutating func take(_ measurement: Measurement) {
        let miss = self.miss(measurement.point)
        let total = self.variance + measurement.variance
        let (gain, drag) = (self.variance / total, self.covariance / total)
        self.position = self.position + miss * gain
        self.velocity = self.velocity + miss * drag
        self.velocityVariance -= drag * self.covariance
        self.covariance *= 1 - gain
        self.variance *= 1 - gain
        if let velocity = measurement.velocity { self.take(velocity, measurement.velocityVariance) }
    }

    private mutating func take(_ velocity: PlaneVector, _ variance: Double) {
        let miss = velocity - self.velocity
        let total = self.velocityVariance + variance
        let (gain, drag) = (self.velocityVariance / total, self.covariance / total)
        self.velocity = self.velocity + miss * gain
        self.position = self.position + miss * drag
        self.variance -= drag * self.covariance
        self.covariance *= 1 - gain
        self.velocityVariance *= 1 - gain
        self.knowsVelocity = true
    }
}

extension Track {
    /// A measured position, and a velocity if the receiver reports one.
    struct Measurement: Sendable, Hashable {
        var point: QuantizedCoordinate
        /// Along each axis, in m².
        var variance: Double
        var velocity: PlaneVector?
        /// Along each axis, in m²/s².
        var velocityVariance: Double
        var time: EngineInstant
    }
}
