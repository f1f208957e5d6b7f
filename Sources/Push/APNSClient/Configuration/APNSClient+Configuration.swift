internal import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

extension APNSClient {
    /// The destination, and the keys and certificates.
    public struct Configuration: Sendable {
        /// The server.
        public var endpoint: Endpoint
        /// The keys.
        ///
        /// A push is signed with the key for its app, or, without such a key, with the key for all apps.
        public var keys: [SigningKey]
        /// Certificates for apps that no key names.
        ///
        /// Location pushes still need a key, for example one for all apps.
        public var certificates: [ProviderCertificate]
        /// The authorities to trust; nil for the system's.
        public var trustRoots: TrustRoots?
        /// The HTTP proxy to connect through, if any.
        public var proxy: Proxy?
        /// The default timeout of a push, including the opening of a connection.
        public var timeout = Duration.seconds(10)
        /// The maximum number of pushes in progress for each key or certificate.
        ///
        /// More are refused with ``APNSError/Code/tooManyInFlight``.
        public var inFlightMax = 10_000

        /// Describes a client.
        public init(
            endpoint: Endpoint,
            keys: [SigningKey] = [],
            certificates: [ProviderCertificate] = [],
            trustRoots: TrustRoots? = nil
        ) {
            self.endpoint = endpoint
            self.keys = keys
            self.certificates = certificates
            self.trustRoots = trustRoots
        }

        /// Looks for a mistake that would make Apple reject every push.
        func check(now: WallTime) throws {
            func mistake(_ text: String) -> APNSError { APNSError(.badConfiguration, text, .changeConfiguration) }
            guard !self.keys.isEmpty || !self.certificates.isEmpty else {
                throw mistake("no key and no certificate is given; give the .p8 file that Apple issued")
            }
            guard (1...65_535).contains(self.endpoint.port) else {
                throw mistake("\(self.endpoint.port) is not a port; give 443 or 2197")
            }
            guard self.timeout > .zero else {
                throw mistake("the timeout \(self.timeout) is out of range; give some seconds")
            }
            var apps: Set<String> = []
            func name(_ app: String) throws {
                guard Topic.isBundleIdentifier(app) else { throw mistake("'\(app)' is not a bundle identifier") }
                guard apps.insert(app).inserted else {
                    throw mistake("two keys or certificates name \(app); name it once")
                }
            }
            for key in self.keys {
                for id in [key.teamID, key.keyID] where !SigningKey.isID(id) {
                    throw mistake("'\(id)' is not a team or key ID; expected 10 letters and digits")
                }
                if let environment = self.endpoint.environment, let own = key.environment, own != environment {
                    throw mistake(
                        "key \(key.keyID) is for \(own.rawValue), and the server for \(environment.rawValue); "
                            + "give a key of that environment"
                    )
                }
                for app in key.apps {
                    try name(app)
                }
            }
            for certificate in self.certificates {
                try name(certificate.app)
                guard certificate.expiresAt > now.seconds else {
                    let end = Date(timeIntervalSince1970: Double(certificate.expiresAt)).formatted(.iso8601)
                    throw mistake(
                        "the certificate for \(certificate.app) expired at \(end); give a new one of Apple's, "
                            + "or set this machine's clock"
                    )
                }
            }
            guard self.keys.count(where: \.apps.isEmpty) <= 1 else {
                throw mistake("two keys name no apps, so either could be used for a push; name the apps of one of them")
            }
        }
    }
}
