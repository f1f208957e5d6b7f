internal import Foundation
internal import WhereaboutsVocabulary

/// The certificates of an authority, as an invitation carries them and a profile stores them.
enum TrustRoots {
    private static let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")

    /// The certificates of a PEM file, in DER.
    static func certificates(in path: String) throws -> [[UInt8]] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw SharingError(
                .badProfile,
                "\(path) (the certificates to trust for your server) cannot be read; restore it, or name another file: `whereabouts "
                    + "identity create --trust-roots FILE` with the profile and the server"
            )
        }
        let certificates = text.split(separator: Self.begin, omittingEmptySubsequences: false).dropFirst().compactMap {
            part in
            let body = part.split(separator: Self.end, omittingEmptySubsequences: false)[0].filter { !$0.isWhitespace }
            return Data(base64Encoded: String(body)).map { [UInt8]($0) }
        }
        guard (1...Invitation.trustRootsMax).contains(certificates.count),
            certificates.allSatisfy({ $0.count <= Invitation.trustRootBytesMax })
        else {
            throw SharingError(
                .badProfile,
                "\(path) cannot be part of an invitation: expected at most \(Invitation.trustRootsMax) certificates in PEM; "
                    + "name the authority that signed the server's certificate, and no other"
            )
        }
        return certificates
    }

    static func pem(_ certificate: [UInt8]) -> String {
        let body = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "\(Self.begin)\n\(body)\n\(Self.end)\n"
    }
}
