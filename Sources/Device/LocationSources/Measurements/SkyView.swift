/// The satellites of a receiver, for people: they show whether it still searches or its antenna is broken.
public struct SkyView: Sendable, Hashable {
    /// The number of received satellites; nil when it was not reported.
    public var seen: Int?
    /// The number of satellites used for the position; nil when it was not reported.
    public var used: Int?
    /// The horizontal dilution of precision; nil when it is not known.
    public var hdop: Double?

    /// Creates a view without any values.
    public init() {}
}
