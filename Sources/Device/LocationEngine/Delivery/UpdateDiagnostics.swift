internal import WhereaboutsVocabulary

/// The facts about a stream's element beside its measurement, or the reasons why it has none.
public struct UpdateDiagnostics: OptionSet, Sendable, Hashable {
    /// One bit for each diagnostic.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The person refused, or location services are off.
    public static let authorizationDenied = Self(rawValue: WireBits.Update.authorizationDenied)
    /// The person is being asked.
    public static let authorizationRequestInProgress = Self(rawValue: WireBits.Update.authorizationRequestInProgress)
    /// The app is not in use, and may be served only in use.
    public static let insufficientlyInUse = Self(rawValue: WireBits.Update.insufficientlyInUse)
    /// The app uses explicit sessions and holds none.
    public static let serviceSessionRequired = Self(rawValue: WireBits.Update.serviceSessionRequired)
    /// The receiver does not know where the device is.
    public static let locationUnavailable = Self(rawValue: WireBits.Update.locationUnavailable)
    /// Location services are off.
    public static let authorizationDeniedGlobally = Self(rawValue: WireBits.Update.authorizationDeniedGlobally)
    /// The device's owner forbids people to decide.
    public static let authorizationRestricted = Self(rawValue: WireBits.Update.authorizationRestricted)
    /// The position is approximate, and the next one will come in a quarter of an hour.
    public static let accuracyLimited = Self(rawValue: WireBits.Update.accuracyLimited)
    /// The device does not move, and the next position will come when it does.
    public static let stationary = Self(rawValue: WireBits.Update.stationary)
    /// The compass does not know where the device points.
    public static let headingUnavailable = Self(rawValue: WireBits.Update.headingUnavailable)
    /// The scanner of beacons does not listen.
    public static let rangingUnavailable = Self(rawValue: WireBits.Update.rangingUnavailable)
}
