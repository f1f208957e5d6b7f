internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// A stay at a place, as reported to apps.
public struct Visit: Sendable, Hashable {
    /// WGS-84 latitude of the place in 1e-7 degree.
    public var latitude: Int32
    /// WGS-84 longitude of the place in 1e-7 degree.
    public var longitude: Int32
    /// The radius of the place in millimetres.
    public var radius: Int32
    /// When the device was first seen there, which is unique among stays.
    public var since: WallTime
    /// Whether the device was seen elsewhere before, so that the arrival time is known.
    public var isArrivalKnown: Bool
    /// When the device was first seen elsewhere; nil: it is still there.
    public var departure: WallTime?
    /// When the engine detected the stay, or its end.
    public var arrival: EngineInstant

    /// Creates a visit.
    public init(
        latitude: Int32,
        longitude: Int32,
        radius: Int32,
        since: WallTime,
        isArrivalKnown: Bool,
        departure: WallTime? = nil,
        arrival: EngineInstant
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
        self.since = since
        self.isArrivalKnown = isArrivalKnown
        self.departure = departure
        self.arrival = arrival
    }

    init(_ stay: Stay, arrival: EngineInstant) {
        self.init(
            latitude: stay.center.latitude,
            longitude: stay.center.longitude,
            radius: Int32(clamping: stay.radius),
            since: stay.since,
            isArrivalKnown: stay.isArrivalKnown,
            departure: stay.departure,
            arrival: arrival
        )
    }
}

extension Visit {
    /// The visit for an app that may not know precisely where the device is: the same times, and the cell that the place is in.
    func approximate(radius: Int32) -> Visit {
        let place = Fix(
            latitude: self.latitude,
            longitude: self.longitude,
            horizontalAccuracy: self.radius,
            time: self.since,
            arrival: self.arrival
        )
        let cell = ReducedAccuracy.reduced(place, radius: radius)
        var visit = self
        visit.latitude = cell.latitude
        visit.longitude = cell.longitude
        visit.radius = cell.horizontalAccuracy ?? radius
        return visit
    }
}
