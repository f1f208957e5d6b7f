/// How urgent a push is: the values of `apns-priority`.
public enum Priority: Int, Sendable, Hashable, CaseIterable {
    /// At once; the default without the header.
    case immediate = 10
    /// With regard to the power of the device.
    case powerConsiderate = 5
    /// Power before all else; never wakes the device.
    case powerFirst = 1
}
