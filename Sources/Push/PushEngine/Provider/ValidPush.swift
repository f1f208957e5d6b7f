public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// A valid push of a known provider, whose device token was not looked up yet.
public struct ValidPush: Sendable, Hashable {
    /// The maximum number of pushes to one device token at once: more than an app's users write to one person in an hour.
    public static let tokenBurst = 1000
    /// The interval of further pushes; about five times the rate of a lively conversation.
    public static let tokenInterval = Duration.milliseconds(100)

    /// The value of `apns-id` in the response.
    public let id: String
    /// The device token of the path.
    public let token: DeviceToken
    /// The topic, whose form matches the kind of push.
    public let topic: String
    /// The JSON object, unchanged.
    public let payload: [UInt8]
    /// How urgent the push is.
    public let priority: Priority
    /// Until when the push is stored, at most 30 days after its arrival.
    public let expiration: Expiration
    /// Pushes with the same id are shown as one.
    public let collapseID: String?

    /// Decides by the record of the device token whether the push is accepted.
    ///
    /// - Parameter record: the store's record of the token; nil if the token was never issued here.
    /// - Returns: the record, if its token accepts the push.
    /// - Throws: the rejection, otherwise.
    public func admitted(by record: TokenRecord?) throws(Rejection) -> TokenRecord {
        guard let record else { throw Rejection(.badDeviceToken) }
        guard record.topic == self.topic else { throw Rejection(.deviceTokenNotForTopic) }
        if let since = record.unregisteredAt { throw Rejection(.unregistered, timestamp: since) }
        return record
    }

    /// Returns the push in the form that is stored and delivered, under its own ID.
    public func stored(id: PushID) -> StoredPush {
        StoredPush(
            id: id,
            topic: self.topic,
            payload: self.payload,
            priority: self.priority,
            expiration: self.expiration,
            collapseID: self.collapseID
        )
    }
}
