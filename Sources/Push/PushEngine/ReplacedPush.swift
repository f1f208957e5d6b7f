public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// A push of which another one took the place.
public struct ReplacedPush: Sendable, Hashable {
    /// Its name.
    public let id: PushID
    /// Until when it was to be kept.
    public let expiration: Expiration

    /// Creates one.
    public init(id: PushID, expiration: Expiration) {
        self.id = id
        self.expiration = expiration
    }

    /// Returns whether it was over already: then it expired, and the other one took nobody's place.
    func isExpired(now: WallTime) -> Bool { self.expiration.isOver(now: now) }
}
