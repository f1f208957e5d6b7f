/// Decides what becomes of a device's wish to have a token for a topic.
public enum Registration: Sendable, Hashable {
    /// Answer with the token it has.
    case confirm(TokenRecord)
    /// Issue a new random token, store it and answer with it.
    case issue
    /// End the connection with this reason; nothing was issued.
    case refuse(String)

    /// The most topics for which one device has tokens at a time.
    public static let topicsMax = 256

    /// Decides.
    ///
    /// - Parameters:
    ///   - topic: the topic asked for.
    ///   - records: the device's tokens that are registered now.
    /// - Returns: what to do.
    public static func decide(topic: String, records: [TokenRecord]) -> Registration {
        if let record = records.first(where: { $0.topic == topic }) { return .confirm(record) }
        guard TopicList.isTopic(topic) else { return .refuse("a topic has 1 to 255 bytes") }
        guard records.count < Self.topicsMax else {
            return .refuse("this device has tokens for \(Self.topicsMax) topics; unregister one first")
        }
        return .issue
    }
}
