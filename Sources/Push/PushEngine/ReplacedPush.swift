public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// A push that another one replaced.
public struct ReplacedPush: Sendable, Hashable {
    /// The ID of the push.
    public let id: PushID
    /// Until when the push would have been stored.
    public let expiration: Expiration

    /// Creates a replaced push.
    public init(id: PushID, expiration: Expiration) {
        self.id = id
        self.expiration = expiration
    }

    /// Returns whether the replaced push had already expired.
    func isExpired(now: WallTime) -> Bool { self.expiration.isOver(now: now) }
}
