/// Why a stream of updates gets no fixes; empty when it does.
public struct UpdateDiagnostics: OptionSet, Sendable, Hashable {
    /// One bit a diagnostic.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The person refused.
    public static let authorizationDenied = UpdateDiagnostics(rawValue: 1 << 0)
    /// The person is being asked.
    public static let authorizationRequestInProgress = UpdateDiagnostics(rawValue: 1 << 1)
    /// The app is not in use, and may not be served otherwise.
    public static let insufficientlyInUse = UpdateDiagnostics(rawValue: 1 << 2)
    /// The app chose explicit sessions and holds none.
    public static let serviceSessionRequired = UpdateDiagnostics(rawValue: 1 << 3)
    /// The receiver does not know where the device is.
    public static let locationUnavailable = UpdateDiagnostics(rawValue: 1 << 4)
}
