/// Until when a push is stored for a device that cannot be reached: the meaning of `apns-expiration`.
public enum Expiration: Sendable, Hashable {
    /// One attempt now; not stored.
    case once
    /// Stored until this time, UNIX seconds.
    case until(Int64)

    /// The value of the header.
    public var headerValue: String {
        switch self {
        case .once: "0"
        case .until(let seconds): String(seconds)
        }
    }
}
