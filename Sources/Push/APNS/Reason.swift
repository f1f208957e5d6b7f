/// Why a request was rejected: Apple's 32 reasons for pushes to devices, and nine more for broadcasts and channels.
///
/// Clients map these strings to types and fail on unknown ones, so the gateway uses only those of pushes to devices.
/// Source: Apple, "Handling notification responses from APNs" and "Handling error responses from Apple Push
/// Notification service".
public enum Reason: String, Sendable, Hashable, CaseIterable, Error {
    /// The collapse id is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The device token is malformed or was not issued here.
    case badDeviceToken = "BadDeviceToken"
    /// `apns-expiration` is not a number of seconds.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a UUID.
    case badMessageID = "BadMessageId"
    /// `apns-priority` is not 10, 5 or 1, or not allowed for the kind of push.
    case badPriority = "BadPriority"
    /// `apns-topic` is malformed.
    case badTopic = "BadTopic"
    /// The device token belongs to another topic.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header was given more than once.
    case duplicateHeaders = "DuplicateHeaders"
    /// The connection was silent for too long.
    case idleTimeout = "IdleTimeout"
    /// `apns-push-type` is unknown, or does not match the topic.
    case invalidPushType = "InvalidPushType"
    /// The path names no device token.
    case missingDeviceToken = "MissingDeviceToken"
    /// There is no `apns-topic`.
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    /// Pushing to this topic is not allowed.
    case topicDisallowed = "TopicDisallowed"
    /// The client certificate is bad.
    case badCertificate = "BadCertificate"
    /// The client certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// The provider token was issued more than an hour from now.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The action is not allowed.
    case forbidden = "Forbidden"
    /// The provider token is malformed, of an unknown key, or its signature is wrong.
    case invalidProviderToken = "InvalidProviderToken"
    /// There is no provider token.
    case missingProviderToken = "MissingProviderToken"
    /// The key is not related to the key of the connection's first push.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    /// The key is for the other environment.
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    /// The path is not `/3/device/<token>`.
    case badPath = "BadPath"
    /// The method is not POST.
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    /// The device token is not registered for the topic any more.
    case unregistered = "Unregistered"
    /// The payload is larger than the kind of push allows.
    case payloadTooLarge = "PayloadTooLarge"
    /// The provider token changed too often on this connection.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too many requests in a row for one device token.
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    /// The server cannot accept the request now.
    case serviceUnavailable = "ServiceUnavailable"
    /// The server is shutting down.
    case shutdown = "Shutdown"

    // MARK: Broadcasts and channels

    /// Broadcasts are not enabled for the app.
    case featureNotEnabled = "FeatureNotEnabled"
    /// There is no `apns-channel-id`.
    case missingChannelID = "MissingChannelId"
    /// `apns-channel-id` is not base64, or too long.
    case badChannelID = "BadChannelId"
    /// There is no such channel.
    case channelNotRegistered = "ChannelNotRegistered"
    /// The body has an unknown member.
    case badRequestParams = "BadRequestParams"
    /// The body is not JSON.
    case badRequestPayload = "BadRequestPayload"
    /// There is no `apns-push-type`.
    case missingPushType = "MissingPushType"
    /// The app has as many channels as Apple allows.
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    /// The key or the certificate is not for the app in the path.
    case topicMismatch = "TopicMismatch"

    /// The HTTP status of the reason.
    public var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed, .featureNotEnabled, .missingChannelID, .badChannelID,
            .channelNotRegistered, .badRequestParams, .badRequestPayload, .missingPushType, .cannotCreateChannelConfig:
            400
        case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
            .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyIDInToken, .topicMismatch:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }
}
