/// The registrations a device wants, to be announced again on every connection.
package struct TopicWishes: Sendable, Hashable {
    /// What to ask of the gateway for a topic, in this order.
    package struct Wish: Sendable, Hashable {
        /// The token there may be must die; until the gateway confirms it.
        package var unregister: Bool
        /// A token is wanted.
        package var register: Bool
    }

    /// A request to the gateway.
    package enum Request: Sendable, Hashable {
        case register(String)
        case unregister(String)
    }

    private var wishes: [String: Wish] = [:]

    /// Creates wishes for nothing.
    package init() {}

    /// Records that a token is wanted.
    package mutating func register(_ topic: String) {
        self.wishes[topic, default: Wish(unregister: false, register: false)].register = true
    }

    /// Records that the token is not wanted any more.
    package mutating func unregister(_ topic: String) {
        self.wishes[topic] = Wish(unregister: true, register: false)
    }

    /// Records that the gateway confirmed the end of a token.
    package mutating func unregistered(_ topic: String) {
        self.wishes[topic]?.unregister = false
        if self.wishes[topic]?.register == false { self.wishes[topic] = nil }
    }

    /// Everything that is wanted, for a new connection; sorted, so that two runs say the same.
    package var requests: [Request] {
        self.wishes.keys.sorted().flatMap { topic -> [Request] in
            guard let wish = self.wishes[topic] else { return [] }
            return (wish.unregister ? [.unregister(topic)] : []) + (wish.register ? [.register(topic)] : [])
        }
    }
}
