/// The diagnostics of a service session or a background activity session, as its holder is told.
public struct SessionDiagnostics: OptionSet, Sendable, Hashable {
    /// One bit a diagnostic.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The person refused, or location services are off.
    public static let authorizationDenied = SessionDiagnostics(rawValue: 1 << 0)
    /// The person is being asked.
    public static let authorizationRequestInProgress = SessionDiagnostics(rawValue: 1 << 1)
    /// The session was taken outside the foreground with nothing to go on from, or its question cannot be asked there.
    public static let insufficientlyInUse = SessionDiagnostics(rawValue: 1 << 2)
    /// The person refused Always.
    public static let alwaysAuthorizationDenied = SessionDiagnostics(rawValue: 1 << 3)
    /// The app chose explicit sessions and holds none that asks for authorization.
    public static let serviceSessionRequired = SessionDiagnostics(rawValue: 1 << 4)
    /// Location services are off.
    public static let authorizationDeniedGlobally = SessionDiagnostics(rawValue: 1 << 5)
    /// The device's owner does not let people decide.
    public static let authorizationRestricted = SessionDiagnostics(rawValue: 1 << 6)
    /// The person refused full accuracy, or cannot be asked for it.
    public static let fullAccuracyDenied = SessionDiagnostics(rawValue: 1 << 7)
}
