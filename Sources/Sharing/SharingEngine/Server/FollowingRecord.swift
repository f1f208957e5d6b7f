package import WhereaboutsVocabulary

/// One following as the store keeps it: who follows whom until when, and how it ended; no update of it.
package struct FollowingRecord: Sendable, Hashable {
    /// How long a following that is over is kept, so that each side learns the end.
    ///
    /// Source: our choice; as long as a follower who receives nothing goes on looking, ``Watching/patience``.
    package static let endKept: Duration = .seconds(3600)

    /// A signed end, and its reason.
    package struct End: Sendable, Hashable {
        package let reason: FollowingEnd.Reason
        /// The signed statement, as the other side is to get it.
        package let statement: [UInt8]

        package init(reason: FollowingEnd.Reason, statement: [UInt8]) {
            self.reason = reason
            self.statement = statement
        }
    }

    /// The request that it began with.
    package let request: Signed<Request>
    /// The end that a side signed first; nil while it goes on, or when it ended by itself.
    package let end: End?
    package let keptUntil: WallTime
    /// The device that shows the updates.
    package var device: ToldDevice

    package init(request: Signed<Request>, end: End?, keptUntil: WallTime, device: ToldDevice = .answering) {
        self.request = request
        self.end = end
        self.keptUntil = keptUntil
        self.device = device
    }
}

/// The server's word on a following at one moment.
package enum LiveShareState: Sendable, Hashable {
    /// It does not exist, or belongs to another requester.
    case unknown
    /// It goes on, or is about to begin.
    case goesOn
    /// It is over; the statement is that of the side that ended it, if one did.
    case ended(FollowingEnd.Reason, statement: [UInt8]?)
}

/// The two sides of a following.
package enum FollowingSide: Sendable, Hashable {
    case sharer
    case follower
}
