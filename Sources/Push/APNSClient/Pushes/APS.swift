/// Apple's part of a payload, the dictionary `aps`; nil members are left out.
///
/// The content of a live activity is defined by its app: encode a payload of your own type for it (``PushPayload/init(encoding:)``).
public struct APS: Sendable, Hashable, Encodable {
    /// The text of an alert.
    public struct Alert: Sendable, Hashable, Encodable {
        /// The first line.
        public var title: String?
        /// The second line.
        public var subtitle: String?
        /// The text.
        public var body: String?

        /// Writes an alert.
        public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
        }
    }

    /// How much an alert may interrupt.
    public enum InterruptionLevel: String, Sendable, Hashable, Encodable {
        case passive
        case active
        case timeSensitive = "time-sensitive"
        /// Interrupts even when the device is muted; needs an entitlement.
        case critical
    }

    /// The text to show.
    public var alert: Alert?
    /// The number on the app's icon; 0 removes it.
    public var badge: Int?
    /// The sound's file in the app, or `default`.
    public var sound: String?
    /// The identifier by which alerts are grouped.
    public var threadID: String?
    /// The kind of alert, which determines its buttons.
    public var category: String?
    /// Whether the app is woken silently: for `background`.
    public var isContentAvailable = false
    /// Whether an extension of the app may change the alert first.
    public var isMutable = false
    /// How much the alert may interrupt.
    public var interruptionLevel: InterruptionLevel?
    /// The rank of the alert in a summary, from 0 to 1.
    public var relevanceScore: Double?

    private enum CodingKeys: String, CodingKey {
        case alert, badge, sound, category
        case threadID = "thread-id"
        case isContentAvailable = "content-available"
        case isMutable = "mutable-content"
        case interruptionLevel = "interruption-level"
        case relevanceScore = "relevance-score"
    }

    /// Creates an empty dictionary, to be filled.
    public init() {}

    /// Creates the dictionary of an alert.
    public init(alert: Alert, badge: Int? = nil, sound: String? = nil) {
        self.alert = alert
        self.badge = badge
        self.sound = sound
    }

    /// Writes the members that are not nil, and flags as 1, as Apple does.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(self.alert, forKey: .alert)
        try container.encodeIfPresent(self.badge, forKey: .badge)
        try container.encodeIfPresent(self.sound, forKey: .sound)
        try container.encodeIfPresent(self.threadID, forKey: .threadID)
        try container.encodeIfPresent(self.category, forKey: .category)
        if self.isContentAvailable { try container.encode(1, forKey: .isContentAvailable) }
        if self.isMutable { try container.encode(1, forKey: .isMutable) }
        try container.encodeIfPresent(self.interruptionLevel, forKey: .interruptionLevel)
        try container.encodeIfPresent(self.relevanceScore, forKey: .relevanceScore)
    }
}
