/// Something that a monitor watches.
///
/// Held in integers: a condition that an app adds again at every launch must compare equal to the stored one.
public enum Condition: Sendable, Hashable {
    /// The device is within a circle on the ground.
    case circle(Circle)
    /// The device is near one of these beacons.
    case beacon(BeaconIdentity)

    /// A circle on the ground.
    public struct Circle: Sendable, Hashable {
        /// The latitude of the middle in 1e-7 degree.
        public var latitude: Int32
        /// The longitude of the middle in 1e-7 degree.
        public var longitude: Int32
        /// The radius in millimetres.
        public var radius: Int32

        /// Creates a circle, which ``Condition/isSupported(_:)`` checks.
        public init(latitude: Int32, longitude: Int32, radius: Int32) {
            self.latitude = latitude
            self.longitude = longitude
            self.radius = radius
        }
    }

    /// Whether the device can watch the condition: a valid centre, and a radius between zero and the largest.
    public func isSupported(_ policy: Policy) -> Bool {
        switch self {
        case .circle(let circle):
            (-900_000_000...900_000_000).contains(circle.latitude)
                && (-1_800_000_000...1_800_000_000).contains(circle.longitude)
                && circle.radius > 0 && circle.radius <= policy.conditionRadiusMax
        case .beacon: true
        }
    }

    /// The sensor that detects the condition.
    var sensor: Sensor {
        switch self {
        case .circle: .receiver
        case .beacon: .scanner
        }
    }

    /// Whether two conditions share the limit of an app (``Policy/conditionsMax``).
    func isOfType(of other: Condition) -> Bool {
        switch (self, other) {
        case (.circle, .circle), (.beacon, .beacon): true
        case (.circle, _), (.beacon, _): false
        }
    }
}

/// The state of a condition.
public enum ConditionState: Int, Sendable, Hashable, CaseIterable {
    /// Unknown.
    case unknown = 0
    /// The condition is satisfied.
    case satisfied
    /// The condition is not satisfied.
    case unsatisfied
}
