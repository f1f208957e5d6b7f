/// Why the push service did not take a push.
public enum PushRejection: Error, Sendable, Hashable {
    /// The device token is no longer valid: the app stopped sharing, or the device dropped the registration.
    case unregistered
    /// It may work later: the service is busy, or could not be reached.
    case temporary(String)
    /// It will not work again: the server's own credentials or request are at fault.
    case permanent(String)
}
