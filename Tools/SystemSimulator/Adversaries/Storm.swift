extension Scenario {
    /// Repeated attacks, most of them by strangers with a connection and fresh keys.
    enum Storm: String, Sendable, Hashable, Codable, CaseIterable {
        /// Each proves a fresh key to the gateway, registers topics without end, and floods the link.
        case links
        /// Each connects to the gateway and breaks the protocol, or says nothing at all.
        case strays
        /// Each registers a device with the server, and revokes grants that do not exist.
        case registrations
        /// Each grants itself access to its own position, and sends a request for it.
        case requests
        /// Each sends the gateway pushes, without a key, to tokens at random.
        case pushes
        /// A stranger sends a request to itself, and holds streams of the request's states open.
        case streams
        /// A provider with a valid key holds connections open.
        case providers
        /// A requester with a grant for two uses sends requests with the same ID again and again.
        case reusedIDs

        /// The storms that ``Scenario/drawAdversaries(_:from:most:)`` draws; the others are drawn by themselves.
        static let usual: [Storm] = [.links, .strays, .registrations, .requests, .pushes]
    }

    /// The lies that a gateway sends in addition to its work.
    enum GatewayLie: String, Sendable, Hashable, Codable, CaseIterable {
        /// Numbers at the ends of their ranges, such as the expiration of a push.
        case numbers
        /// Pushes that were delivered before, under the same id.
        case repeats
        /// Pushes and tokens of apps that are not installed.
        case unknown
    }

    /// The lies that a sharing server tells in addition to its work.
    enum ServerLie: String, Sendable, Hashable, Codable, CaseIterable {
        /// It pushes and hands out requests that were answered, or have expired, again.
        case replays
        /// It pushes requests that it must refuse.
        case admits
        /// It reports the states of a request in another order, and twice.
        case reorders
        /// It handles no deadlines of requests.
        case waits
        /// It confirms registrations and removals of devices without storing them.
        case withholds
    }
}
