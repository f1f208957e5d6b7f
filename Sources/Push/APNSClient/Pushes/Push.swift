public import WhereaboutsAPNS

/// A push: its device and app, its kind, and its payload.
public struct Push: Sendable, Hashable {
    /// The kind of push, which decides the form of the topic.
    public var type: PushType
    /// The device's token for this app and kind; location pushes and alerts have different tokens.
    public var token: DeviceToken
    /// The app's bundle identifier, not the extension's; for `mdm` the subject UID of the push certificate.
    public var bundleIdentifier: String
    /// The payload.
    public var payload: PushPayload
    /// How urgent the push is: 10 if a person waits, otherwise 5.
    public var priority: Priority
    /// When the push expires; nil: APNs' maximum of 30 days.
    public var expiration: Expiration?
    /// Pushes with the same ID are shown as one; at most 64 bytes.
    public var collapseID: String?
    /// The push's ID; if nil, the client draws one.
    public var id: MessageID?
    /// The timeout; nil for that of the client's configuration.
    public var timeout: Duration?

    /// Describes a push.
    ///
    /// - Parameters:
    ///   - type: the kind.
    ///   - token: the device's token.
    ///   - bundleIdentifier: the app.
    ///   - payload: the content.
    ///   - priority: how urgent it is; nil: 10, but 5 for `background`, for which 10 is an error.
    ///   - expiration: until when the push should be delivered.
    ///   - collapseID: pushes with the same ID are shown as one.
    ///   - id: the push's ID; if nil, the client draws one.
    public init(
        _ type: PushType,
        token: DeviceToken,
        bundleIdentifier: String,
        payload: PushPayload = .empty,
        priority: Priority? = nil,
        expiration: Expiration? = nil,
        collapseID: String? = nil,
        id: MessageID? = nil
    ) {
        self.type = type
        self.token = token
        self.bundleIdentifier = bundleIdentifier
        self.payload = payload
        self.priority = priority ?? (type.allows(.immediate) ? .immediate : .powerConsiderate)
        self.expiration = expiration
        self.collapseID = collapseID
        self.id = id
    }

    /// The topic: the bundle identifier with the suffix of the kind.
    public var topic: String { self.type.topic(bundleIdentifier: self.bundleIdentifier) }

    /// The reason for which every server would reject the push; nil if there is none.
    ///
    /// A push with such a mistake is not sent: APNs slows down connections with errors.
    public var mistake: Reason? {
        guard Topic.isBundleIdentifier(self.bundleIdentifier) else { return .badTopic }
        guard self.type.allows(self.priority) else { return .badPriority }
        if let collapseID, !Self.isCollapseID(collapseID) { return .badCollapseID }
        if self.payload.bytes.count > self.type.payloadBytesMax { return .payloadTooLarge }
        return nil
    }

    /// Whether a text is valid in a header: no byte ends the header, and no white space is stripped (RFC 9110, 5.5).
    private static func isCollapseID(_ text: String) -> Bool {
        (1...Limits.collapseIDBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
    }
}
