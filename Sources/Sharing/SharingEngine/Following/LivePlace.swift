/// An app's report of its position during live shares.
public enum LivePlace: Sendable, Hashable {
    /// The device is there; stationary when the system says so.
    case fix(SharedFix, isStationary: Bool)
    /// The position is unknown for now, for this reason, a sentence for a person.
    case unknown(String)
    /// The app may not know it any more: every following ends.
    case denied
}
