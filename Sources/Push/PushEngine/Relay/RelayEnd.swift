public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The outcome of a push that the relay sent.
public enum RelayEnd: Sendable, Hashable {
    case accepted
    /// Apple rejected the push; `timestamp`, with 410 only, is when the device token stopped being valid.
    case rejected(Reason, timestamp: WallTime?)
    /// Apple did not answer; the push may have been accepted.
    case unanswered
    /// The push never reached Apple, or Apple certainly did not process it.
    ///
    /// The reason is what Apple would have answered, if known.
    case unsent(Reason?)

    /// Whether the sender used a token that Apple does not know.
    var isMistake: Bool { if case .rejected(.badDeviceToken, _) = self { true } else { false } }

    /// The outcome in a push's history.
    public var historyEnd: PushHistory.End {
        switch self {
        case .accepted: .relayed
        case .rejected: .rejected
        case .unanswered: .unanswered
        case .unsent: .unsent
        }
    }

    /// The answer to the sender; nil if the push was accepted.
    ///
    /// It has Apple's reason, except for reasons that concern the vendor's key, which the sender cannot fix. A push without an
    /// answer is not sent again, because only the sender knows whether a duplicate does harm.
    var rejection: Rejection? {
        switch self {
        case .accepted: nil
        case .rejected(let reason, _) where reason.concernsVendor: Rejection(.internalServerError, relay: .vendor)
        case .rejected(let reason, let timestamp): Rejection(reason, timestamp: timestamp, relay: .apple)
        case .unanswered: Rejection(.serviceUnavailable, relay: .unanswered)
        case .unsent(let reason?): Rejection(reason, relay: .apple)
        case .unsent(nil): Rejection(.serviceUnavailable, relay: .unsent)
        }
    }
}

extension Reason {
    /// Whether the reason concerns the vendor's key at Apple: its provider tokens, its environment, its apps.
    var concernsVendor: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
            .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyIDInToken, .tooManyProviderTokenUpdates,
            .topicDisallowed, .topicMismatch:
            true
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed, .expiredToken, .unregistered, .payloadTooLarge,
            .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown, .featureNotEnabled,
            .missingChannelID, .badChannelID, .channelNotRegistered, .badRequestParams, .badRequestPayload,
            .missingPushType, .cannotCreateChannelConfig:
            false
        }
    }
}
