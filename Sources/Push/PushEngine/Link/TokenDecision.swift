internal import WhereaboutsAPNS

/// Decides about a device's request for a token that it does not have.
public enum TokenDecision: Sendable, Hashable {
    /// Issue a new random token, store it and answer with it.
    case issue
    /// Issue none, and do not answer: the device asks again by itself.
    case postpone(Postponement)
    /// End the connection with this reason; nothing was issued.
    case refuse(String)

    /// Why a token is not issued at this moment.
    public enum Postponement: String, Sendable, Hashable, CaseIterable {
        /// The device has as many tokens as one may to which no push was ever sent.
        case strangerHasEnough
        /// The device's address got as many tokens of late as one may.
        case addressHasEnough
        /// The store reserves its remaining room for pushes.
        case storeIsFull
    }

    /// The most topics for which one device has tokens at a time.
    public static let topicsMax = 256
    /// The most topics of a device that has received no push so far.
    public static let strangerTopicsMax = 16
    /// The most tokens that one address gets at once, enough for the first hour of an office's devices.
    public static let addressBurst = 1024
    /// The time after which an address gets one more: 8,640 a day, about 2 MB.
    public static let addressInterval = Duration.seconds(10)
    /// The time after which a token is dropped that its device did not confirm and no push used.
    ///
    /// Source: our choice; a device that lay in a drawer for a season registers again.
    public static let unusedMax = Duration.seconds(90 * 86_400)
    /// The precision of a token's last use, because a write for each push would double its cost.
    static let usePrecision = Duration.seconds(86_400)

    /// Decides.
    ///
    /// - Parameters:
    ///   - topic: the topic asked for.
    ///   - enrolment: the device's tokens, counted.
    /// - Returns: the next step.
    static func decide(topic: String, enrolment: Enrolment) -> TokenDecision {
        guard Topic.isTopic(topic) else { return .refuse(Self.badTopic) }
        guard enrolment.tokensCount < Self.topicsMax else {
            return .refuse("this device has tokens for \(Self.topicsMax) topics; unregister one first")
        }
        guard enrolment.hasRoom else { return .postpone(.storeIsFull) }
        guard enrolment.isKnown || enrolment.tokensCount < Self.strangerTopicsMax else {
            return .postpone(.strangerHasEnough)
        }
        return .issue
    }

    /// The reason that ends a link with an invalid topic.
    static let badTopic = "a topic has 1 to \(Limits.topicBytesMax) letters, digits, dots, hyphens and underscores"
}
