internal import Crypto

/// A certificate for one machine and one day, with an authority of its own: for tests, and the demo.
package struct LoopbackCertificate: Sendable {
    /// The authority's certificate, PEM; its key is gone.
    package let authorityPEM: String
    /// The certificate for `localhost` and 127.0.0.1, PEM.
    package let certificatePEM: String
    package let keyPEM: String

    package init() throws {
        let authority = try CertificateAuthority(name: "Whereabouts on this machine", days: 1)
        let key = P256.Signing.PrivateKey()
        self.authorityPEM = try authority.pem
        let names = ["localhost", "127.0.0.1"].compactMap { HostName($0) }
        self.certificatePEM = try authority.issue(names: names, key: key.publicKey, days: 1)
        self.keyPEM = key.pemRepresentation
    }
}
