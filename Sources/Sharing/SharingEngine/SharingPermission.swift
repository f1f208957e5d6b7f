/// The system's word on whether a sharer's app may tell where the device is, whoever asks and whenever.
public enum SharingPermission: Sendable, Hashable, CaseIterable {
    /// The person has not decided yet.
    case undecided
    /// The person said no, or took it back.
    case denied
    /// The app has to be opened once for the permission to count.
    case notInUse
    case allowed
}
