internal import CoreLocation

/// The measurements of a recording at one of its points, other than the place; nil: not recorded.
struct Recorded {
    let altitude: CLLocationDistance?
    let speed: CLLocationSpeed?
    let accuracy: CLLocationAccuracy?

    init(_ point: RecordedTrack.Point) {
        self.altitude = point.altitude
        self.speed = point.speed
        self.accuracy = point.accuracy
    }

    /// The measurements between two points, after a fraction of the way, 0…1.
    init(from begin: Recorded, to end: Recorded, after part: Double) {
        func between(_ value: KeyPath<Recorded, Double?>) -> Double? {
            guard let first = begin[keyPath: value] else { return nil }
            return first + ((end[keyPath: value] ?? first) - first) * part
        }
        self.altitude = between(\.altitude)
        self.speed = between(\.speed)
        self.accuracy = between(\.accuracy)
    }
}
