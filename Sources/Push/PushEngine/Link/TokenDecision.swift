internal import WhereaboutsAPNS

/// Decides about a device's request for a token that it does not have.
public enum TokenDecision: Sendable, Hashable {
    /// Issue a new random token, store it and answer with it.
    case issue
    /// Issue no token, and do not answer: the device repeats its request.
    case postpone(Postponement)
    /// End the connection with this reason, without a token.
    case refuse(String)

    /// Why a token is not issued at this moment.
    public enum Postponement: String, Sendable, Hashable, CaseIterable {
        /// The device never received a push, and has the maximum number of tokens for such devices.
        case strangerHasEnough
        /// The rate limit for tokens of the device's address is reached.
        case addressHasEnough
        /// The store reserves its remaining room for pushes.
        case storeIsFull
    }

    /// The maximum number of topics for which one device has tokens at a time.
    public static let topicsMax = 256
    /// The maximum number of topics of a device that has received no push so far.
    public static let strangerTopicsMax = 16
    /// The maximum number of tokens that one address gets at once; enough to set up all devices of an office.
    public static let addressBurst = 1024
    /// The time after which an address gets one more token: 8,640 a day, about 2 MB.
    public static let addressInterval = Duration.seconds(10)
    /// The time after which a token without a use is dropped: its device did not confirm it, and no push used it.
    ///
    /// Source: our choice; a device that was off for longer registers again.
    public static let unusedMax = Duration.seconds(90 * 86_400)
    /// The precision of a token's last use: writing the use for each push would double the cost of a push.
    static let usePrecision = Duration.seconds(86_400)

    /// Decides whether a device gets a token for a topic.
    ///
    /// - Parameters:
    ///   - topic: the requested topic.
    ///   - enrolment: the summary of the device's tokens.
    /// - Returns: the decision.
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
