/// What a device says about a request on the way to its answer.
public enum DeviceProgress: UInt8, Sendable, Hashable, CaseIterable {
    /// The extension runs.
    case woken = 1
    /// The extension waits for a fix.
    case locating = 2
}
