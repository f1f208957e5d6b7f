/// Where sharing is, for the person who shares; true until the next one.
public enum SharingStatus: Sendable, Hashable {
    /// The person has not decided yet.
    case undecided
    /// The app has to be opened once.
    case notInUse
    /// Friends get an answer: the server knows where the device takes pushes.
    case shared
    /// Friends learn that sharing is paused.
    case paused
    /// The server has not heard the last decision, for this reason; it is told again after a while.
    case failing(String)
}
