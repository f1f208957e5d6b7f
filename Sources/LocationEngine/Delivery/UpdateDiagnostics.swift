/// The facts about a stream's element beside its measurement, or the reasons why it has none.
public struct UpdateDiagnostics: OptionSet, Sendable, Hashable {
    /// One bit a diagnostic.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The person refused, or location services are off.
    public static let authorizationDenied = UpdateDiagnostics(rawValue: 1 << 0)
    /// The person is being asked.
    public static let authorizationRequestInProgress = UpdateDiagnostics(rawValue: 1 << 1)
    /// The app is not in use, and may not be served otherwise.
    public static let insufficientlyInUse = UpdateDiagnostics(rawValue: 1 << 2)
    /// The app chose explicit sessions and holds none.
    public static let serviceSessionRequired = UpdateDiagnostics(rawValue: 1 << 3)
    /// The receiver does not know where the device is.
    public static let locationUnavailable = UpdateDiagnostics(rawValue: 1 << 4)
    /// Location services are off.
    public static let authorizationDeniedGlobally = UpdateDiagnostics(rawValue: 1 << 5)
    /// The device's owner does not let people decide.
    public static let authorizationRestricted = UpdateDiagnostics(rawValue: 1 << 6)
    /// The position is approximate, and the next one will come in a quarter of an hour.
    public static let accuracyLimited = UpdateDiagnostics(rawValue: 1 << 7)
    /// The device does not move, and the next position will come when it does.
    public static let stationary = UpdateDiagnostics(rawValue: 1 << 8)
    /// The compass does not know where the device points.
    public static let headingUnavailable = UpdateDiagnostics(rawValue: 1 << 9)
    /// The scanner of beacons does not listen.
    public static let rangingUnavailable = UpdateDiagnostics(rawValue: 1 << 10)
}
