public import Foundation

/// The name, address and location of a place.
///
/// Placemarks come from a ``CLGeocoder``. Parts that the geocoding server does not know are `nil`. Placemarks are
/// immutable, and can be used on any thread.
@available(iOS, deprecated: 26.0, message: "Use MapKit.")
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Unchecked, because the class is open, as Apple's class is; its only stored property is immutable.
    private let fields: Fields

    /// The values of a placemark, by default unknown.
    package struct Fields {
        package var location: CLLocation?
        package var region: CLRegion?
        package var timeZone: TimeZone?
        package var name: String?
        package var thoroughfare: String?
        package var subThoroughfare: String?
        package var locality: String?
        package var subLocality: String?
        package var administrativeArea: String?
        package var subAdministrativeArea: String?
        package var postalCode: String?
        package var isoCountryCode: String?
        package var country: String?
        package var inlandWater: String?
        package var ocean: String?
        package var areasOfInterest: [String]?

        package init() {}
    }

    /// Creates a placemark without any information.
    public override init() {
        self.fields = Fields()
        super.init()
    }

    /// Creates a placemark with the information of another one.
    public init(placemark: CLPlacemark) {
        self.fields = placemark.fields
        super.init()
    }

    /// Creates a placemark; apps receive placemarks from a geocoder.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// The location of the place.
    open var location: CLLocation? { self.fields.location }
    /// The area of the place.
    open var region: CLRegion? { self.fields.region }
    /// The time zone of the place.
    open var timeZone: TimeZone? { self.fields.timeZone }
    /// The name of the place.
    open var name: String? { self.fields.name }
    /// The street.
    open var thoroughfare: String? { self.fields.thoroughfare }
    /// The house number.
    open var subThoroughfare: String? { self.fields.subThoroughfare }
    /// The city.
    open var locality: String? { self.fields.locality }
    /// The part of the city.
    open var subLocality: String? { self.fields.subLocality }
    /// The state or province.
    open var administrativeArea: String? { self.fields.administrativeArea }
    /// The county.
    open var subAdministrativeArea: String? { self.fields.subAdministrativeArea }
    /// The postal code.
    open var postalCode: String? { self.fields.postalCode }
    /// The two-letter code of the country (ISO 3166-1).
    open var isoCountryCode: String? { self.fields.isoCountryCode }
    /// The name of the country.
    open var country: String? { self.fields.country }
    /// The lake or river.
    open var inlandWater: String? { self.fields.inlandWater }
    /// The ocean.
    open var ocean: String? { self.fields.ocean }
    /// Points of interest at the place.
    open var areasOfInterest: [String]? { self.fields.areasOfInterest }

    /// The parts of the address, under the keys of Apple's address book.
    @available(*, deprecated, message: "use the properties of CLPlacemark")
    open var addressDictionary: [AnyHashable: Any]? {
        let street = [self.subThoroughfare, self.thoroughfare].compactMap(\.self).joined(separator: " ")
        let parts = [
            "Name": self.name, "Street": street.isEmpty ? nil : street, "Thoroughfare": self.thoroughfare,
            "SubThoroughfare": self.subThoroughfare, "City": self.locality, "SubLocality": self.subLocality,
            "State": self.administrativeArea, "SubAdministrativeArea": self.subAdministrativeArea,
            "ZIP": self.postalCode, "Country": self.country, "CountryCode": self.isoCountryCode,
        ].compactMapValues(\.self)
        return parts.isEmpty ? nil : parts
    }

    /// A textual representation of the placemark.
    ///
    /// It contains the coordinate: keep it out of logs.
    open override var description: String {
        let names = [
            self.name, self.thoroughfare, self.locality, self.administrativeArea, self.postalCode, self.country,
        ].compactMap(\.self)
        let place = self.location.map { " @ \($0)" } ?? ""
        return names.joined(separator: ", ") + place + (self.region.map { ", region \($0)" } ?? "")
    }

    /// Returns the placemark itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a placemark from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
    public required init?(coder: NSCoder) {
        guard let fields = coder.read(Fields.init(from:)) else { return nil }
        self.fields = fields
        super.init()
    }

    /// Writes the placemark to an archive.
    open func encode(with coder: NSCoder) {
        for (key, value) in Fields.texts { coder.write(self.fields[keyPath: value], key) }
        coder.write(self.fields.timeZone?.identifier, "timeZone")
        if let location = self.fields.location { coder.encode(location, forKey: "location") }
        if let region = self.fields.region { coder.encode(region, forKey: "region") }
        if let areas = self.fields.areasOfInterest {
            coder.write(Double(areas.count), "areasOfInterest")
            for (index, area) in areas.enumerated() { coder.write(area, "areasOfInterest.\(index)") }
        }
    }
}

extension CLPlacemark.Fields {
    /// The plain texts, in the form in which they are archived.
    fileprivate static var texts: [(key: String, value: WritableKeyPath<Self, String?>)] {
        [
            ("name", \.name), ("thoroughfare", \.thoroughfare), ("subThoroughfare", \.subThoroughfare),
            ("locality", \.locality), ("subLocality", \.subLocality), ("administrativeArea", \.administrativeArea),
            ("subAdministrativeArea", \.subAdministrativeArea), ("postalCode", \.postalCode),
            ("isoCountryCode", \.isoCountryCode), ("country", \.country), ("inlandWater", \.inlandWater),
            ("ocean", \.ocean),
        ]
    }

    fileprivate init(from coder: NSCoder) throws {
        self.init()
        for (key, value) in Self.texts { self[keyPath: value] = try coder.ifPresent(key) { try coder.text($0) } }
        self.timeZone = try coder.ifPresent("timeZone") { try coder.text($0) }.flatMap(TimeZone.init(identifier:))
        self.location = try coder.ifPresent("location") { try coder.object(CLLocation.self, $0) }
        self.region = try coder.ifPresent("region") { try coder.object(CLRegion.self, $0) }
        self.areasOfInterest = try coder.ifPresent("areasOfInterest") {
            // A wrong count fails at the first missing text.
            let count: UInt16 = try coder.integer($0)
            return try (0..<count).map { try coder.text("areasOfInterest.\($0)") }
        }
    }
}
