/// A device's progress report about a request.
public enum DeviceProgress: UInt8, Sendable, Hashable, CaseIterable {
    /// The device was woken, and has no answer yet.
    case woken = 1
    /// The device waits for a fix that takes longer.
    case locating = 2
    /// The device asks its person, and measures meanwhile.
    case asking = 3
}
