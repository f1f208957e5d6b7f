/// Where the sharing server is, and whom to believe that it is the one.
public struct ServerSettings: Sendable, Hashable, Codable {
    /// The server's address: `https://host:port`.
    public let server: String
    /// The path of a PEM file with the certificates to trust instead of the system's, if given.
    public let trustRoots: String?

    /// Creates settings.
    ///
    /// - Throws: ``SharingError`` when the address is not one of https.
    public init(server: String, trustRoots: String? = nil) throws {
        guard server.hasPrefix("https://"), server.utf8.count > "https://".utf8.count else {
            throw SharingError(
                .badText,
                "\"\(server)\" is no address of a sharing server: positions travel over TLS only; "
                    + "write https://host:port"
            )
        }
        self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
        self.trustRoots = trustRoots
    }
}
