public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The end of a push that the relay sent.
public enum RelayEnd: Sendable, Hashable {
    case accepted
    /// Apple did not; `timestamp` is when the device token stopped being valid, with 410 only.
    case rejected(Reason, timestamp: WallTime?)
    /// There is no answer; the push may have been accepted.
    case unanswered
    /// The push never reached Apple, or Apple certainly did not process it.
    ///
    /// With a reason if Apple would have had one.
    case unsent(Reason?)

    /// Whether the sender gave a token that Apple does not know.
    var isMistake: Bool { if case .rejected(.badDeviceToken, _) = self { true } else { false } }

    /// The end in a push's history.
    public var historyEnd: PushHistory.End {
        switch self {
        case .accepted: .relayed
        case .rejected: .rejected
        case .unanswered: .unanswered
        case .unsent: .unsent
        }
    }

    /// The answer to the sender; nil: the push was accepted.
    ///
    /// Apple's, but for reasons that a sender can do nothing about: they are the vendor's, and it is told. A push without an
    /// answer is not sent again, since the sender alone knows what a second one would cost.
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
    /// Whether it concerns the vendor's key at Apple: its provider tokens, its environment, its apps.
    var concernsVendor: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
            .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyIDInToken, .tooManyProviderTokenUpdates,
            .topicDisallowed:
            true
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed, .expiredToken, .unregistered, .payloadTooLarge,
            .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown:
            false
        }
    }
}
