public import Foundation

/// A circular area on the ground.
@available(iOS, deprecated: 100000.0, message: "Use CLCircularGeographicCondition")
open class CLCircularRegion: CLRegion {
    private let storedCenter: CLLocationCoordinate2D
    private let storedRadius: CLLocationDistance

    /// Creates a region without an area, with an empty identifier.
    public override init() {
        self.storedCenter = kCLLocationCoordinate2DInvalid
        self.storedRadius = 0
        super.init()
    }

    /// Creates a region from the center and the radius of a circle.
    ///
    /// - Parameters:
    ///   - center: the center. A region around an invalid coordinate contains nothing.
    ///   - radius: the radius in meters. A region with a negative radius contains nothing.
    ///   - identifier: the identifier of the region, unique in the app.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        self.storedCenter = center
        self.storedRadius = radius
        super.init(identifier: identifier)
    }

    /// The center of the circle.
    open var center: CLLocationCoordinate2D { self.storedCenter }
    /// The radius of the circle, in meters.
    open var radius: CLLocationDistance { self.storedRadius }

    /// Returns whether a coordinate is inside the circle, along the WGS 84 ellipsoid.
    ///
    /// The calculation does not involve the device's location. An invalid coordinate is outside.
    ///
    /// - Parameter coordinate: the coordinate.
    /// - Returns: whether its distance from ``center`` is at most ``radius``.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        // If one of the coordinates is invalid, the distance is NaN and the comparison is false.
        self.center.metersAlongGeodesic(to: coordinate) <= self.radius
    }

    /// A textual representation of the region.
    ///
    /// It contains the coordinate: keep it out of logs.
    open override var description: String {
        let radius = String(format: "%.2f", self.radius)
        return "CLCircularRegion (identifier:'\(self.identifier)', center:<\(self.center.text)>, radius:\(radius)m)"
    }

    /// Returns a copy of the region.
    open override func copy(with zone: NSZone? = nil) -> Any {
        self.withNotifications(
            of: self,
            CLCircularRegion(center: self.center, radius: self.radius, identifier: self.identifier)
        )
    }

    // MARK: Archives

    /// Creates a region from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
    public required init?(coder: NSCoder) {
        guard let (center, radius) = coder.read({ (try $0.coordinate(), try $0.number("radius")) }) else { return nil }
        self.storedCenter = center
        self.storedRadius = radius
        super.init(coder: coder)
    }

    /// Writes the region to an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.write(self.storedCenter)
        coder.write(self.storedRadius, "radius")
    }
}
