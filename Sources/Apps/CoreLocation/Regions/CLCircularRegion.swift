public import Foundation

/// All that is within a distance of a place.
open class CLCircularRegion: CLRegion {
    private let storedCenter: CLLocationCoordinate2D
    private let storedRadius: CLLocationDistance

    /// Creates a region of no area and no name.
    public override init() {
        self.storedCenter = kCLLocationCoordinate2DInvalid
        self.storedRadius = 0
        super.init()
    }

    /// Creates a region.
    ///
    /// - Parameters:
    ///   - center: the middle; a region around a coordinate that is not on Earth contains nothing.
    ///   - radius: metres; a region of a negative radius contains nothing.
    ///   - identifier: the region's name, one of its kind in an app.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        self.storedCenter = center
        self.storedRadius = radius
        super.init(identifier: identifier)
    }

    /// The middle.
    open var center: CLLocationCoordinate2D { self.storedCenter }
    /// The distance of the edge from the middle, in metres.
    open var radius: CLLocationDistance { self.storedRadius }

    /// Returns whether a coordinate is at most ``radius`` metres from ``center``, along the WGS-84 ellipsoid.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        // A comparison with NaN, where one of them is not on Earth, is false.
        self.center.metersAlongGeodesic(to: coordinate) <= self.radius
    }

    /// A text for people; it holds the position.
    open override var description: String {
        let radius = String(format: "%.2f", self.radius)
        return "CLCircularRegion (identifier:'\(self.identifier)', center:<\(self.center.text)>, radius:\(radius)m)"
    }

    /// Returns a region of the same area and name.
    open override func copy(with zone: NSZone? = nil) -> Any {
        self.withNotifications(
            of: self,
            CLCircularRegion(center: self.center, radius: self.radius, identifier: self.identifier)
        )
    }

    // MARK: Archives

    /// Reads a region from an archive.
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
