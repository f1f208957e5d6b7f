extension PushLinkClient {
    /// Where the gateway is and how it is trusted.
    public struct Configuration: Sendable, Hashable {
        /// The host name or address of the gateway; its certificate must be valid for it.
        public var host: String
        /// The port of the gateway's device listener.
        public var port: Int
        /// A PEM file with the authorities to trust; nil: the system's.
        public var trustRootsPath: String?
        /// The least wait before connecting again; it grows with each failure.
        public var backoffBase = Duration.milliseconds(500)
        /// The bound of every wait before connecting again.
        public var backoffMax = Duration.seconds(30)
        /// How long connecting, TLS and the proof may take together.
        public var handshakeTimeout = Duration.seconds(10)

        /// Creates a configuration.
        public init(host: String, port: Int, trustRootsPath: String?) {
            self.host = host
            self.port = port
            self.trustRootsPath = trustRootsPath
        }
    }

    /// What happened on the link.
    public enum Event: Sendable, Hashable {
        /// The gateway accepted the proof; registrations and topics were announced.
        case connected
        /// The link was lost, or an attempt to open it failed; the client tries again by itself.
        case disconnected(String)
        /// The token of a topic; it comes again after each reconnection, and is then usually the same.
        case registered(topic: String, token: [UInt8])
        /// The token of a topic is dead.
        case unregistered(topic: String)
        /// A push. Acknowledge it when it is safe; until then it comes again on each connection.
        case push(Push)
    }

    /// A push as it came.
    public struct Push: Sendable, Hashable {
        /// What names it, 16 bytes; the same at each attempt.
        public let id: [UInt8]
        /// The topic it is for.
        public let topic: String
        /// The JSON object as the provider sent it.
        public let payload: [UInt8]
        /// 10, 5 or 1.
        public let priority: Int
        /// Until when the gateway keeps it, UNIX seconds; 0: it came this once.
        public let expiration: Int64
        /// Pushes with the same id are shown as one.
        public let collapseID: String?

        /// Creates a push.
        public init(
            id: [UInt8],
            topic: String,
            payload: [UInt8],
            priority: Int,
            expiration: Int64,
            collapseID: String?
        ) {
            self.id = id
            self.topic = topic
            self.payload = payload
            self.priority = priority
            self.expiration = expiration
            self.collapseID = collapseID
        }
    }
}
