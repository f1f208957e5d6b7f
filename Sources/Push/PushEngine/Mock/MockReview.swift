public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Explains what is wrong with a push: why Apple rejects it, or accepts it without delivering it.
public struct MockReview: Sendable, Hashable {
    /// The members of a payload's `aps` that a review looks at.
    public struct APSMembers: Sendable, Hashable {
        private let names: Set<String>
        /// Whether `content-available` is 1.
        let isContentAvailable: Bool

        /// Creates the members; empty for a payload without `aps`.
        public init(names: Set<String> = [], isContentAvailable: Bool = false) {
            self.names = names
            self.isContentAvailable = isContentAvailable
        }

        func has(_ name: String) -> Bool { self.names.contains(name) }

        var showsSomething: Bool { ["alert", "badge", "sound"].contains { self.has($0) } }
    }

    private struct Key: Sendable, Hashable {
        let teamID: String
        let keyID: String
    }

    /// The maximum number of provider keys whose last token is stored; beyond this, all are deleted.
    ///
    /// Source: our choice; a test uses one or two.
    public static let keysMax = 1000

    /// When the last provider token of each key was issued.
    private var lastTokens: [Key: WallTime] = [:]

    /// Creates a review that has seen no push.
    public init() {}

    /// Returns the mistakes in a well-formed push that Apple does not report.
    ///
    /// - Parameters:
    ///   - push: the push.
    ///   - request: its request.
    ///   - aps: the members of its payload's `aps`.
    ///   - claims: its provider token.
    ///   - now: the time.
    /// - Returns: the mistakes that a server can detect.
    public mutating func findings(
        in push: ValidPush,
        _ request: PushRequest,
        _ aps: APSMembers,
        from claims: ProviderClaims?,
        now: WallTime
    ) -> [MockFinding] {
        let suffixed = PushType.suffixed(topic: push.topic)
        let type = request.pushType.flatMap { PushType(rawValue: $0) } ?? suffixed ?? .alert
        var findings: [MockFinding] = []
        if request.pushType == nil {
            // Alerts and background pushes share the plain topic, so the payload decides.
            let isBackground = suffixed == nil && !aps.showsSomething && aps.isContentAvailable
            findings.append(.pushTypeMissing(isBackground ? .background : type))
        } else {
            findings += Self.findings(in: aps, of: type)
        }
        findings += Self.findings(inExpiration: request.expiration, now: now)
        if let finding = claims.flatMap({ self.tokenPresented($0) }) { findings.append(finding) }
        return findings
    }

    /// Returns the mistakes in a broadcast that Apple does not report.
    public static func findings(inBroadcast request: PushRequest, _ aps: APSMembers, now: WallTime) -> [MockFinding] {
        Self.findings(in: aps, of: .liveactivity) + Self.findings(inExpiration: request.expiration, now: now)
    }

    private static func findings(in aps: APSMembers, of type: PushType) -> [MockFinding] {
        switch type {
        case .alert: return aps.showsSomething ? [] : [.alertPushShowsNothing]
        case .background:
            return (aps.isContentAvailable ? [] : [.contentAvailableMissing])
                + (aps.showsSomething ? [.backgroundPushShowsSomething] : [])
        case .location: return aps.has("content-available") ? [.contentAvailableOnLocationPush] : []
        case .liveactivity:
            let missing = ["timestamp", "event"].filter { !aps.has($0) }
            return missing.isEmpty ? [] : [.liveActivityIncomplete(missing)]
        case .complication, .controls, .fileprovider, .mdm, .pushtotalk, .voip, .widgets: return []
        }
    }

    private static func findings(inExpiration text: String?, now: WallTime) -> [MockFinding] {
        guard let seconds = text.flatMap({ Int64($0) }), seconds != 0 else { return [] }
        if seconds < now.seconds { return [.expirationPast(seconds: now.seconds - seconds)] }
        // Allow a minute for clock differences, because clients may send exactly 30 days.
        return seconds - now.seconds > Limits.storageSecondsMax + 60 ? [.expirationTooLate] : []
    }

