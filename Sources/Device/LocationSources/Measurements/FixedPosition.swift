/// The position of a device that does not move, as its owner gives it.
public struct FixedPosition: Sendable, Hashable {
    /// The latitude in degrees, WGS-84, north positive, −90…90.
    public let latitude: Double
    /// The longitude in degrees, WGS-84, east positive, −180…180.
    public let longitude: Double
    /// The accuracy in metres, 1…10,000.
    public let accuracy: Double

    /// The accuracy in metres if none is given: a house.
    public static let defaultAccuracy = 20.0

    /// Reads `LATITUDE,LONGITUDE` or `LATITUDE,LONGITUDE,METRES`; nil if the text is something else or out of range.
    ///
    /// - Parameter text: decimal degrees, such as `53.5451,9.9672,30`; spaces after a comma are allowed.
    public init?(_ text: String) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            Double(part.drop { $0 == " " })
        }
        guard numbers.count == 2 || numbers.count == 3,
            let latitude = numbers[0], (-90...90).contains(latitude),
            let longitude = numbers[1], (-180...180).contains(longitude),
            let accuracy = numbers.count == 3 ? numbers[2] : Self.defaultAccuracy, (1...10_000).contains(accuracy)
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }

    /// A fix at this position.
    public var fix: SourceFix {
        var fix = SourceFix(
            latitude: self.latitude,
            longitude: self.longitude,
            horizontalAccuracy: self.accuracy,
            time: nil
        )
        fix.speed = 0
        fix.isEstimate = true
        return fix
    }
}
