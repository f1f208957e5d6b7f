public import WhereaboutsPushEngine

extension PushLinkClient {
    /// The gateway's address, and the authorities to trust.
    public struct Configuration: Sendable, Hashable {
        /// The host name or address of the gateway; its certificate must be valid for it.
        public var host: String
        /// The port of the gateway's device listener.
        public var port: Int
        /// A PEM file with the authorities to trust; nil for the system's.
        public var trustRootsPath: String?
        /// Whether suspended time counts, so that a link that died meanwhile is detected within ten seconds of waking.
        ///
        /// This needs a file descriptor, which a process with thousands of links may lack. Without it, the link uses its event loop's clock.
        public var countsSleep = true
        /// The times of the link.
        public var link = DeviceSide.Configuration()

        /// Creates a configuration.
        public init(host: String, port: Int, trustRootsPath: String?) {
            self.host = host
            self.port = port
            self.trustRootsPath = trustRootsPath
        }
    }
}
