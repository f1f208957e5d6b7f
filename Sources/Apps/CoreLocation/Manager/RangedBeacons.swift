/// The beacons that an app asked a manager to range; the case is the method that the app called.
///
/// Each of the two methods reports to its own delegate method.
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
