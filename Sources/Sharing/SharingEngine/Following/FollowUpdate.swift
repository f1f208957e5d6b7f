public import WhereaboutsVocabulary

/// An event for a follower.
public enum FollowUpdate: Sendable, Hashable {
    /// The request that the following begins with came to another state; with an answer that holds a position, the following goes on from there.
    case request(RequestUpdate)
    /// The device said where it is, at this time of its clock; as many updates before it did not come.
    case place(FollowedPlace, at: WallTime, missed: UInt32)
    /// Nothing came for longer than the device said; it may go on.
    case silent(Duration)
    /// The server did something that no honest one does, or an update cannot be read: a sentence for a person; the following goes on.
    case disturbed(String)
    /// It is over, for this reason, told in these words.
    case ended(FollowingEnd.Reason, String)
}
