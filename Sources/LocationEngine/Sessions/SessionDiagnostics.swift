/// What a service session's holder is told.
public struct SessionDiagnostics: OptionSet, Sendable, Hashable {
    /// One bit a diagnostic.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The person refused.
    public static let authorizationDenied = SessionDiagnostics(rawValue: 1 << 0)
    /// The person is being asked.
    public static let authorizationRequestInProgress = SessionDiagnostics(rawValue: 1 << 1)
    /// The session was taken outside the foreground with nothing to go on from, or its question cannot be asked there.
    public static let insufficientlyInUse = SessionDiagnostics(rawValue: 1 << 2)
    /// The person refused Always.
    public static let alwaysAuthorizationDenied = SessionDiagnostics(rawValue: 1 << 3)
}
