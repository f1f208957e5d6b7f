public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides the outcome of each well-formed push that a mock of APNs receives.
///
/// Each rule counts the pushes that match it, whether or not an earlier rule applies to them. The first rule that applies decides;
/// without one, the push is accepted.
public struct MockScript: Sendable, Hashable {
    /// The end of a push.
    public enum End: Sendable, Hashable {
        /// Answer 200.
        case accept
        /// Answer with this reason; with 410 and no timestamp, the time of the answer counts.
        case reject(Reason, timestamp: WallTime? = nil)
        /// Never answer.
        case silence
        /// Reset the stream with REFUSED_STREAM: the push was not processed.
        case refuse
        /// Answer 200, then end the connection with GOAWAY and this reason.
        case goAway(Reason = .shutdown)
        /// End the connection with a GOAWAY that reports this push as not processed.
        case goAwayUnprocessed(Reason = .shutdown)
        /// Close the connection without an answer.
        case close
        /// Close the connection after half of the answer's body.
        case cut(Reason = .serviceUnavailable)
    }

    /// A rule: the pushes to which it applies, and their outcome.
    public struct Rule: Sendable, Hashable {
        /// The device token that the rule matches; nil: every token.
        public var token: DeviceToken?
        /// The topic that the rule matches; nil: every topic.
        public var topic: String?
        /// The number of the first matching push to which the rule applies; nil: all of them.
        public var nth: Int?
        /// The number of pushes to which the rule applies; nil: one if `nth` is set, otherwise all.
        public var times: Int?
        /// The delay before the push ends.
        public var delay: Duration
        /// The end of the pushes.
        public var end: End

        /// Creates a rule.
        public init(
            token: DeviceToken? = nil,
            topic: String? = nil,
            nth: Int? = nil,
            times: Int? = nil,
            delay: Duration = .zero,
            _ end: End
        ) {
            self.token = token
            self.topic = topic
            self.nth = nth
            self.times = times
            self.delay = delay
            self.end = end
        }

        fileprivate func matches(_ token: DeviceToken?, _ topic: String) -> Bool {
            (self.token ?? token) == token && (self.topic ?? topic) == topic
        }

        fileprivate func applies(to count: Int) -> Bool {
            let first = self.nth ?? 1
            guard count >= first else { return false }
            guard let times = self.times ?? (self.nth == nil ? nil : 1) else { return true }
            return count - first < times
        }
    }

    /// Apple's two environments: a device token belongs to one of them.
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        /// `api.push.apple.com`.
        case production
        /// `api.sandbox.push.apple.com`.
        case sandbox
    }

    /// A registered device token.
    public struct Registration: Sendable, Hashable {
        /// The only topic for which the token is valid.
        public var topic: String
        /// The environment; nil: that of the mock.
        public var environment: Environment?
        /// When the token stopped being valid; nil: it is valid.
        public var unregisteredAt: WallTime?

        /// Creates a registration.
        public init(topic: String, environment: Environment? = nil, unregisteredAt: WallTime? = nil) {
            self.topic = topic
            self.environment = environment
            self.unregisteredAt = unregisteredAt
        }
    }

    /// The scripted outcome of one push.
    public struct Outcome: Sendable, Hashable {
        /// How the push ends.
        public var end: End
        /// The delay before the push ends.
        public let delay: Duration
        /// Whether a rule decided.
        public let isScripted: Bool
        /// The answer to an accepted request about channels; nil for a push to a device.
        public let channels: MockChannels.Answer?

        /// Creates an outcome.
        public init(
            end: End,
            delay: Duration = .zero,
            isScripted: Bool = false,
            channels: MockChannels.Answer? = nil
        ) {
            self.end = end
            self.delay = delay
            self.isScripted = isScripted
            self.channels = channels
        }
    }

    /// The maximum number of rules and registrations.
    ///
    /// Source: our choice; each push is compared with every rule.
    public static let rulesMax = 1000

    /// The rules, in order.
    public private(set) var rules: [Rule]
    /// How many pushes matched each rule.
    public private(set) var counts: [Int]
    /// The registered device tokens; nil: every device token is accepted.
    public var tokens: [DeviceToken: Registration]?

    /// Creates a script.
    public init(_ rules: [Rule] = [], tokens: [DeviceToken: Registration]? = nil) {
        self.rules = rules
        self.counts = Array(repeating: 0, count: rules.count)
        self.tokens = tokens
    }

    /// Adds rules after the others.
    public mutating func append(_ rules: [Rule]) {
        self.rules += rules
        self.counts += Array(repeating: 0, count: rules.count)
    }

    /// Records a well-formed push.
    ///
    /// - Parameters:
    ///   - push: the push.
    ///   - environment: the environment of the mock.
    /// - Returns: the outcome. A push with a rejected device token counts for no rule.
    public mutating func pushReceived(_ push: ValidPush, in environment: Environment) -> Outcome {
        do throws(Rejection) {
            try self.admit(push, in: environment)
        } catch {
            return Outcome(end: .reject(error.reason, timestamp: error.timestamp))
        }
        return self.outcome(push.token, push.topic)
    }

    /// Records a valid broadcast, which rules handle as a push to this app that has no device token.
    ///
    /// - Parameter app: the bundle identifier.
    /// - Returns: the outcome.
    public mutating func broadcastReceived(to app: String) -> Outcome {
        self.outcome(nil, app)
    }

    private mutating func outcome(_ token: DeviceToken?, _ topic: String) -> Outcome {
        var outcome: Outcome?
        for (index, rule) in self.rules.enumerated() where rule.matches(token, topic) {
            self.counts[index] += 1
            guard outcome == nil, rule.applies(to: self.counts[index]) else { continue }
            outcome = Outcome(end: rule.end, delay: rule.delay, isScripted: true)
        }
        return outcome ?? Outcome(end: .accept)
    }

    /// Checks the device token like the gateway (``ValidPush/admitted(by:)``).
    private func admit(_ push: ValidPush, in environment: Environment) throws(Rejection) {
        guard let tokens = self.tokens else { return }
        let registration = tokens[push.token].flatMap { ($0.environment ?? environment) == environment ? $0 : nil }
        let record = registration.map { registration in
            TokenRecord(
                token: push.token,
                device: DeviceKey(bytes: []),
                topic: registration.topic,
                usedAt: WallTime(seconds: 0),
                unregisteredAt: registration.unregisteredAt
            )
        }
        _ = try push.admitted(by: record)
    }
}
