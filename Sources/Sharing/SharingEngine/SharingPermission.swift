/// The system's word on whether a sharer's app may report the device's location, for any requester and at any time.
public enum SharingPermission: Sendable, Hashable, CaseIterable {
    /// The person has not decided yet.
    case undecided
    /// The person said no, or took it back.
    case denied
    /// The app has to be opened once for the permission to count.
    case notInUse
    case allowed
}
