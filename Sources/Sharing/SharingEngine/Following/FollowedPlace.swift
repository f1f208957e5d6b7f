public import WhereaboutsVocabulary

/// A device's message to its followers.
public enum FollowedPlace: Sendable, Hashable {
    /// It is on the move, and was there.
    case moving(SharedFix)
    /// It has been there since then.
    case still(SharedFix, since: WallTime)
    /// It does not know where it is, for this reason, a sentence for a person.
    case unknown(String)

    /// The position, if there is one.
    public var fix: SharedFix? {
        switch self {
        case .moving(let fix), .still(let fix, _): fix
        case .unknown: nil
        }
    }
}
