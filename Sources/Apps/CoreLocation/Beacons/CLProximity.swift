/// The approximate distance of a beacon.
public enum CLProximity: Int, Sendable, BitwiseCopyable {
    /// The distance is unknown, since the beacon was not received recently.
    case unknown = 0
    /// The beacon is next to the device, within half a meter.
    case immediate = 1
    /// The beacon is within three meters.
    case near = 2
    /// The beacon is more than three meters away.
    case far = 3
}
