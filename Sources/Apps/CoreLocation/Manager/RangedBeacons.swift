/// The beacons that a manager ranges, by the call that asked for them.
enum RangedBeacons: Sendable, Hashable {
    /// `startRangingBeacons(satisfying:)`.
    case satisfying(BeaconIdentity)
    /// `startRangingBeacons(in:)`, with the region's name.
    case inRegion(BeaconIdentity, identifier: String)

    /// The beacons of the constraint or region.
    var identity: BeaconIdentity {
        switch self {
        case .satisfying(let identity), .inRegion(let identity, _): identity
        }
    }
}
