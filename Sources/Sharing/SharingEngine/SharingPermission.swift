/// The system's permission for a sharer's app to report the location to any requester at any time.
public enum SharingPermission: Sendable, Hashable, CaseIterable {
    /// The person has not decided yet.
    case undecided
    /// The person refused, or withdrew the permission.
    case denied
    /// The app has to be opened once for the permission to count.
    case notInUse
    case allowed
}
