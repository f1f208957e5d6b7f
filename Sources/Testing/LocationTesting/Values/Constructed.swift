public import CoreLocation
internal import WhereaboutsVocabulary

/// Values for which Apple has no initializer, for tests of code that receives them.
public enum Constructed {
    /// An element of live updates.
    ///
    /// - Parameters:
    ///   - location: the location; nil if there is none, and then the diagnostics give the reason.
    ///   - diagnostics: the diagnostics that are set.
    /// - Returns: the update.
    public static func update(_ location: CLLocation?, _ diagnostics: UpdateDiagnostic...) -> CLLocationUpdate {
        CLLocationUpdate(location: location, bits: diagnostics.reduce(0) { $0 | UInt32($1.bit) })
    }

    /// A diagnostic of an update, with the name of the update's property.
    public enum UpdateDiagnostic: UInt32, Sendable, CaseIterable {
        /// The person refused, or location services are off.
        case authorizationDenied = 0
        /// The person is being asked.
        case authorizationRequestInProgress
        /// The app is not sufficiently in use.
        case insufficientlyInUse
        /// The app chose explicit sessions and has none.
        case serviceSessionRequired
        /// The location cannot be determined.
        case locationUnavailable
        case authorizationDeniedGlobally
        /// The person may not decide.
        case authorizationRestricted
        case accuracyLimited
        /// The device does not move.
        case stationary

        fileprivate var bit: UInt16 {
            switch self {
            case .authorizationDenied: WireBits.Update.authorizationDenied
            case .authorizationRequestInProgress: WireBits.Update.authorizationRequestInProgress
            case .insufficientlyInUse: WireBits.Update.insufficientlyInUse
            case .serviceSessionRequired: WireBits.Update.serviceSessionRequired
            case .locationUnavailable: WireBits.Update.locationUnavailable
            case .authorizationDeniedGlobally: WireBits.Update.authorizationDeniedGlobally
            case .authorizationRestricted: WireBits.Update.authorizationRestricted
            case .accuracyLimited: WireBits.Update.accuracyLimited
            case .stationary: WireBits.Update.stationary
            }
        }
    }

    /// A storey of a building.
    public static func floor(_ level: Int) -> CLFloor { CLFloor(level: level) }

    /// A stay at a place.
    ///
    /// - Parameters:
    ///   - coordinate: the place.
    ///   - accuracy: its radius in metres.
    ///   - arrival: when the stay began; `Date.distantPast` if that is unknown.
    ///   - departure: when the stay ended; `Date.distantFuture` while it lasts.
    /// - Returns: the visit.
    public static func visit(
        at coordinate: CLLocationCoordinate2D,
        accuracy: CLLocationAccuracy = 50,
        from arrival: Date = .distantPast,
        to departure: Date = .distantFuture
    ) -> CLVisit {
        var fields = CLVisit.Fields()
        fields.coordinate = coordinate
        fields.horizontalAccuracy = accuracy
        fields.arrivalDate = arrival
        fields.departureDate = departure
        return CLVisit(fields)
    }

    /// A heading, the direction of a device's top.
    ///
    /// - Parameters:
    ///   - magnetic: degrees from magnetic north.
    ///   - true: degrees from true north; negative while the location is not known.
    ///   - accuracy: the largest likely error in degrees.
    ///   - date: when the heading was measured.
    /// - Returns: the heading.
    public static func heading(
        magnetic: CLLocationDirection,
        true: CLLocationDirection = -1,
        accuracy: CLLocationDirection = 5,
        date: Date = Date()
    ) -> CLHeading {
        var fields = CLHeading.Fields()
        fields.magneticHeading = magnetic
        fields.trueHeading = `true`
        fields.headingAccuracy = accuracy
        fields.timestamp = date
        return CLHeading(fields)
    }

    /// A beacon that is received.
    ///
    /// - Parameters:
    ///   - uuid: the UUID of the beacon's app.
    ///   - major: the number of its group.
    ///   - minor: its number in the group.
    ///   - proximity: how near the beacon is.
    ///   - accuracy: the approximate distance in metres.
    ///   - rssi: the strength of its signal in decibels.
    /// - Returns: the beacon.
    public static func beacon(
        _ uuid: UUID,
        major: CLBeaconMajorValue = 0,
        minor: CLBeaconMinorValue = 0,
        proximity: CLProximity = .near,
        accuracy: CLLocationAccuracy = 1,
        rssi: Int = -60
    ) -> CLBeacon {
        var fields = CLBeacon.Fields(uuid: uuid)
        fields.major = major
        fields.minor = minor
        fields.proximity = proximity
        fields.accuracy = accuracy
        fields.rssi = rssi
        return CLBeacon(fields)
    }

    /// A place with a name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - location: the location of the place.
    ///   - thoroughfare: the street.
    ///   - locality: the city.
    ///   - postalCode: the postal code.
    ///   - country: the country.
    ///   - isoCountryCode: the country's code of two letters.
    /// - Returns: the placemark.
    public static func placemark(
        name: String? = nil,
        location: CLLocation? = nil,
        thoroughfare: String? = nil,
        locality: String? = nil,
        postalCode: String? = nil,
        country: String? = nil,
        isoCountryCode: String? = nil
    ) -> CLPlacemark {
        var fields = CLPlacemark.Fields()
        fields.name = name
        fields.location = location
        fields.thoroughfare = thoroughfare
        fields.locality = locality
        fields.postalCode = postalCode
        fields.country = country
        fields.isoCountryCode = isoCountryCode
        return CLPlacemark(fields)
    }
}
