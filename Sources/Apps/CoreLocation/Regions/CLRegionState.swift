/// Where a device is with respect to a region, with Apple's raw values.
@frozen public enum CLRegionState: Int, Sendable, BitwiseCopyable {
    /// Not known.
    case unknown = 0
    /// In the region.
    case inside = 1
    /// Not in the region.
    case outside = 2
}
