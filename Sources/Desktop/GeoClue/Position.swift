/// A position in the form of GeoClue's Location object.
package struct Position: Sendable, Hashable {
    /// Degrees.
    package var latitude: Double
    /// Degrees.
    package var longitude: Double
    /// Metres.
    package var accuracy: Double
    /// Metres above mean sea level; nil: not known.
    package var altitude: Double?
    /// Metres a second; nil: not known.
    package var speed: Double?
    /// Degrees clockwise from north; nil: not known.
    package var heading: Double?
    /// Microseconds since 1970.
    package var time: Int64

    package init(
        latitude: Double,
        longitude: Double,
        accuracy: Double,
        altitude: Double? = nil,
        speed: Double? = nil,
        heading: Double? = nil,
        time: Int64
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.altitude = altitude
        self.speed = speed
        self.heading = heading
        self.time = time
    }

    /// The properties of `org.freedesktop.GeoClue2.Location`, in the order of its description.
    package var properties: [(name: String, value: BusValue)] {
        let time = UInt64(clamping: self.time)
        return [
            ("Latitude", .double(self.latitude)), ("Longitude", .double(self.longitude)),
            ("Accuracy", .double(self.accuracy)),
            // GeoClue's documentation defines these values for unknown properties.
            ("Altitude", .double(self.altitude ?? -Double.greatestFiniteMagnitude)),
            ("Speed", .double(self.speed ?? -1)), ("Heading", .double(self.heading ?? -1)),
            ("Description", .text("")), ("Timestamp", .time(seconds: time / 1_000_000, microseconds: time % 1_000_000)),
        ]
    }
}
