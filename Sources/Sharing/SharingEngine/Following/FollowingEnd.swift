public import WhereaboutsVocabulary

/// A message of either side that ends a live share or a schedule; its time is whole milliseconds.
public struct FollowingEnd: Sendable, Hashable {
    /// The reason of the end.
    public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
        case bySharer = 1
        case byFollower = 2
        /// The time of the live share or schedule, the grant's time, or the grant's hours ended.
        case time = 3
        /// The sharer revoked the grant.
        case revoked = 4
        /// The sharer's app has lost the permission to get the position.
        case paused = 5
        /// The follower received nothing for too long.
        case lost = 6

        /// The reason as a sentence for a person.
        public var words: String {
            switch self {
            case .bySharer: "The sharer stopped sharing."
            case .byFollower: "The requester stopped asking."
            case .time: "The agreed time is over."
            case .revoked: "The grant was revoked; ask for a new one."
            case .paused: "The sharer's device is no longer allowed to share its location."
            case .lost: "The sharer's device sent nothing for too long."
            }
        }
    }

    /// The request that began the live share or schedule.
    public let request: RequestID
    /// The author of the end.
    public let author: PublicIdentity
    /// When the live share ended, by the author's clock.
    public let time: WallTime
    /// The reason of the end.
    public let reason: Reason

    /// Creates the statement.
    public init(request: RequestID, author: PublicIdentity, time: WallTime, reason: Reason) {
        self.request = request
        self.author = author
        self.time = time.wholeMilliseconds
        self.reason = reason
    }

    /// Whether the author takes part in the request, and may give this reason; each side has its own reasons.
    package func isOf(_ request: Request) -> Bool {
        guard request.id == self.request else { return false }
        return switch self.reason {
        case .bySharer, .time, .revoked, .paused: self.author == request.grant.value.sharer
        case .byFollower, .lost: self.author == request.grant.value.requester
        }
    }
}
