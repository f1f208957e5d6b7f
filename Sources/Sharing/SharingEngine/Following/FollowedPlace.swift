public import WhereaboutsVocabulary

/// A device's message to its followers.
public enum FollowedPlace: Sendable, Hashable {
    /// The device is moving, and was there.
    case moving(SharedFix)
    /// The device has been there since then.
    case still(SharedFix, since: WallTime)
    /// The device has no position, for this reason, a sentence for a person.
    case unknown(String)

    /// The position, if there is one.
    public var fix: SharedFix? {
        switch self {
        case .moving(let fix), .still(let fix, _): fix
        case .unknown: nil
        }
    }
}
