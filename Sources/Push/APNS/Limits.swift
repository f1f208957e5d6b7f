/// The numbers of the provider API, which Apple documents unless stated otherwise.
public enum Limits {
    /// The maximum number of bytes of payload, for every kind of push but `voip`.
    public static let payloadBytesMax = 4096
    /// The maximum number of bytes of payload that any kind of push may have: `voip`, and broadcasts.
    public static let anyPayloadBytesMax = 5120
    /// The maximum number of bytes of a request's headers, as HTTP/2 counts them: `MAX_HEADER_LIST_SIZE` in traces of 2021.
    public static let headerBytesMax = 8000
    /// The maximum number of bytes of `apns-collapse-id`.
    public static let collapseIDBytesMax = 64
    /// The maximum number of bytes of a device token, our choice: Apple documents a variable length, and announced up to 100.
    public static let deviceTokenBytesMax = 100
    /// The maximum number of bytes of a topic, our choice: a bundle identifier has at most 155 in App Store Connect.
    public static let topicBytesMax = 255
    /// The maximum number of bytes of a bundle identifier, as in App Store Connect.
    public static let bundleIdentifierBytesMax = 155
    /// The maximum number of seconds that a push is stored: 30 days.
    public static let storageSecondsMax: Int64 = 30 * 86_400
    /// The maximum number of seconds between `iat` of a provider token and now, in both directions.
    public static let providerTokenAgeSecondsMax: Int64 = 3600
    /// The least seconds between two changes of the provider token on one connection.
    public static let providerTokenUpdateSecondsMin: Int64 = 20 * 60
}
