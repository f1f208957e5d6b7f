/// The authorization of an app to use the location.
public enum CLAuthorizationStatus: Int32, Sendable, BitwiseCopyable {
    /// The person has not decided yet, or an access that was allowed once has ended.
    case notDetermined = 0
    /// A rule of the device's owner forbids access, and the person cannot change it.
    case restricted = 1
    /// The person denied access, or location services are off.
    case denied = 2
    /// The app may use the location at any time.
    case authorizedAlways = 3
    /// The app may use the location while it is in use.
    case authorizedWhenInUse = 4

    /// The app may use the location at any time.
    @available(*, deprecated, renamed: "authorizedAlways")
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}
