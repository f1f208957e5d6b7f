internal import Testing
internal import WhereaboutsAPNS

@Suite struct ReasonTests {
    /// Goal: the table equals Apple's, string by string.
    ///
    /// It is repeated here so that a typo is noticed.
    static let apple: [(Int, String)] = [
        (400, "BadCollapseId"), (400, "BadDeviceToken"), (400, "BadExpirationDate"), (400, "BadMessageId"),
        (400, "BadPriority"), (400, "BadTopic"), (400, "DeviceTokenNotForTopic"), (400, "DuplicateHeaders"),
        (400, "IdleTimeout"), (400, "InvalidPushType"), (400, "MissingDeviceToken"), (400, "MissingTopic"),
        (400, "PayloadEmpty"), (400, "TopicDisallowed"), (403, "BadCertificate"),
        (403, "BadCertificateEnvironment"), (403, "ExpiredProviderToken"), (403, "Forbidden"),
        (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "UnrelatedKeyIdInToken"),
        (403, "BadEnvironmentKeyIdInToken"), (404, "BadPath"), (405, "MethodNotAllowed"), (410, "ExpiredToken"),
        (410, "Unregistered"), (413, "PayloadTooLarge"), (429, "TooManyProviderTokenUpdates"),
        (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown"),
    ]

    /// The additional reasons for broadcasts and channels.
    static let broadcasts: [(Int, String)] = [
        (400, "FeatureNotEnabled"), (400, "MissingChannelId"), (400, "BadChannelId"), (400, "ChannelNotRegistered"),
        (400, "BadRequestParams"), (400, "BadRequestPayload"), (400, "MissingPushType"),
        (400, "CannotCreateChannelConfig"), (403, "TopicMismatch"),
    ]

    @Test(arguments: Self.apple + Self.broadcasts) func status(status: Int, name: String) throws {
        #expect(try #require(Reason(rawValue: name)).status == status)
    }

    @Test func thereAreNoOthers() {
        #expect(Set(Reason.allCases.map(\.rawValue)) == Set((Self.apple + Self.broadcasts).map(\.1)))
    }
}
