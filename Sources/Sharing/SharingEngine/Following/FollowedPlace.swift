public import WhereaboutsVocabulary

/// A device's message to its followers.
public enum FollowedPlace: Sendable, Hashable {
    /// The device is moving; this is its last fix.
    case moving(SharedFix)
    /// The device has been at this fix since the given time.
    case still(SharedFix, since: WallTime)
    /// The device has no position; the reason is a sentence for a person.
    case unknown(String)

    /// The position, if there is one.
    public var fix: SharedFix? {
        switch self {
        case .moving(let fix), .still(let fix, _): fix
        case .unknown: nil
        }
    }
}
