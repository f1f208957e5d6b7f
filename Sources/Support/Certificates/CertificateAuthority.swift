package import Crypto
package import Foundation
internal import Glibc
internal import SwiftASN1
internal import X509

/// A private certificate authority: a device or person that trusts it accepts its certificates, and no others.
package struct CertificateAuthority: Sendable {
    private let key: P256.Signing.PrivateKey
    private let certificate: Certificate

    /// Creates an authority with a new key.
    ///
    /// - Parameters:
    ///   - name: the name in the certificate, for people.
    ///   - days: how long the authority is valid; it starts an hour ago, in case clocks differ.
    ///   - now: the present time.
    /// - Throws: an error of the encoder, if the name cannot be in a certificate.
    package init(name: String, days: Int, now: Date = .now) throws {
        self.key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName(name) }
        self.certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(self.key.publicKey),
            notValidBefore: Self.start(now),
            notValidAfter: Self.end(now, days),
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

    /// Loads an existing authority.
    ///
    /// - Throws: ``OtherKey`` when the key does not belong to the certificate; an error of the decoder for invalid PEM.
    package init(certificatePEM: String, keyPEM: String) throws {
        self.key = try P256.Signing.PrivateKey(pemRepresentation: keyPEM)
        self.certificate = try Certificate(pemEncoded: certificatePEM)
        guard self.certificate.publicKey == .init(self.key.publicKey) else { throw OtherKey() }
    }

    /// The error when the key does not belong to the certificate, so that clients would reject its signatures.
    package struct OtherKey: Error, CustomStringConvertible {
        package var description: String { "the key belongs to another certificate" }
    }

    /// The authority's certificate, PEM.
    package var pem: String {
        get throws { try self.certificate.serializeAsPEM().pemString }
    }

    /// The authority's private key, PEM.
    package var keyPEM: String { self.key.pemRepresentation }

    /// Issues a certificate for a server.
    ///
    /// - Parameters:
    ///   - names: the host names and addresses that clients use; at least one.
    ///   - key: the server's public key.
    ///   - days: how long the certificate is valid; it starts an hour ago, in case clocks differ.
    ///   - now: the present time.
    /// - Returns: the certificate, PEM.
    /// - Throws: an error of the encoder, if a name cannot be in a certificate.
    package func issue(
        names: [HostName],
        key: P256.Signing.PublicKey,
        days: Int,
        now: Date = .now
    ) throws -> String {
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key),
            notValidBefore: Self.start(now),
            notValidAfter: Self.end(now, days),
            issuer: self.certificate.subject,
            subject: try DistinguishedName { CommonName(names[0].text) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(Self.generalName))
            },
            issuerPrivateKey: .init(self.key)
        )
        return try certificate.serializeAsPEM().pemString
    }

    private static func start(_ now: Date) -> Date { now.addingTimeInterval(-3600) }
    private static func end(_ now: Date, _ days: Int) -> Date { now.addingTimeInterval(Double(days) * 86_400) }

    private static func generalName(_ name: HostName) -> GeneralName {
        switch name.kind {
        case .name: .dnsName(name.text)
        case .ipv4(let bytes), .ipv6(let bytes): .ipAddress(.init(contentBytes: bytes[...]))
        }
    }

    /// Returns the hosts for which a certificate is valid.
    ///
    /// - Throws: an error of the decoder, if the text is not a certificate.
    package static func names(ofPEM pem: String) throws -> [HostName] {
        guard let names = try Certificate(pemEncoded: pem).extensions.subjectAlternativeNames else { return [] }
        return names.compactMap { name in
            switch name {
            case .dnsName(let name): HostName(name)
            case .ipAddress(let address): Self.text(Array(address.bytes)).flatMap { HostName($0) }
            default: nil
            }
        }
    }

    private static func text(_ address: [UInt8]) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = address.count == 4 ? AF_INET : AF_INET6
        guard [4, 16].contains(address.count),
            unsafe inet_ntop(family, address, &text, socklen_t(text.count)) != nil
        else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
