/// The state of sharing, for the person who shares; valid until the next one.
public enum SharingStatus: Sendable, Hashable {
    /// The person has not decided yet.
    case undecided
    /// The app has to be opened once.
    case notInUse
    /// Friends get answers: the server knows where the device receives pushes.
    case shared
    /// Sharing is paused, and friends who ask get this answer.
    case paused
    /// The server has not received the last decision, for this reason; the app sends it again later.
    case failing(String)
}
