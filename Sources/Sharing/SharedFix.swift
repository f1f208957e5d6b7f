#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A measured position as it is shared.
public struct SharedFix: Sendable, Hashable {
    /// Degrees north, -90...90.
    public let latitude: Double
    /// Degrees east, -180...180.
    public let longitude: Double
    /// The radius of the circle that the position is in, in metres.
    public let horizontalAccuracy: Double
    /// When it was measured.
    public let time: WallTime
    /// Metres above the sea, if known.
    public let altitude: Double?
    /// The direction of movement in degrees clockwise from north, 0..<360, if known.
    public let course: Double?
    /// Metres per second, if known.
    public let speed: Double?

    /// Creates a fix.
    ///
    /// - Throws: ``SharingError`` naming the first value that is outside its range.
    public init(
        latitude: Double,
        longitude: Double,
        horizontalAccuracy: Double,
        time: WallTime,
        altitude: Double? = nil,
        course: Double? = nil,
        speed: Double? = nil
    ) throws {
        func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws {
            guard let value, !range.contains(value) else { return }
            throw SharingError(
                .badFix,
                "\(name) must be within \(range.lowerBound)...\(range.upperBound); "
                    + "leave out fixes that Core Location marks as invalid"
            )
        }
        try check("latitude", latitude, -90...90)
        try check("longitude", longitude, -180...180)
        try check("horizontalAccuracy", horizontalAccuracy, 0...1_000_000)
        try check("altitude", altitude, -100_000...100_000)
        try check("course", course, 0...360)
        try check("speed", speed, 0...100_000)
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.time = time
        self.altitude = altitude
        self.course = course
        self.speed = speed
    }

    /// The middle of the cell of about 5 km that the fix is in, without altitude, course and speed.
    ///
    /// Every fix in a cell gives the same point, so that many answers tell no more than one.
    public func reduced() throws -> SharedFix {
        let step = 0.05
        let row = min((self.latitude / step).rounded(.down), 90 / step - 1)
        let middle = (row + 0.5) * step
        // Columns are as wide as rows are high; a whole number of them goes round, so that the last is no sliver.
        let columns = max(1, (360 / step * Self.cosine(degrees: middle)).rounded())
        let column = min(((self.longitude + 180) / 360 * columns).rounded(.down), columns - 1)
        return try SharedFix(
            latitude: middle,
            longitude: (column + 0.5) / columns * 360 - 180,
            horizontalAccuracy: max(5000, self.horizontalAccuracy),
            time: self.time
        )
    }

    /// The cosine of an angle of -90°...90°, to six digits: the cells need no more, and no mathematical library.
    private static func cosine(degrees: Double) -> Double {
        let x = degrees * .pi / 180
        let y = x * x
        return 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90))))
    }
}
