public import WhereaboutsVocabulary

/// A beacon in range, as reported to apps.
public struct RangedBeacon: Sendable, Hashable {
    /// How near a beacon is, in Apple's order.
    public enum Proximity: Int, Sendable, Hashable, CaseIterable {
        /// No recent reception.
        case unknown = 0
        case immediate
        /// A few metres away.
        case near
        case far

        init(_ distance: Int64?, _ policy: BeaconPolicy) {
            switch distance {
            case nil: self = .unknown
            case let distance? where distance <= policy.immediateDistance: self = .immediate
            case let distance? where distance <= policy.nearDistance: self = .near
            case .some: self = .far
            }
        }
    }

    /// The beacon.
    public var beacon: Beacon
    /// The mean strength since the last report, in dBm; 0: the beacon was not received.
    public var rssi: Int
    /// The distance in millimetres; nil: not known.
    public var distance: Int64?
    /// How near the beacon is.
    public var proximity: Proximity
    /// When the beacon was last received.
    public var time: WallTime

    /// Creates a beacon in range.
    public init(beacon: Beacon, rssi: Int, distance: Int64?, proximity: Proximity, time: WallTime) {
        self.beacon = beacon
        self.rssi = rssi
        self.distance = distance
        self.proximity = proximity
        self.time = time
    }
}

/// The beacons in range at one moment, the nearest first.
public struct BeaconSurvey: Sendable, Hashable {
    /// The beacons; those with unknown distance come last.
    public var beacons: [RangedBeacon]
    /// When the survey was made.
    public var arrival: EngineInstant

    /// Creates a survey.
    public init(beacons: [RangedBeacon], arrival: EngineInstant) {
        self.beacons = beacons
        self.arrival = arrival
    }

    /// The part of the survey that an app asked for.
    func satisfying(_ identity: BeaconIdentity) -> BeaconSurvey {
        BeaconSurvey(
            beacons: self.beacons.filter { identity.isSatisfied(by: $0.beacon) },
            arrival: self.arrival
        )
    }
}
