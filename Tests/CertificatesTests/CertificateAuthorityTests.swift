internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import Testing
internal import WhereaboutsCertificates
internal import X509

@Suite struct CertificateAuthorityTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func issue(
        _ authority: CertificateAuthority,
        _ names: [String],
        now: Date = Self.now
    ) throws -> Certificate {
        let key = P256.Signing.PrivateKey()
        return try Certificate(
            pemEncoded: authority.issue(
                names: names.compactMap { HostName($0) },
                key: key.publicKey,
                days: 800,
                now: now
            )
        )
    }

    @Test func aCertificateIsForItsNamesAndItsTime() throws {
        let authority = try CertificateAuthority(name: "Test", days: 3650, now: Self.now)
        let issued = try Self.issue(authority, ["example.org", "192.0.2.1", "2001:db8::1"])
        let names = try #require(try issued.extensions.subjectAlternativeNames)
        #expect(
            Array(names) == [
                .dnsName("example.org"), .ipAddress(.init(contentBytes: [192, 0, 2, 1])),
                .ipAddress(.init(contentBytes: [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1])),
            ]
        )
        #expect(issued.notValidBefore == Self.now.addingTimeInterval(-3600))
        #expect(issued.notValidAfter == Self.now.addingTimeInterval(800 * 86_400))
    }

    @Test func theAuthorityIsTrustedForItsOwnCertificatesAlone() async throws {
        let authority = try CertificateAuthority(name: "Test", days: 3650)
        let other = try CertificateAuthority(name: "Test", days: 3650)
        let root = try Certificate(pemEncoded: authority.pem)
        for (issuer, isTrusted) in [(authority, true), (other, false)] {
            var verifier = Verifier(rootCertificates: CertificateStore([root])) {
                RFC5280Policy()
            }
            let result = await verifier.validate(
                leaf: try Self.issue(issuer, ["localhost"], now: .now),
                intermediates: CertificateStore([])
            )
            if case .validCertificate = result { #expect(isTrusted) } else { #expect(!isTrusted) }
        }
    }

    @Test func aCertificateTellsItsHosts() throws {
        let authority = try CertificateAuthority(name: "Test", days: 3650, now: Self.now)
        let names = ["example.org", "192.0.2.1", "2001:db8::1"].compactMap { HostName($0) }
        let pem = try authority.issue(names: names, key: P256.Signing.PrivateKey().publicKey, days: 1)
        #expect(try CertificateAuthority.names(ofPEM: pem) == names)
    }

    @Test func aKeyOfAnotherAuthorityIsRefused() throws {
        let authority = try CertificateAuthority(name: "Test", days: 3650, now: Self.now)
        let other = try CertificateAuthority(name: "Test", days: 3650, now: Self.now)
        #expect(throws: CertificateAuthority.OtherKey.self) {
            try CertificateAuthority(certificatePEM: authority.pem, keyPEM: other.keyPEM)
        }
    }

    @Test func anAuthorityIsTakenUpAgain() throws {
        let authority = try CertificateAuthority(name: "Test", days: 3650, now: Self.now)
        let again = try CertificateAuthority(certificatePEM: authority.pem, keyPEM: authority.keyPEM)
        #expect(try again.pem == authority.pem && again.keyPEM == authority.keyPEM)
    }
}
