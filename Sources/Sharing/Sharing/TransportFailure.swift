internal import WhereaboutsNetworkSupport

/// The reason why a transport brought no reply, as far as known, for users of the library with its remedy.
///
/// A transport may throw anything else, too; then only its type is shown.
public struct TransportFailure: Error, Sendable, Hashable {
    let reason: ConnectionFailure

    /// The server's certificate has no trusted signer, or names another host; the request is not repeated.
    public static let untrusted = Self(reason: .untrusted)
    /// Nothing listens there.
    public static let refused = Self(reason: .refused)
    /// The name does not exist.
    public static let nameUnknown = Self(reason: .nameUnknown)
    /// No reply arrived in time.
    public static let timedOut = Self(reason: .timedOut)
    /// The connection ended before the reply, or brought more than a server may send.
    public static let broken = Self(reason: .broken)
}
