/// How near a beacon is, with Apple's raw values.
public enum CLProximity: Int, Sendable, BitwiseCopyable {
    /// Not known.
    case unknown = 0
    /// Next to the device.
    case immediate = 1
    /// A few metres away.
    case near = 2
    /// Further away.
    case far = 3
}
