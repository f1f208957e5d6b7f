extension Scenario {
    /// The deeds of strangers, again and again: of anybody with a connection and keys made a moment ago.
    enum Storm: String, Sendable, Hashable, Codable, CaseIterable {
        /// Each proves a fresh key to the gateway, registers topics without end, and floods the link.
        case links
        /// Each connects to the gateway and breaks the protocol, or says nothing at all.
        case strays
        /// Each tells the server where a device takes pushes, and revokes what nobody granted.
        case registrations
        /// Each grants itself to be asked for, and asks.
        case requests
        /// Each sends the gateway pushes, without a key, to tokens at random.
        case pushes
        /// One asks itself, and holds streams of the request's states.
        case streams
        /// A team with a good key holds connections of providers.
        case providers
        /// One with a grant for some uses asks with one ID again and again.
        case reusedIDs

        /// The storms that ``Scenario/drawAdversaries(_:from:most:)`` draws; the others are drawn by themselves.
        static let usual: [Storm] = [.links, .strays, .registrations, .requests, .pushes]
    }

    /// The lies of a gateway, beside its work.
    enum GatewayLie: String, Sendable, Hashable, Codable, CaseIterable {
        /// Pushes that expire at the end of time, or before its beginning.
        case numbers
        /// Pushes that were delivered before, under the same id.
        case repeats
        /// Pushes, and tokens, of apps that are not there.
        case unknown
    }

    /// The lies of a sharing server, beside its work.
    enum ServerLie: String, Sendable, Hashable, Codable, CaseIterable {
        /// It pushes and hands out requests that were answered, or have expired, again.
        case replays
        /// It pushes requests that it must refuse.
        case admits
        /// It tells the states of a request in another order, and twice.
        case reorders
        /// It brings no request past its deadline.
        case waits
        /// It confirms what people say of their devices, and keeps nothing of it.
        case withholds
    }
}
