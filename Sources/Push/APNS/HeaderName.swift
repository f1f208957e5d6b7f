/// The names of the headers of the provider API, as HTTP/2 writes them.
public enum HeaderName {
    /// The request's ID, a UUID; every response repeats it.
    public static let id = "apns-id"
    /// The kind of push; see ``PushType``.
    public static let pushType = "apns-push-type"
    /// UNIX seconds until which the push is stored; 0: one attempt.
    public static let expiration = "apns-expiration"
    /// How urgent the push is; see ``Priority``.
    public static let priority = "apns-priority"
    /// The bundle identifier with the suffix of the push type.
    public static let topic = "apns-topic"
    /// Pushes with the same id are shown as one.
    public static let collapseID = "apns-collapse-id"
    /// The channel of a broadcast; see ``ChannelID``.
    public static let channelID = "apns-channel-id"
    /// The ID of a request about broadcasts or channels, as ``id`` is the ID of a push.
    public static let requestID = "apns-request-id"
    /// The relay's part of an answer, never in Apple's; see ``RelayWord``.
    public static let relay = "whereabouts-relay"
    /// `bearer` and the provider token.
    public static let authorization = "authorization"

    /// The request headers that the gateway reads; like APNs, it ignores all others.
    public static let request = [authorization, id, pushType, expiration, priority, topic, collapseID]
}
