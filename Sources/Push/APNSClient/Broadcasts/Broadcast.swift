public import WhereaboutsAPNS

/// A push to everyone who follows a channel: it updates or ends their live activities, on iOS 18 and later.
///
/// Source: Apple, "Sending broadcast push notification requests to APNs".
public struct Broadcast: Sendable, Hashable {
    /// The channel; see ``APNSClient/createChannel(of:storage:)``.
    public var channel: ChannelID
    /// The app's bundle identifier, without a suffix.
    public var bundleIdentifier: String
    /// The payload, at most 5,120 bytes; see ``PushPayload/init(liveActivity:)``.
    public var payload: PushPayload
    /// How urgent the push is.
    public var priority: Priority
    /// Until when devices may get the push; a channel that stores nothing accepts only `once`.
    public var expiration: Expiration
    /// The push's ID; if nil, the client draws one.
    public var id: MessageID?
    /// The timeout; nil for that of the client's configuration.
    public var timeout: Duration?

    /// Describes a broadcast.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - bundleIdentifier: the app.
    ///   - payload: the event of the live activity.
    ///   - priority: how urgent it is; 5 does not count toward the budget of a live activity.
    ///   - expiration: until when devices may get it.
    ///   - id: the push's ID; if nil, the client draws one.
    public init(
        to channel: ChannelID,
        bundleIdentifier: String,
        payload: PushPayload,
        priority: Priority = .immediate,
        expiration: Expiration = .once,
        id: MessageID? = nil
    ) {
        self.channel = channel
        self.bundleIdentifier = bundleIdentifier
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
        self.id = id
    }

    /// The reason for which every server would reject the push; nil if there is none.
    public var mistake: Reason? {
        guard Topic.isBundleIdentifier(self.bundleIdentifier) else { return .badTopic }
        return self.payload.bytes.count > Limits.anyPayloadBytesMax ? .payloadTooLarge : nil
    }
}
