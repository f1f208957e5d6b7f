internal import Crypto
internal import FoundationEssentials
internal import WhereaboutsJSONReading
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Reads and verifies provider tokens in all forms that clients send to Apple.
///
/// A stricter reader would reject clients that Apple serves: `iat` is a number, a fraction or a string, in seconds or
/// milliseconds; signatures are raw or DER; segments are base64url or padded standard base64.
struct ProviderTokenReader: Sendable {
    /// The maximum number of bytes of an `authorization` header; real ones have about 200.
    static let bytesMax = 4096

    private struct KeyName: Sendable, Hashable {
        let teamID: String
        let keyID: String
    }

    private let keys: [KeyName: ProviderKey]
    private let acceptsEveryKey: Bool

    /// - Parameters:
    ///   - keys: the keys that may sign.
    ///   - acceptsEveryKey: whether tokens of other keys are accepted without verification, for a mock.
    init(keys: [ProviderKey], acceptsEveryKey: Bool = false) {
        self.acceptsEveryKey = acceptsEveryKey
        self.keys = Dictionary(
            keys.map { (KeyName(teamID: $0.teamID, keyID: $0.keyID), $0) },
            uniquingKeysWith: { $1 }
        )
    }

    /// The keys as `TEAM:KEY`, sorted.
    var names: [String] { self.keys.keys.map { "\($0.teamID):\($0.keyID)" }.sorted() }

    /// Returns the result of checking an `authorization` header.
    func evidence(authorization: String?) -> ProviderTokenEvidence {
        guard let authorization, !authorization.isEmpty else { return .missing }
        guard authorization.utf8.count <= Self.bytesMax else { return .malformed }
        let words = authorization.split(separator: " ")
        guard let scheme = words.first, scheme.lowercased() == "bearer" else { return .malformed }
        guard words.count > 1 else { return .missing }
        let segments = words[1].split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2, segments.count == 3,
            let header: Header = Self.decode(segments[0]), header.alg ?? "ES256" == "ES256",
            let claims: Claims = Self.decode(segments[1]), let issuedAt = claims.iat.time,
            let signature = Self.base64(segments[2])
        else { return .malformed }
        guard let key = self.keys[KeyName(teamID: claims.iss, keyID: header.kid)] else {
            return self.evidence(unknown: header.kid, claims.iss, issuedAt, signature)
        }
        let signed = Data(segments[0].utf8) + Data(".".utf8) + Data(segments[1].utf8)
        guard Self.isValid(signature, of: signed, key: key.publicKey) else { return .badSignature }
        return .verified(
            ProviderClaims(
                teamID: claims.iss,
                keyID: header.kid,
                issuedAt: issuedAt,
                scope: key.scope,
                sender: key.sender
            )
        )
    }

    /// Returns what is wrong with an `authorization` header, and the remedy, for the list of a mock; nil: nothing.
    static func fault(_ evidence: ProviderTokenEvidence, authorization: String?) -> String? {
        switch evidence {
        case .verified: nil
        case .missing: "There is no provider token. Send the header authorization: bearer TOKEN."
        case .unknownKey: "No --key has the team (iss) and the key ID (kid) of the provider token. Check both."
        case .badSignature: "The provider token was not signed with the key of its key ID. Check the key file."
        case .malformed: Self.malformation(of: authorization ?? "")
        }
    }

    private static func malformation(of authorization: String) -> String {
        guard authorization.utf8.count <= Self.bytesMax else {
            return "authorization has more than \(Self.bytesMax) bytes. Send a token with alg, kid, iss and iat."
        }
        let words = authorization.split(separator: " ")
        guard words.count == 2, words.first?.lowercased() == "bearer" else {
            return "authorization is not 'bearer TOKEN'. Send the word bearer, a space, and the provider token."
        }
        let segments = words[1].split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3 else {
            return "The provider token has \(segments.count) parts. Send a JWT: three parts with a dot between them."
        }
        guard let header: Header = Self.decode(segments[0]), header.alg ?? "ES256" == "ES256" else {
            return #"The first part of the provider token is not {"alg":"ES256","kid":"KEYID"} in base64url."#
        }
        guard let claims: Claims = Self.decode(segments[1]), claims.iat.time != nil else {
            return #"The second part of the provider token is not {"iss":"TEAMID","iat":SECONDS} in base64url."#
        }
        for (name, id) in [("kid", header.kid), ("iss", claims.iss)] where !ProviderKey.isID(id) {
            return "The provider token's \(name) is not an ID of Apple's. Send 10 letters and digits."
        }
        return "The third part of the provider token is not a signature of ES256 (64 bytes) in base64url."
    }

    private func evidence(
        unknown keyID: String,
        _ teamID: String,
        _ issuedAt: WallTime,
        _ signature: Data
    ) -> ProviderTokenEvidence {
        guard self.acceptsEveryKey else { return .unknownKey }
        guard ProviderKey.isID(teamID), ProviderKey.isID(keyID), !Self.readings(of: signature).isEmpty else {
            return .malformed
        }
        return .verified(ProviderClaims(teamID: teamID, keyID: keyID, issuedAt: issuedAt, scope: .all))
    }

    private static func isValid(_ signature: Data, of signed: Data, key: P256.Signing.PublicKey) -> Bool {
        self.readings(of: signature).contains { key.isValidSignature($0, for: signed) }
    }

    /// The possible interpretations of a signature: raw, or DER.
    private static func readings(of signature: Data) -> [P256.Signing.ECDSASignature] {
        [
            try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            try? P256.Signing.ECDSASignature(derRepresentation: signature),
        ].compactMap(\.self)
    }

    private static func decode<Value: Decodable>(_ segment: Substring) -> Value? {
        Self.base64(segment).flatMap { try? JSONReader().decode(Value.self, from: $0) }
    }

    private static func base64(_ segment: Substring) -> Data? {
        var text = segment.replacing("-", with: "+").replacing("_", with: "/")
        while text.hasSuffix("=") { text.removeLast() }
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: String(text))
    }

    private struct Header: Decodable {
        let alg: String?
        let kid: String
    }

    private struct Claims: Decodable {
        let iss: String
        let iat: IssuedAt
    }

    private struct IssuedAt: Decodable {
        let value: Double

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                self.value = number
            } else if let number = Double(try container.decode(String.self)) {
                self.value = number
            } else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
            }
        }

        /// Treat numbers that are too large for seconds of this millennium as milliseconds.
        var time: WallTime? {
            guard self.value.isFinite, (0..<1e14).contains(self.value) else { return nil }
            return self.value < 1e11
                ? WallTime(milliseconds: Int64(self.value * 1000)) : WallTime(milliseconds: Int64(self.value))
        }
    }
}
