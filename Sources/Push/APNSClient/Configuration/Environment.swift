/// The two environments of APNs: device tokens and keys of one are unknown in the other.
public enum Environment: String, Sendable, Hashable, CaseIterable {
    /// Apps from the App Store and TestFlight.
    case production
    case development
}
