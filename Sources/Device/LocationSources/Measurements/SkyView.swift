/// The satellites of a receiver, for people: they tell a receiver that searches from one whose antenna is broken.
public struct SkyView: Sendable, Hashable {
    /// The number of satellites that it receives; nil when it did not say.
    public var seen: Int?
    /// The number of satellites that it computes its position from; nil when it did not say.
    public var used: Int?
    /// The horizontal dilution of precision; nil when it is not known.
    public var hdop: Double?

    /// Creates a view of which nothing is known.
    public init() {}
}
