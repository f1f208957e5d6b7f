internal import WhereaboutsNetworkSupport

/// The known reason why a transport got no reply; people are shown its remedy.
///
/// A transport may also throw other errors; of those, only the type is shown.
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
    /// The connection ended before the reply, or the reply was larger than allowed.
    public static let broken = Self(reason: .broken)
}
