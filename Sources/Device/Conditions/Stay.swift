public import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// A stay of the device at one place.
public struct Stay: Sendable, Hashable {
    /// The middle of the place.
    public let center: QuantizedCoordinate
    /// How far from the middle the device may be during the stay, in millimetres.
    public let radius: Int64
    /// When the device was first seen there, which with the place identifies a stay.
    public let since: WallTime
    /// Whether the device was seen elsewhere before the stay, so that its arrival is known.
    public let isArrivalKnown: Bool
    /// When the device was first seen elsewhere; nil: it is still there.
    public var departure: WallTime?

    /// Creates a stay.
    public init(
        center: QuantizedCoordinate,
        radius: Int64,
        since: WallTime,
        isArrivalKnown: Bool,
        departure: WallTime? = nil
    ) {
        self.center = center
        self.radius = radius
        self.since = since
        self.isArrivalKnown = isArrivalKnown
        self.departure = departure
    }

    func ended(_ departure: WallTime) -> Stay {
        var stay = self
        stay.departure = departure
        return stay
    }
}
