/// An app's report of its position during live shares.
public enum LivePlace: Sendable, Hashable {
    /// The device's position; stationary if the system reports this.
    case fix(SharedFix, isStationary: Bool)
    /// The position is unknown for now; the reason is a sentence for a person.
    case unknown(String)
    /// The app has lost the permission to get the position: every live share ends.
    case denied
}
