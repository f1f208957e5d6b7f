internal import WhereaboutsAPNS

/// The registrations a device wants, to be announced again on every connection.
struct TopicWishes: Sendable, Hashable {
    /// A device's wish for one topic.
    private enum Wish: Sendable, Hashable {
        case token
        /// The present token must end, until the gateway confirms it.
        case end
        /// The present token must end, and another one is wanted afterwards.
        case anotherToken
    }

    private var wishes: [String: Wish] = [:]
    /// The topics whose tokens arrived on this connection.
    private var answered: Set<String> = []

    init() {}

    /// Records that a token is wanted.
    ///
    /// - Returns: whether it is allowed: a gateway closes the link on an invalid topic and on one too many.
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

    /// All unanswered wishes, sorted so that two runs are equal.
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
