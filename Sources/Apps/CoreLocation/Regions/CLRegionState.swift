/// The state of the device with respect to a region.
@frozen public enum CLRegionState: Int, Sendable, BitwiseCopyable {
    /// It is unknown whether the device is inside the region, or the region is not monitored.
    case unknown = 0
    /// The device is inside the region.
    case inside = 1
    /// The device is outside the region.
    case outside = 2
}
