public import WhereaboutsVocabulary

/// An event for a follower.
public enum FollowUpdate: Sendable, Hashable {
    /// The initial request changed its state; an answer with a position starts the live share.
    case request(RequestUpdate)
    /// The device's position, at this time of its clock; this many earlier updates are missing.
    case place(FollowedPlace, at: WallTime, missed: UInt32)
    /// The device exceeded its announced silence; it may continue.
    case silent(Duration)
    /// The server misbehaved, or an update cannot be read: a sentence for a person; the live share continues.
    case disturbed(String)
    /// The live share ended for this reason, with this text.
    case ended(FollowingEnd.Reason, String)
}
