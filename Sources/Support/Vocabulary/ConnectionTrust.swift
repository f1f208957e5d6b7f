/// The trust that the peer of a connection has earned.
public enum ConnectionTrust: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Nothing is known of the peer, or that it holds a key, which costs nothing to make.
    ///
    /// A key gives no advantage: otherwise strangers with a key would displace all connections whose handshake is not done.
    case stranger
    /// The server stores something for it, such as a device token.
    case enrolled
    /// Somebody else relies on it: a push came for a device that is not new, or an operator gave the provider a key.
    case known

    /// Orders the levels, the least first.
    public static func < (lhs: ConnectionTrust, rhs: ConnectionTrust) -> Bool { lhs.rawValue < rhs.rawValue }
}
