internal import WhereaboutsNetworkSupport

/// The reason why a transport brought no reply, as far as it knows one: users of the library receive it with its remedy.
///
/// A transport may throw anything else, too; then its type is all that a person is told.
public struct TransportFailure: Error, Sendable, Hashable {
    let reason: ConnectionFailure

    /// The server's certificate was signed by nobody who is trusted, or names another host; the server is not asked again.
    public static let untrusted = Self(reason: .untrusted)
    /// Nothing listens there.
    public static let refused = Self(reason: .refused)
    /// The name is nobody's.
    public static let nameUnknown = Self(reason: .nameUnknown)
    /// No reply came in time.
    public static let timedOut = Self(reason: .timedOut)
    /// The connection ended before the reply, or brought more than a server may send.
    public static let broken = Self(reason: .broken)
}
