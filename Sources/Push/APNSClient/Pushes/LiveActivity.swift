public import WhereaboutsAPNS

/// Apple's part of a payload for a live activity, for a push of type `liveactivity`.
///
/// Times are seconds since 1970.
public struct LiveActivity: Sendable, Encodable {
    /// The source of a started activity's updates, for devices with iOS 18 and later; others would not start it.
    public enum Source: Sendable, Hashable {
        /// The live activity's push token, which the app receives.
        case token
        /// A broadcast channel.
        case channel(ChannelID)
    }

    /// A change of the activity.
    public enum Event: Sendable {
        /// It starts, with the name and the value of the app's `ActivityAttributes`.
        case start(attributesType: String, attributes: any Encodable & Sendable)
        case update
        case end
    }

    /// The alert that an event shows.
    public struct Alert: Sendable, Hashable, Encodable {
        /// The first line.
        public var title: Text
        /// The text.
        public var body: Text
        /// The sound's file in the app, or `default`; nil: none.
        public var sound: String?

        /// Writes an alert.
        public init(title: Text, body: Text, sound: String? = nil) {
            self.title = title
            self.body = body
            self.sound = sound
        }
    }

    /// A line of an alert; a string is the line itself.
    public enum Text: Sendable, Hashable, Encodable, ExpressibleByStringLiteral {
        case plain(String)
        /// The line in the person's language.
        case localized(APS.Localized)

        /// Takes the line as it is.
        public init(stringLiteral line: String) { self = .plain(line) }

        private enum CodingKeys: String, CodingKey {
            case key = "loc-key"
            case arguments = "loc-args"
        }

        /// Writes a string, or the key of a text and its arguments.
        public func encode(to encoder: any Encoder) throws {
            switch self {
            case .plain(let line):
                var container = encoder.singleValueContainer()
                try container.encode(line)
            case .localized(let text):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(text.key, forKey: .key)
                if !text.arguments.isEmpty { try container.encode(text.arguments, forKey: .arguments) }
            }
        }
    }

    /// A change of the activity.
    public var event: Event
    /// When the content was made; a device ignores a push with an earlier time than that of the last one.
    public var timestamp: Int
    /// The app's `ContentState`.
    public var contentState: any Encodable & Sendable
    /// When the content is out of date; nil: never.
    public var staleDate: Int?
    /// When the system removes an ended activity; nil: after four hours (ActivityKit).
    public var dismissalDate: Int?
    /// The rank among the app's activities; the highest is shown in the Dynamic Island.
    public var relevanceScore: Double?
    /// The alert that the device shows; required at a start.
    public var alert: Alert?
    /// The source of its updates; for a start only.
    public var source: Source?

    /// Describes an event of an activity.
    public init(_ event: Event, contentState: any Encodable & Sendable, timestamp: Int, alert: Alert? = nil) {
        self.event = event
        self.contentState = contentState
        self.timestamp = timestamp
        self.alert = alert
    }

    private enum CodingKeys: String, CodingKey {
        case event, timestamp, alert, attributes
        case contentState = "content-state"
        case staleDate = "stale-date"
        case dismissalDate = "dismissal-date"
        case relevanceScore = "relevance-score"
        case attributesType = "attributes-type"
        case inputPushToken = "input-push-token"
        case inputPushChannel = "input-push-channel"
    }

    /// Writes the members that are not nil.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self.event {
        case .start(let type, let attributes):
            try container.encode("start", forKey: .event)
            try container.encode(type, forKey: .attributesType)
            try container.encode(attributes, forKey: .attributes)
            switch self.source {
            case nil: break
            case .token?: try container.encode(1, forKey: .inputPushToken)
            case .channel(let channel)?: try container.encode(channel.text, forKey: .inputPushChannel)
            }
        case .update: try container.encode("update", forKey: .event)
        case .end: try container.encode("end", forKey: .event)
        }
        try container.encode(self.timestamp, forKey: .timestamp)
        try container.encode(self.contentState, forKey: .contentState)
        try container.encodeIfPresent(self.staleDate, forKey: .staleDate)
        try container.encodeIfPresent(self.dismissalDate, forKey: .dismissalDate)
        try container.encodeIfPresent(self.relevanceScore, forKey: .relevanceScore)
        try container.encodeIfPresent(self.alert, forKey: .alert)
    }
}
