/// How much the other end of a connection has shown.
public enum ConnectionTrust: Int, Sendable, Hashable, CaseIterable, Comparable {
    case unproven
    /// It holds a key. A key costs nothing to make.
    case proven
    /// Something of it is stored here, such as a device token.
    case enrolled
    /// Somebody else relies on it: a push came for a device that is not new, or an operator gave the provider a key.
    case known

    /// Orders the levels, the least first.
    public static func < (lhs: ConnectionTrust, rhs: ConnectionTrust) -> Bool { lhs.rawValue < rhs.rawValue }
}
