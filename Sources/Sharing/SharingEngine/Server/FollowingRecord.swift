package import WhereaboutsVocabulary

/// One live share in the store: who follows whom until when, and how it ended, without updates.
package struct FollowingRecord: Sendable, Hashable {
    /// How long an ended live share is stored, so that each side is notified of the end.
    ///
    /// Source: our choice; as long as a follower waits who receives nothing, ``Watching/patience``.
    package static let endKept: Duration = .seconds(3600)

    /// A signed end, and its reason.
    package struct End: Sendable, Hashable {
        package let reason: FollowingEnd.Reason
        /// The signed message, which the other side receives unchanged.
        package let statement: [UInt8]

        package init(reason: FollowingEnd.Reason, statement: [UInt8]) {
            self.reason = reason
            self.statement = statement
        }
    }

    /// The request that began the live share.
    package let request: Signed<Request>
    /// The first signed end; nil while the live share continues, or if it ended without one.
    package let end: End?
    package let keptUntil: WallTime
    /// The device that sends the updates.
    package var device: ToldDevice

    package init(request: Signed<Request>, end: End?, keptUntil: WallTime, device: ToldDevice = .answering) {
        self.request = request
        self.end = end
        self.keptUntil = keptUntil
        self.device = device
    }
}

/// The server's state of a live share at one moment.
package enum LiveShareState: Sendable, Hashable {
    /// The live share does not exist, or belongs to another requester.
    case unknown
    /// The live share continues, or is about to start.
    case goesOn
    /// The live share ended, with the signed message of the side that ended it, if any.
    case ended(FollowingEnd.Reason, statement: [UInt8]?)
}

/// The two sides of a live share.
package enum FollowingSide: Sendable, Hashable {
    case sharer
    case follower
}
