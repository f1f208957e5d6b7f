public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// A push that was accepted for a device.
public struct StoredPush: Sendable, Hashable {
    /// The ID of the push between gateway and device.
    public let id: PushID
    /// The topic of the push.
    public let topic: String
    /// The JSON object, unchanged.
    public let payload: [UInt8]
    /// How urgent the push is.
    public let priority: Priority
    /// Until when the push is stored.
    public let expiration: Expiration
    /// Pushes with the same id are shown as one.
    public let collapseID: String?

    /// Creates a push.
    public init(
        id: PushID,
        topic: String,
        payload: [UInt8],
        priority: Priority,
        expiration: Expiration,
        collapseID: String?
    ) {
        self.id = id
        self.topic = topic
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// Returns whether the push must be removed; always true for a push for one attempt.
    public func isExpired(now: WallTime) -> Bool { self.expiration.isOver(now: now) }
}

extension Expiration {
    /// Returns whether a push with this expiration has expired; always true for one attempt.
    func isOver(now: WallTime) -> Bool {
        switch self {
        case .once: true
        case .until(let seconds): seconds <= now.seconds
        }
    }
}
