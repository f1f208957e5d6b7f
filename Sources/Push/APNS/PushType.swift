/// APNs' kinds of push: the values of `apns-push-type`.
///
/// Each kind has its own form of topics: the app's bundle identifier and a suffix.
public enum PushType: String, Sendable, Hashable, CaseIterable {
    /// Shows an alert, plays a sound or sets a badge.
    case alert
    /// Wakes the app without showing anything; priority 5 or 1.
    case background
    case complication
    case controls
    /// Tells a file provider extension that something changed.
    case fileprovider
    /// Starts, updates or ends a live activity.
    case liveactivity
    /// Launches a location push service extension; sent with a provider token, never with a certificate.
    case location
    /// Asks a managed device to contact its server; the topic is the subject UID of the push certificate.
    case mdm
    /// Tells a Push to Talk app that someone speaks.
    case pushtotalk
    case voip
    case widgets

    /// The topic's addition to the bundle identifier; empty for kinds whose topic is the identifier itself.
    public var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The maximum number of bytes of payload that a push of this kind may carry.
    public var payloadBytesMax: Int {
        self == .voip ? Limits.anyPayloadBytesMax : Limits.payloadBytesMax
    }

    /// Returns whether Apple allows the priority for this kind; `background` at 10 is an error.
    public func allows(_ priority: Priority) -> Bool {
        !(self == .background && priority == .immediate)
    }

    /// Returns the topic of this kind for an app.
    public func topic(bundleIdentifier: String) -> String {
        bundleIdentifier + self.topicSuffix
    }

    /// Returns the bundle identifier in a topic of this kind; nil for a topic of another kind.
    public func bundleIdentifier(of topic: String) -> String? {
        self.matches(topic: topic) ? String(topic.utf8.dropLast(self.topicSuffix.utf8.count)) : nil
    }

    /// The kind whose suffix a topic ends in, or nil for a plain one, which may be an alert, background or mdm topic.
    ///
    /// Apple's suffixes do not end with one another, so at most one matches.
    public static func suffixed(topic: String) -> PushType? {
        self.allCases.first { !$0.topicSuffix.isEmpty && $0.endsTopic(topic) }
    }

    /// Returns whether a topic has the form of this kind: text before its suffix, and no other kind's suffix.
    public func matches(topic: String) -> Bool {
        guard topic.utf8.count > self.topicSuffix.utf8.count else { return false }
        return self.topicSuffix.isEmpty ? Self.suffixed(topic: topic) == nil : self.endsTopic(topic)
    }

    /// Compares bytes, because `hasSuffix` compares characters, and each push is compared with the suffix of each kind.
    private func endsTopic(_ topic: String) -> Bool {
        topic.utf8.suffix(self.topicSuffix.utf8.count).elementsEqual(self.topicSuffix.utf8)
    }
}
