internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// A measured position in the form in which it is shared.
public struct SharedFix: Sendable, Hashable {
    /// Degrees north, -90...90.
    public let latitude: Double
    /// Degrees east, -180...180.
    public let longitude: Double
    /// The radius of the circle that contains the position, in metres.
    public let horizontalAccuracy: Double
    /// When the position was measured.
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
    ) throws(SharingError) {
        func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws(SharingError) {
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
        self.time = time.wholeMilliseconds
        self.altitude = altitude
        self.course = course
        self.speed = speed
    }

    /// The middle of the cell of about 5 km that contains the fix, without altitude, course and speed.
    ///
    /// The grid is that of the device's own reduced accuracy, because the intersection of two grids would be smaller than a
    /// cell. Every fix in a cell gives the same point, so that many answers reveal no more than one.
    public func reduced() throws(SharingError) -> SharedFix {
        let grid = Grid.reducedAccuracy
        let point = QuantizedCoordinate(
            latitude: Int((self.latitude * 1e7).rounded()),
            longitude: Int((self.longitude * 1e7).rounded())
        )
        let middle = grid.center(of: grid.cell(containing: point))
        return try SharedFix(
            latitude: Double(middle.latitude) / 1e7,
            longitude: Double(middle.longitude) / 1e7,
            horizontalAccuracy: max(5000, self.horizontalAccuracy),
            time: self.time
        )
    }
}
