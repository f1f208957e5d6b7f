/// The trust that the peer of a connection has earned.
public enum ConnectionTrust: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Nothing is known about the peer, except perhaps that it has a key, which costs nothing to create.
    ///
    /// A key gives no advantage: otherwise strangers with keys would displace all connections that are still in their handshake.
    case stranger
    /// The server stores something for the peer, such as a device token.
    case enrolled
    /// Another party relies on the peer: a push arrived for a device that is not new, or an operator gave the provider a key.
    case known

    /// Orders the levels by increasing trust.
    public static func < (lhs: ConnectionTrust, rhs: ConnectionTrust) -> Bool { lhs.rawValue < rhs.rawValue }
}
