/// How urgent a push is: the values of `apns-priority`.
public enum Priority: Int, Sendable, Hashable, CaseIterable {
    /// Send the push at once; the default without the header.
    case immediate = 10
    /// Send the push with regard to the device's power.
    case powerConsiderate = 5
    /// Save power above all; the push never wakes the device.
    case powerFirst = 1
}
