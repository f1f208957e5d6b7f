internal import Foundation

/// The sharing server's address, and the trusted certificates.
public struct ServerSettings: Sendable, Hashable, Codable {
    /// The server's address: `https://host:port`.
    public let server: String
    /// The path of a PEM file with the certificates to trust instead of the system's, if given.
    public let trustRoots: String?

    /// Creates settings.
    ///
    /// - Throws: ``SharingError`` when the address does not use https.
    public init(server: String, trustRoots: String? = nil) throws {
        guard let parts = URLComponents(string: server), parts.scheme == "https", parts.host?.isEmpty == false,
            (1...65535).contains(parts.port ?? 443), parts.user == nil, parts.query == nil, parts.fragment == nil,
            parts.path.isEmpty || parts.path == "/"
        else {
            throw SharingError(
                .badText,
                "\"\(server)\" is not an address of a sharing server: give https://host:port and nothing more, "
                    + "because positions travel over TLS only"
            )
        }
        self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
        self.trustRoots = trustRoots
    }

    /// The settings with absolute paths, because an app has another working directory.
    ///
    /// - Throws: ``SharingError`` when the trust roots are not a PEM file of certificates, which would make the profile unusable.
    func checked() throws -> ServerSettings {
        guard let given = self.trustRoots else { return self }
        let path = URL(fileURLWithPath: given).standardizedFileURL.path(percentEncoded: false)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), text.contains("BEGIN CERTIFICATE") else {
            throw SharingError(
                .badProfile,
                "\(given) contains no certificate in PEM; give the file of the authority to trust"
            )
        }
        return try ServerSettings(server: self.server, trustRoots: path)
    }
}
