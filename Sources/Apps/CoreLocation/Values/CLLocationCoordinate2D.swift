internal import Foundation
internal import WhereaboutsGeodesy

/// A position on the WGS-84 ellipsoid.
///
/// Like Apple's, neither `Equatable`, `Hashable` nor `Codable`: apps declare these themselves.
public struct CLLocationCoordinate2D: Sendable, BitwiseCopyable {
    /// Degrees north of the equator, -90…90.
    public var latitude: CLLocationDegrees
    /// Degrees east of Greenwich, -180…180.
    public var longitude: CLLocationDegrees

    /// Creates the coordinate 0°, 0°.
    public init() {
        self.init(latitude: 0, longitude: 0)
    }

    /// Creates a coordinate; whether it lies on Earth is not checked.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Creates a coordinate.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees,
    _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Returns whether a coordinate has a latitude in -90…90 and a longitude in -180…180; NaN is not valid.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    (-90...90).contains(coord.latitude) && (-180...180).contains(coord.longitude)
}

extension CLLocationCoordinate2D {
    /// The length of the shortest path to another coordinate, in metres; NaN when one of them is not on Earth.
    ///
    /// Under a name that no app has: an app that forgot its own `distance(to:)` would be told that this one is internal.
    func metersAlongGeodesic(to other: CLLocationCoordinate2D) -> CLLocationDistance {
        guard let here = self.onEarth, let there = other.onEarth else { return .nan }
        return Geodesic.inverse(from: here, to: there).distance.value
    }

    /// The point on the ellipsoid; nil when the coordinate is not valid.
    private var onEarth: GeodeticCoordinate? {
        guard CLLocationCoordinate2DIsValid(self) else { return nil }
        return GeodeticCoordinate(latitude: self.latitude, longitude: self.longitude)
    }

    /// Degrees north and east with their signs and eight digits, as Apple writes them.
    var text: String { String(format: "%+.8f,%+.8f", self.latitude, self.longitude) }
}
