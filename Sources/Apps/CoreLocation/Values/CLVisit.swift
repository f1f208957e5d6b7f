public import Foundation

/// A stay of the device at a place.
///
/// Visits arrive in ``CLLocationManagerDelegate/locationManager(_:didVisit:)``: one at the arrival, and one at the
/// departure with both dates.
open class CLVisit: NSObject, NSCopying, NSSecureCoding {
    private let fields: Fields

    /// The values of a visit; the defaults are those of `CLVisit()` on an Apple device.
    package struct Fields {
        package var arrivalDate = Date.distantPast
        package var departureDate = Date.distantFuture
        package var coordinate = CLLocationCoordinate2D()
        package var horizontalAccuracy: CLLocationAccuracy = 0

        package init() {}
    }

    /// Creates a visit without dates at the coordinate 0°, 0°.
    public override init() {
        self.fields = Fields()
        super.init()
    }

    /// Creates a visit; apps receive visits from a location manager.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// The date of the arrival, or `Date.distantPast` if it is unknown.
    open var arrivalDate: Date { self.fields.arrivalDate }
    /// The date of the departure, or `Date.distantFuture` while the device is at the place.
    open var departureDate: Date { self.fields.departureDate }
    /// The coordinate of the place.
    open var coordinate: CLLocationCoordinate2D { self.fields.coordinate }
    /// The radius of the place, in meters.
    open var horizontalAccuracy: CLLocationAccuracy { self.fields.horizontalAccuracy }

    /// A textual representation of the visit.
    ///
    /// It contains the coordinate: keep it out of logs.
    open override var description: String {
        let accuracy = String(format: "%.2f", self.horizontalAccuracy)
        return "<\(self.coordinate.text)> +/- \(accuracy)m (\(self.arrivalDate) to \(self.departureDate))"
    }

    /// Returns the visit itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a visit from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
    public required init?(coder: NSCoder) {
        guard let fields = coder.read(Fields.init(from:)) else { return nil }
        self.fields = fields
        super.init()
    }

    /// Writes the visit to an archive.
    open func encode(with coder: NSCoder) {
        coder.write(self.fields.arrivalDate, "arrivalDate")
        coder.write(self.fields.departureDate, "departureDate")
        coder.write(self.fields.coordinate)
        coder.write(self.fields.horizontalAccuracy, "horizontalAccuracy")
    }
}

extension CLVisit.Fields {
    fileprivate init(from coder: NSCoder) throws {
        self.init()
        self.arrivalDate = try coder.date("arrivalDate")
        self.departureDate = try coder.date("departureDate")
        self.coordinate = try coder.coordinate()
        self.horizontalAccuracy = try coder.number("horizontalAccuracy")
    }
}
