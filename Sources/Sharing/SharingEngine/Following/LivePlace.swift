/// An app's word on where its device is, while others follow: what a stream of live updates says.
public enum LivePlace: Sendable, Hashable {
    /// The device is there; stationary, when the system says that it stands still.
    case fix(SharedFix, isStationary: Bool)
    /// It does not know where it is for now, for this reason, a sentence for a person.
    case unknown(String)
    /// The app may not know it any more: every following ends.
    case denied
}
