/// A displacement or a velocity on a plane, as its components to the east and to the north.
public struct PlaneVector: Sendable, Hashable {
    /// The component to the east.
    public var east: Double
    /// The component to the north.
    public var north: Double

    /// The zero vector.
    public static let zero = PlaneVector(east: 0, north: 0)

    /// Creates a vector from its components.
    public init(east: Double, north: Double) {
        self.east = east
        self.north = north
    }

    /// Creates a vector from a length and a direction.
    ///
    /// - Parameters:
    ///   - length: the length; zero or more.
    ///   - direction: degrees clockwise from north; finite.
    public init(length: Double, direction: Double) {
        let azimuth = Azimuth(degrees: direction)
        self.init(east: length * azimuth.sine, north: length * azimuth.cosine)
    }

    /// The length.
    public var length: Double { hypotenuse(self.east, self.north) }

    /// The direction in degrees clockwise from north, 0..<360; nil for the zero vector.
    public var direction: Double? {
        guard self.length > 0 else { return nil }
        let degrees = Azimuth(phaseOf: self.north, self.east).degrees
        return degrees < 0 ? min(degrees + 360, (360.0).nextDown) : degrees
    }

    /// The sum.
    public static func + (lhs: PlaneVector, rhs: PlaneVector) -> PlaneVector {
        PlaneVector(east: lhs.east + rhs.east, north: lhs.north + rhs.north)
    }

    /// The difference.
    public static func - (lhs: PlaneVector, rhs: PlaneVector) -> PlaneVector {
        PlaneVector(east: lhs.east - rhs.east, north: lhs.north - rhs.north)
    }

    /// The vector, scaled.
    public static func * (lhs: PlaneVector, rhs: Double) -> PlaneVector {
        PlaneVector(east: lhs.east * rhs, north: lhs.north * rhs)
    }
}
