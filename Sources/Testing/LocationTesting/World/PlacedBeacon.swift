public import CoreLocation

/// A beacon at a place in a ``World``, switched on.
public struct PlacedBeacon: Sendable {
    /// The UUID that the beacon sends.
    public var uuid: UUID
    /// The number of the beacon's group.
    public var major: CLBeaconMajorValue
    /// The minor number of the beacon.
    public var minor: CLBeaconMinorValue
    /// Its place.
    public var place: CLLocationCoordinate2D
    /// The signal strength at one metre, in dBm: both the advertised value and the true one.
    public var measuredPower: Int8

    /// Creates a beacon.
    ///
    /// - Parameters:
    ///   - uuid: the UUID that the beacon sends.
    ///   - major: the number of its group.
    ///   - minor: its number in the group.
    ///   - place: its place.
    ///   - measuredPower: the strength received at one metre, in dBm; with -59 it is received up to 63 m away.
    public init(
        uuid: UUID,
        major: CLBeaconMajorValue = 0,
        minor: CLBeaconMinorValue = 0,
        at place: CLLocationCoordinate2D,
        measuredPower: Int8 = -59
    ) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.place = place
        self.measuredPower = measuredPower
    }
}
