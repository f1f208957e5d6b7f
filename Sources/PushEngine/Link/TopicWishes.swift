/// The registrations a device wants, to be announced again on every connection.
struct TopicWishes: Sendable, Hashable {
    /// A device's wish for one topic.
    private enum Wish: Sendable, Hashable {
        /// A token is wanted.
        case token
        /// The token there may be must die, until the gateway confirms it.
        case end
        /// The token there may be must die, and another one is wanted after it.
        case anotherToken
    }

    private var wishes: [String: Wish] = [:]

    /// Creates wishes for nothing.
    init() {}

    /// Records that a token is wanted.
    mutating func register(_ topic: String) {
        switch self.wishes[topic] {
        case nil, .token: self.wishes[topic] = .token
        case .end, .anotherToken: self.wishes[topic] = .anotherToken
        }
    }

    /// Records that the token is not wanted any more.
    mutating func unregister(_ topic: String) {
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

    /// Everything that is wanted, for a new connection; sorted, so that two runs say the same.
    var requests: [Gateway.DeviceRequest] {
        self.wishes.sorted { $0.key < $1.key }.flatMap { topic, wish -> [Gateway.DeviceRequest] in
            switch wish {
            case .token: [.register(topic: topic)]
            case .end: [.unregister(topic: topic)]
            case .anotherToken: [.unregister(topic: topic), .register(topic: topic)]
            }
        }
    }
}
