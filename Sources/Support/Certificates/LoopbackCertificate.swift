internal import Crypto

/// A certificate for one machine, with its own authority: for tests and the demo.
package struct LoopbackCertificate: Sendable {
    /// The authority's certificate, PEM; its key is discarded.
    package let authorityPEM: String
    /// The server's certificate, PEM.
    package let certificatePEM: String
    package let keyPEM: String

    /// Creates an authority, a key and a certificate for `localhost` and 127.0.0.1 that is valid for a day.
    ///
    /// - Throws: an error of the encoder.
    package init() throws {
        try self.init(names: ["localhost", "127.0.0.1"].compactMap { HostName($0) }, days: 1)
    }

    /// Creates an authority, a key and a certificate.
    ///
    /// - Parameters:
    ///   - names: the names and addresses of the server; at least one.
    ///   - days: how long the certificate is valid.
    /// - Throws: an error of the encoder, if a name cannot be in a certificate.
    package init(names: [HostName], days: Int) throws {
        let authority = try CertificateAuthority(name: "Whereabouts on this machine", days: days)
        let key = P256.Signing.PrivateKey()
        self.authorityPEM = try authority.pem
        self.certificatePEM = try authority.issue(names: names, key: key.publicKey, days: days)
        self.keyPEM = key.pemRepresentation
    }
}
