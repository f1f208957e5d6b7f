internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// A certificate authority for one machine and one run: makes what TLS on loopback needs, and nothing for production.
public struct CertificateAuthority: Sendable {
    private let key: P256.Signing.PrivateKey
    private let certificate: Certificate

    /// Creates an authority whose certificates are valid for one day, with an hour's allowance for clocks.
    public init() throws {
        self.key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Whereabouts demo authority") }
        self.certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(self.key.publicKey),
            notValidBefore: Date.now.addingTimeInterval(-3600),
            notValidAfter: Date.now.addingTimeInterval(86400),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            },
            issuerPrivateKey: .init(self.key)
        )
    }

    /// Makes a key that signs provider tokens, as Apple's `.p8` files hold it.
    static func makeProviderKey() -> String {
        P256.Signing.PrivateKey().pemRepresentation
    }

    /// The authority's certificate, PEM.
    public var pem: String {
        get throws { try self.certificate.serializeAsPEM().pemString }
    }

    /// Makes a server certificate for `localhost` and 127.0.0.1.
    ///
    /// - Returns: the certificate and its private key, both PEM.
    public func issueServerCertificate() throws -> (certificate: String, key: String) {
        let key = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: Date.now.addingTimeInterval(-3600),
            notValidAfter: Date.now.addingTimeInterval(86400),
            issuer: self.certificate.subject,
            subject: try DistinguishedName { CommonName("localhost") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1])),
                ])
            },
            issuerPrivateKey: .init(self.key)
        )
        return (try certificate.serializeAsPEM().pemString, key.pemRepresentation)
    }
}