    private mutating func tokenPresented(_ claims: ProviderClaims) -> MockFinding? {
        let key = Key(teamID: claims.teamID, keyID: claims.keyID)
        if self.lastTokens[key] == nil, self.lastTokens.count >= Self.keysMax { self.lastTokens.removeAll() }
        let last = self.lastTokens.updateValue(claims.issuedAt, forKey: key)
        guard let last else { return nil }
        let age = claims.issuedAt.seconds - last.seconds
        // An older token comes from another connection, which may continue to use it.
        guard age <= 0 else {
            return age < Limits.providerTokenUpdateSecondsMin ? .providerTokenMadeAgain(afterSeconds: age) : nil
        }
        self.lastTokens[key] = last
        return nil
    }

    /// Returns why a request is rejected, with its values; nil if the reason suffices.
    public static func explanation(of reason: Reason, _ request: PushRequest) -> String? {
        switch reason {
        case .invalidPushType: Self.typeMismatch(request)
        case .badPriority where request.pushType == PushType.background.rawValue && (request.priority ?? "10") == "10":
            "A background push has priority 10, the default if apns-priority is missing. Send apns-priority 5."
        case .badPriority where request.isBroadcast && request.priority == nil:
            "apns-priority is missing. A broadcast needs one: send 10 or 5."
        case .badExpirationDate where request.isBroadcast && request.expiration == nil:
            "apns-expiration is missing. A broadcast needs one: send 0, or a time if the channel stores pushes."
        case .badExpirationDate where request.isBroadcast && request.expiration.flatMap({ Int64($0) }) != nil:
            "apns-expiration is '\(request.expiration ?? "")', but the channel stores nothing. Send 0."
        case .invalidPushType where request.isAboutChannels: "The push type of channels is liveactivity. Send it."
        case .badRequestParams:
            #"The body is not {"message-storage-policy":0,"push-type":"LiveActivity"}, with 0 or 1. Send only these members."#
        case .badChannelID: "apns-channel-id is not base64. Send it as the mock returned it."
        case .badMessageID where request.isAboutChannels:
            "apns-request-id is malformed. Send 32 hexadecimal digits in the form 8-4-4-4-12, or no ID."
        case .badPriority: "apns-priority is '\(request.priority ?? "")'. Send 10, 5 or 1."
        case .badCollapseID:
            "apns-collapse-id has \(request.collapseID?.utf8.count ?? 0) bytes, or control characters. Send at most "
                + "\(Limits.collapseIDBytesMax) bytes."
        case .badExpirationDate:
            "apns-expiration is '\(request.expiration ?? "")'. Send whole seconds since 1970, or 0."
        case .badMessageID:
            "apns-id is '\(request.id ?? "")'. Send 32 hexadecimal digits in the form 8-4-4-4-12, or no ID."
        case .badTopic:
            "apns-topic is '\(request.topic ?? "")'. Send the bundle identifier with the suffix of the push type."
        case .payloadTooLarge:
            "The payload is larger than \(Limits.payloadBytesMax) bytes (voip: \(Limits.anyPayloadBytesMax)). Shorten it."
        default: nil
        }
    }

    private static func typeMismatch(_ request: PushRequest) -> String {
        let (text, topic) = (request.pushType ?? "", request.topic ?? "")
        guard let type = PushType(rawValue: text) else {
            let all = PushType.allCases.map(\.rawValue).joined(separator: ", ")
            return "apns-push-type is '\(text)'. Send one of \(all)."
        }
        let suffixed = PushType.suffixed(topic: topic)
        let bundle = suffixed?.bundleIdentifier(of: topic) ?? topic
        let remedy = suffixed.map { ", or send apns-push-type \($0.rawValue)" } ?? ""
        return "apns-push-type \(text) does not go with apns-topic \(topic). Send apns-topic "
            + "\(type.topic(bundleIdentifier: bundle))\(remedy)."
    }
}
