public import WhereaboutsAPNS

/// The next step after a push that was not accepted.
public enum Remedy: Sendable, Hashable {
    /// The push was not accepted: send it again, but not before this time has passed.
    case sendAgain(after: Duration)
    /// The push may have been accepted: decide whether a duplicate does harm.
    case decide
    /// Forget the device token, unless the app registered it after the rejection's timestamp.
    case forgetToken
    /// Change the push, its device token or its server: the same push would be rejected again.
    case changePush
    /// Change the configuration, or set this machine's clock: until then no push is accepted.
    case changeConfiguration
    /// Nothing: the caller cancelled the push.
    case nothing
}

extension Reason {
    /// How long Apple asks to wait after an internal error.
    private static let pause = Duration.seconds(15 * 60)

    /// The next step after a rejection for this reason.
    ///
    /// Source: Apple, "Handling notification responses from APNs".
    public var remedy: Remedy {
        switch self {
        // Do not delete the token on `BadDeviceToken`: the other environment's server gives this reason for every token.
        case .expiredToken, .unregistered: .forgetToken
        case .badDeviceToken, .deviceTokenNotForTopic, .badCollapseID, .badExpirationDate, .badMessageID, .badPriority,
            .badTopic, .duplicateHeaders,
            .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed,
            .payloadTooLarge, .missingChannelID, .badChannelID, .channelNotRegistered, .badRequestParams,
            .badRequestPayload, .missingPushType:
            .changePush
        case .topicDisallowed, .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden,
            .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyIDInToken,
            .featureNotEnabled, .cannotCreateChannelConfig, .topicMismatch:
            .changeConfiguration
        case .idleTimeout, .shutdown: .sendAgain(after: .seconds(1))
        case .tooManyRequests: .sendAgain(after: .seconds(60))
        case .tooManyProviderTokenUpdates: .sendAgain(after: .seconds(Limits.providerTokenUpdateSecondsMin))
        case .internalServerError, .serviceUnavailable: .sendAgain(after: Self.pause)
        }
    }

    /// The reason as text, and the remedy.
    public var advice: String {
        switch self {
        case .badCollapseID: "the collapse ID is empty, longer than 64 bytes, or has control characters; shorten it"
        case .badDeviceToken:
            "the device token was not issued by this server; check that production and development are not mixed up"
        case .badExpirationDate:
            "the expiration is not a number of seconds since 1970, or not 0 for a channel that stores nothing"
        case .badMessageID: "the ID is not a UUID"
        case .badPriority: "the priority is not 10, 5 or 1, or is 10 for a background push; give 5"
        case .badTopic: "the bundle identifier is malformed"
        case .deviceTokenNotForTopic:
            "the device token is for another app or push type; location pushes have their own device token"
        case .duplicateHeaders: "a header was given twice"
        case .idleTimeout: "the connection was idle for too long; send it again"
        case .invalidPushType: "the push type does not match the topic"
        case .missingDeviceToken: "the path contains no device token"
        case .missingTopic: "no topic was given"
        case .payloadEmpty: "the payload is empty, or is not a JSON object; send for example {\"aps\":{}}"
        case .topicDisallowed: "the key may not push to this app; check its team, and the apps it is restricted to"
        case .badCertificate: "the client certificate is not valid; use the certificate that Apple issued for this app"
        case .badCertificateEnvironment:
            "the client certificate is for the other environment (production or development); use one for this server's"
        case .expiredProviderToken:
            "the provider token is dated more than an hour from the server's time; check this machine's clock"
        case .forbidden: "the action is not allowed for this key"
        case .invalidProviderToken: "the server does not know this key; check the key file, the key ID and the team ID"
        case .missingProviderToken: "no provider token was sent"
        case .unrelatedKeyIDInToken: "another key was used on this connection before"
        case .badEnvironmentKeyIDInToken:
            "the key is for the other environment (production or development); use one for this server's"
        case .badPath:
            "the server does not know the path; is it an APNs server, and the one for pushes or for channels?"
        case .methodNotAllowed: "the method is not POST"
        case .expiredToken: "the device token expired; forget it: the app will register a new one"
        case .unregistered:
            "the app is gone, or registered again; forget the token unless it was registered after the timestamp"
        case .payloadTooLarge:
            "the payload has more than \(Limits.payloadBytesMax) bytes (voip, broadcast: "
                + "\(Limits.anyPayloadBytesMax)); shorten it"
        case .tooManyProviderTokenUpdates:
            "the provider token changed too often; is the key used by other programs, too?"
        case .tooManyRequests: "too many pushes for this device; send fewer"
        case .internalServerError: "the server failed; send it again in a quarter of an hour"
        case .serviceUnavailable: "the server is busy; send it again in a quarter of an hour"
        case .shutdown: "the server is shutting down; send it again"
        case .featureNotEnabled:
            "broadcasts are not enabled for this app; enable them for its identifier in the developer account"
        case .missingChannelID: "no channel was given"
        case .badChannelID: "the channel ID is malformed or too long; use the ID that the server returned"
        case .channelNotRegistered:
            "there is no such channel; it was deleted, or is another app's or of the other environment"
        case .badRequestParams: "the request has a member that the server does not know"
        case .badRequestPayload: "the request is not JSON"
        case .missingPushType: "no push type was given"
        case .cannotCreateChannelConfig: "the app has as many channels as Apple allows; delete some"
        case .topicMismatch: "the key or certificate is not for this app; give one that is"
        }
    }
}
