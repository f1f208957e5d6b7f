/// A person's decision about an app, with Apple's raw values.
public enum CLAuthorizationStatus: Int32, Sendable, BitwiseCopyable {
    /// Nothing so far.
    case notDetermined = 0
    /// The person cannot decide.
    case restricted = 1
    /// Refused, or location services are off.
    case denied = 2
    /// Served at any time.
    case authorizedAlways = 3
    /// Served while in use.
    case authorizedWhenInUse = 4

    /// The name of ``authorizedAlways`` before there were two kinds.
    @available(*, deprecated, renamed: "authorizedAlways")
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}
