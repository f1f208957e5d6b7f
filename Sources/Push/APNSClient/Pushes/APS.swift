/// Apple's part of a payload, the dictionary `aps`; nil members are left out.
///
/// A live activity has another dictionary, ``LiveActivity``.
public struct APS: Sendable, Hashable, Encodable {
    /// The text of an alert.
    public struct Alert: Sendable, Hashable, Encodable {
        /// The first line.
        public var title: String?
        /// The second line.
        public var subtitle: String?
        /// The text.
        public var body: String?
        /// The first line in the person's language.
        public var localizedTitle: Localized?
        /// The second line in the person's language.
        public var localizedSubtitle: Localized?
        /// The text in the person's language.
        public var localizedBody: Localized?
        /// The image, or storyboard, that the app shows when the alert opens it.
        public var launchImage: String?

        /// Writes an alert.
        public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
        }

        private enum CodingKeys: String, CodingKey {
            case title, subtitle, body
            case titleKey = "title-loc-key"
            case titleArguments = "title-loc-args"
            case subtitleKey = "subtitle-loc-key"
            case subtitleArguments = "subtitle-loc-args"
            case bodyKey = "loc-key"
            case bodyArguments = "loc-args"
            case launchImage = "launch-image"
        }

        /// Writes the members that are not nil.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            func encode(_ text: Localized?, _ key: CodingKeys, _ arguments: CodingKeys) throws {
                guard let text else { return }
                try container.encode(text.key, forKey: key)
                if !text.arguments.isEmpty { try container.encode(text.arguments, forKey: arguments) }
            }
            try container.encodeIfPresent(self.title, forKey: .title)
            try container.encodeIfPresent(self.subtitle, forKey: .subtitle)
            try container.encodeIfPresent(self.body, forKey: .body)
            try encode(self.localizedTitle, .titleKey, .titleArguments)
            try encode(self.localizedSubtitle, .subtitleKey, .subtitleArguments)
            try encode(self.localizedBody, .bodyKey, .bodyArguments)
            try container.encodeIfPresent(self.launchImage, forKey: .launchImage)
        }
    }

    /// A text of the app's `Localizable` strings, which the device looks up.
    public struct Localized: Sendable, Hashable {
        /// The key of the text.
        public var key: String
        /// The texts that replace `%@`, or `%1$@` and so on.
        public var arguments: [String]

        /// Names a text.
        public init(_ key: String, _ arguments: [String] = []) {
            self.key = key
            self.arguments = arguments
        }
    }

    /// The sound of an alert; a string is the name of one.
    public struct Sound: Sendable, Hashable, Encodable, ExpressibleByStringLiteral {
        /// The sound's file in the app, or `default`.
        public var name: String
        /// How loud a critical sound is, from 0 to 1; nil: the sound is not critical.
        ///
        /// A critical sound plays even when the device is muted; needs an entitlement.
        public var criticalVolume: Double?

        /// Names a sound.
        public init(_ name: String, criticalVolume: Double? = nil) {
            self.name = name
            self.criticalVolume = criticalVolume
        }

        /// Names a sound that is not critical.
        public init(stringLiteral name: String) { self.init(name) }

        private enum CodingKeys: String, CodingKey { case critical, name, volume }

        /// Writes the name, or Apple's dictionary of a critical sound.
        public func encode(to encoder: any Encoder) throws {
            guard let volume = self.criticalVolume else {
                var container = encoder.singleValueContainer()
                return try container.encode(self.name)
            }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(1, forKey: .critical)
            try container.encode(self.name, forKey: .name)
            try container.encode(volume, forKey: .volume)
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
    /// The sound to play.
    public var sound: Sound?
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
    /// The window that the alert opens, by its scene's identifier.
    public var targetContentID: String?
    /// The text by which a Focus of the person decides whether the alert is shown.
    public var filterCriteria: String?

    private enum CodingKeys: String, CodingKey {
        case alert, badge, sound, category
        case threadID = "thread-id"
        case isContentAvailable = "content-available"
        case isMutable = "mutable-content"
        case interruptionLevel = "interruption-level"
        case relevanceScore = "relevance-score"
        case targetContentID = "target-content-id"
        case filterCriteria = "filter-criteria"
    }

    /// Creates an empty dictionary, to be filled.
    public init() {}

    /// Creates the dictionary of an alert.
    public init(alert: Alert, badge: Int? = nil, sound: Sound? = nil) {
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
        try container.encodeIfPresent(self.targetContentID, forKey: .targetContentID)
        try container.encodeIfPresent(self.filterCriteria, forKey: .filterCriteria)
    }
}
