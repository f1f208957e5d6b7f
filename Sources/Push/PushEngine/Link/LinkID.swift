/// Identifies one connection of a device among its earlier and later ones.
public struct LinkID: Sendable, Hashable {
    /// The number of the connection, counted by the host.
    public let rawValue: UInt64

    /// Creates an id.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
