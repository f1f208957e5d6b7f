internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

extension EngineSnapshot {
    /// The position that was reported last as a significant change.
    public struct ChangeRecord: Sendable, Hashable, Codable {
        /// The position in 1e-7 degree.
        public var place: [Int32]
        /// The accuracy of the position in millimetres.
        public var accuracy: Int32?
        /// The microsecond at which the position was measured.
        public var time: Int64
        /// Milliseconds since the delivery of the position.
        public var ageMilliseconds: Int64
    }

    /// The last stay.
    public struct StayRecord: Sendable, Hashable, Codable {
        /// The middle in 1e-7 degree.
        public var place: [Int32]
        /// The radius in millimetres.
        public var radius: Int64
        /// The microsecond at which the device was first seen there.
        public var since: Int64
        /// Whether the device was seen elsewhere before.
        public var isArrivalKnown: Bool
        /// The microsecond at which the device was first seen elsewhere, if it was.
        public var departure: Int64?
    }

    /// The last findings that one app received.
    public struct DeliveredTravelRecord: Sendable, Hashable, Codable {
        /// The place of a significant change in 1e-7 degree.
        public var place: [Int32]?
        /// The microsecond at which a visit began.
        public var visit: Int64?
        /// Whether the end of the visit was reported, too.
        public var hasVisitEnded: Bool
    }
}

/// A place from a file, which may contain anything.
private func point(_ place: [Int32]) -> QuantizedCoordinate? {
    guard place.count == 2, (-900_000_000...900_000_000).contains(place[0]),
        (-1_800_000_000...1_800_000_000).contains(place[1])
    else { return nil }
    return QuantizedCoordinate(latitude: Int(place[0]), longitude: Int(place[1]))
}

extension TravelWatch {
    /// Writes the last significant change and the last stay.
    func save(to snapshot: inout EngineSnapshot, now: EngineInstant) {
        snapshot.change = self.told.change.map {
            EngineSnapshot.ChangeRecord(
                place: [$0.latitude, $0.longitude],
                accuracy: $0.horizontalAccuracy,
                time: $0.time.microseconds,
                ageMilliseconds: Int64($0.arrival.duration(to: now) / .milliseconds(1))
            )
        }
        snapshot.stay = self.told.stay.map {
            EngineSnapshot.StayRecord(
                place: [$0.center.latitude, $0.center.longitude],
                radius: $0.radius,
                since: $0.since.microseconds,
                isArrivalKnown: $0.isArrivalKnown,
                departure: $0.departure?.microseconds
            )
        }
    }

    /// Continues from a snapshot.
    init(restoring snapshot: EngineSnapshot, policy: Policy, elapsed: Duration, now: EngineInstant) {
        var told = Told()
        if let change = snapshot.change, let point = point(change.place) {
            let age = Duration.milliseconds(min(max(change.ageMilliseconds, 0), 86_400_000)) + max(elapsed, .zero)
            told.change = Fix(
                latitude: point.latitude,
                longitude: point.longitude,
                horizontalAccuracy: change.accuracy,
                time: WallTime(microseconds: change.time),
                arrival: now - min(age, .seconds(86_400))
            )
        }
        if let stay = snapshot.stay, let point = point(stay.place) {
            told.stay = Stay(
                center: point,
                radius: stay.radius,
                since: WallTime(microseconds: stay.since),
                isArrivalKnown: stay.isArrivalKnown,
                departure: stay.departure.map(WallTime.init(microseconds:))
            )
        }
        self.init(restoring: told, policy: policy, now: now)
    }
}

extension DeliveredTravel {
    /// The record to be saved; nil: the app received nothing.
    var record: EngineSnapshot.DeliveredTravelRecord? {
        if self == DeliveredTravel() { return nil }
        return EngineSnapshot.DeliveredTravelRecord(
            place: self.place.map { [$0.latitude, $0.longitude] },
            visit: self.visit?.since.microseconds,
            hasVisitEnded: self.visit?.hasEnded ?? false
        )
    }

    init(restoring record: EngineSnapshot.DeliveredTravelRecord?) {
        self.init()
        self.place = record?.place.flatMap(point)
        self.visit = record?.visit.map {
            OfVisit(since: WallTime(microseconds: $0), hasEnded: record?.hasVisitEnded ?? false)
        }
    }

    /// Forgets the findings that the app no longer receives.
    mutating func forget(unless isTold: (Travel) -> Bool) {
        if !isTold(.changes) { self.place = nil }
        if !isTold(.visits) { self.visit = nil }
    }
}

extension Service {
    /// The number of a service that outlives its process in a snapshot; nil for other services.
    var travelNumber: Int? { self.traits.travel?.rawValue }

    /// Reads the number; nil if it is unknown, because a file may contain anything.
    init?(travelNumber: Int) {
        switch Travel(rawValue: travelNumber) {
        case .changes: self = .significantChanges
        case .visits: self = .visits
        case nil: return nil
        }
    }
}
