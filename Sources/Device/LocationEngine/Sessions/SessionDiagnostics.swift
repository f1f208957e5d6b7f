internal import WhereaboutsVocabulary

/// The diagnostics of a service session or a background activity session, as reported to its holder.
public struct SessionDiagnostics: OptionSet, Sendable, Hashable {
    /// One bit for each diagnostic.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The person refused, or location services are off.
    public static let authorizationDenied = Self(rawValue: WireBits.Session.authorizationDenied)
    /// The person is being asked.
    public static let authorizationRequestInProgress = Self(rawValue: WireBits.Session.authorizationRequestInProgress)
    /// The session was taken in the background without one to continue, or its prompt cannot appear there.
    public static let insufficientlyInUse = Self(rawValue: WireBits.Session.insufficientlyInUse)
    /// The person refused Always.
    public static let alwaysAuthorizationDenied = Self(rawValue: WireBits.Session.alwaysAuthorizationDenied)
    /// The app uses explicit sessions and holds none that asks for authorization.
    public static let serviceSessionRequired = Self(rawValue: WireBits.Session.serviceSessionRequired)
    /// Location services are off.
    public static let authorizationDeniedGlobally = Self(rawValue: WireBits.Session.authorizationDeniedGlobally)
    /// The device's owner forbids people to decide.
    public static let authorizationRestricted = Self(rawValue: WireBits.Session.authorizationRestricted)
    /// The person refused full accuracy, or cannot be asked for it.
    public static let fullAccuracyDenied = Self(rawValue: WireBits.Session.fullAccuracyDenied)
}
