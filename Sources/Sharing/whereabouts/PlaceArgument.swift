internal import ArgumentParser
internal import WhereaboutsSharing

/// A place on the command line, such as `53.55,9.99`.
struct PlaceArgument: Sendable {
    let latitude: Double
    let longitude: Double

    @Sendable init(_ argument: String) throws {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], (-90...90).contains(latitude),
            (-180...180).contains(longitude)
        else {
            throw ValidationError(
                "'\(argument)' is not a place. Give latitude and longitude in degrees, from -90 to 90 and from -180 to 180: 53.55,9.99"
            )
        }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The place as a position of now, for a phone without a receiver.
    func fix(accuracy: Double) throws -> SharedFix {
        try SharedFix(
            latitude: self.latitude,
            longitude: self.longitude,
            horizontalAccuracy: accuracy,
            time: .now
        )
    }
}
