internal import Foundation
internal import WhereaboutsGeodesy

/// A latitude and a longitude on the WGS 84 ellipsoid.
///
/// As on Apple's platforms, the type conforms to neither `Equatable`, `Hashable` nor `Codable`, so that apps can
/// declare the conformances.
public struct CLLocationCoordinate2D: Sendable, BitwiseCopyable {
    /// The latitude in degrees, from -90 to 90; positive values are north of the equator.
    public var latitude: CLLocationDegrees
    /// The longitude in degrees, from -180 to 180; positive values are east of the prime meridian.
    public var longitude: CLLocationDegrees

    /// Creates the coordinate 0°, 0°.
    public init() {
        self.init(latitude: 0, longitude: 0)
    }

    /// Creates a coordinate.
    ///
    /// The values are not checked; see ``CLLocationCoordinate2DIsValid(_:)``.
    ///
    /// - Parameters:
    ///   - latitude: the latitude in degrees.
    ///   - longitude: the longitude in degrees.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Returns a coordinate with a latitude and a longitude in degrees.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees,
    _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Returns whether a coordinate is on Earth.
///
/// - Parameter coord: the coordinate.
/// - Returns: `true` if the latitude is between -90 and 90 degrees and the longitude between -180 and 180 degrees;
///   `false` if one of them is NaN.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    (-90...90).contains(coord.latitude) && (-180...180).contains(coord.longitude)
}

extension CLLocationCoordinate2D {
    /// The length of the shortest path to another coordinate, in metres; NaN when one of the coordinates is not on Earth.
    ///
    /// The unusual name keeps the compiler from suggesting this method to an app that lacks its own `distance(to:)`.
    func metersAlongGeodesic(to other: CLLocationCoordinate2D) -> CLLocationDistance {
        guard let here = self.onEarth, let there = other.onEarth else { return .nan }
        return Geodesic.inverse(from: here, to: there).distance.value
    }

    /// The point on the ellipsoid; nil when the coordinate is not valid.
    private var onEarth: GeodeticCoordinate? {
        guard CLLocationCoordinate2DIsValid(self) else { return nil }
        return GeodeticCoordinate(latitude: self.latitude, longitude: self.longitude)
    }

    /// Degrees north and east with their signs and eight digits, in Apple's form.
    var text: String { String(format: "%+.8f,%+.8f", self.latitude, self.longitude) }
}
