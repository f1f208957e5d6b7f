public import Foundation

/// A stay at a place.
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

    /// Creates a visit of which nothing is known.
    public override init() {
        self.fields = Fields()
        super.init()
    }

    /// Creates a visit; apps get theirs from a location manager.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// When the stay began; `Date.distantPast` when that is not known.
    open var arrivalDate: Date { self.fields.arrivalDate }
    /// When the stay ended; `Date.distantFuture` while it lasts.
    open var departureDate: Date { self.fields.departureDate }
    /// The place.
    open var coordinate: CLLocationCoordinate2D { self.fields.coordinate }
    /// The radius of the place in metres.
    open var horizontalAccuracy: CLLocationAccuracy { self.fields.horizontalAccuracy }

    /// A text for people; it holds the position.
    open override var description: String {
        let accuracy = String(format: "%.2f", self.horizontalAccuracy)
        return "<\(self.coordinate.text)> +/- \(accuracy)m (\(self.arrivalDate) to \(self.departureDate))"
    }

    /// Returns the visit itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a visit from an archive.
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
