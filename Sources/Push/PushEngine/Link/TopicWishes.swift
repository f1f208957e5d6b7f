internal import WhereaboutsAPNS

/// The registrations that a device wants, which are announced again on every connection.
struct TopicWishes: Sendable, Hashable {
    /// A device's wish for one topic.
    private enum Wish: Sendable, Hashable {
        case token
        /// The present token must end; repeat this until the gateway confirms the end.
        case end
        /// The present token must end, and a new token is wanted afterwards.
        case anotherToken
    }

    private var wishes: [String: Wish] = [:]
    /// The topics whose tokens arrived on this connection.
    private var answered: Set<String> = []

    init() {}

    /// Records that a token is wanted.
    ///
    /// - Returns: whether the topic is allowed: a gateway would close the link on an invalid topic, or on too many topics.
    mutating func register(_ topic: String) -> Bool {
        guard Topic.isTopic(topic), self.wishes[topic] != nil || self.wishes.count < TokenDecision.topicsMax else {
            return false
        }
        self.answered.remove(topic)
        switch self.wishes[topic] {
        case nil, .token: self.wishes[topic] = .token
        case .end, .anotherToken: self.wishes[topic] = .anotherToken
        }
        return true
    }

    /// Records that the gateway sent the token of a topic.
    mutating func registered(_ topic: String) {
        self.answered.insert(topic)
    }

    /// Records a new connection.
    ///
    /// - Returns: everything that is wanted.
    mutating func connected() -> [Gateway.DeviceRequest] {
        self.answered = []
        return self.requests
    }

    /// Records that the token is not wanted any more.
    mutating func unregister(_ topic: String) {
        self.answered.remove(topic)
        self.wishes[topic] = .end
    }

    /// Records that the gateway confirmed the end of a token.
    mutating func unregistered(_ topic: String) {
        switch self.wishes[topic] {
        case nil, .token: break
        case .end: self.wishes[topic] = nil
        case .anotherToken: self.wishes[topic] = .token
        }
    }

    /// The requests for all unanswered wishes, sorted so that runs are repeatable.
    var requests: [Gateway.DeviceRequest] {
        self.wishes.sorted { $0.key < $1.key }.flatMap { topic, wish -> [Gateway.DeviceRequest] in
            switch wish {
            case .token: self.answered.contains(topic) ? [] : [.register(topic: topic)]
            case .end: [.unregister(topic: topic)]
            case .anotherToken: [.unregister(topic: topic), .register(topic: topic)]
            }
        }
    }
}
