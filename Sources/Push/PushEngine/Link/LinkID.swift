/// One connection of a device; told apart from its earlier and later ones.
public struct LinkID: Sendable, Hashable {
    /// The number of the connection, counted by the host.
    public let rawValue: UInt64

    /// Creates an id.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
