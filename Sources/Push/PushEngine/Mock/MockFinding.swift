public import WhereaboutsAPNS

/// A mistake in a push that Apple accepts with 200, and then delays or drops.
public enum MockFinding: Sendable, Hashable {
    /// There is no `apns-push-type`; the topic suggests this one.
    case pushTypeMissing(PushType)
    /// A background push without `"content-available": 1`.
    case contentAvailableMissing
    /// A background push that has an alert, a badge or a sound.
    case backgroundPushShowsSomething
    /// An alert push without an alert, a badge or a sound.
    case alertPushShowsNothing
    /// A location push with `content-available`.
    case contentAvailableOnLocationPush
    /// A live activity push without these members of `aps`.
    case liveActivityIncomplete([String])
    /// `apns-expiration` is this many seconds in the past, and not 0.
    case expirationPast(seconds: Int64)
    /// `apns-expiration` is beyond the 30 days that Apple stores a push.
    case expirationTooLate
    /// The provider token replaces a token that was only this many seconds old.
    case providerTokenMadeAgain(afterSeconds: Int64)

    /// The stable name, for JSON and logs.
    public var name: String {
        switch self {
        case .pushTypeMissing: "pushTypeMissing"
        case .contentAvailableMissing: "contentAvailableMissing"
        case .backgroundPushShowsSomething: "backgroundPushShowsSomething"
        case .alertPushShowsNothing: "alertPushShowsNothing"
        case .contentAvailableOnLocationPush: "contentAvailableOnLocationPush"
        case .liveActivityIncomplete: "liveActivityIncomplete"
        case .expirationPast: "expirationPast"
        case .expirationTooLate: "expirationTooLate"
        case .providerTokenMadeAgain: "providerTokenMadeAgain"
        }
    }

    /// The mistake and the remedy, as text.
    public var words: String {
        switch self {
        case .pushTypeMissing(let type):
            "apns-push-type is missing. Apple may delay or drop the push; send \(type.rawValue)."
        case .contentAvailableMissing:
            "The background push has no \"content-available\": 1 in aps. The system does not wake the app; add it."
        case .backgroundPushShowsSomething:
            "The background push has an alert, a badge or a sound. Remove it, or send apns-push-type alert."
        case .alertPushShowsNothing:
            "The alert push has no alert, badge or sound in aps. Add one, or send apns-push-type background with priority 5."
        case .contentAvailableOnLocationPush:
            "The location push has content-available in aps. It wakes the extension without it, and never the app; remove it."
        case .liveActivityIncomplete(let missing):
            "The live activity push has no \(missing.joined(separator: ", ")) in aps. The system ignores it; add what is missing."
        case .expirationPast(let seconds):
            "apns-expiration is \(seconds) s in the past. Apple tries once and stores nothing; send 0 for that, or a later time."
        case .expirationTooLate:
            "apns-expiration is more than 30 days from now, the longest that Apple stores a push. Is it in milliseconds? Send seconds."
        case .providerTokenMadeAgain(let seconds):
            "The provider token replaces one that is \(seconds) s older. Use one token for 20 to 60 minutes; Apple answers more with "
                + "429 TooManyProviderTokenUpdates."
        }
    }

    /// Apple's nearest reason, with which a strict mock rejects the push.
    public var reason: Reason {
        switch self {
        case .pushTypeMissing, .contentAvailableMissing, .backgroundPushShowsSomething, .alertPushShowsNothing,
            .contentAvailableOnLocationPush:
            .invalidPushType
        case .liveActivityIncomplete: .payloadEmpty
        case .expirationPast, .expirationTooLate: .badExpirationDate
        case .providerTokenMadeAgain: .tooManyProviderTokenUpdates
        }
    }
}
