internal import Crypto
internal import FoundationEssentials

/// Makes provider tokens, and the same one again while it is fresh.
///
/// APNs wants a new one at least every 60 minutes and at most every 20; ours live 50.
struct ProviderTokenSource: Sendable {
    static let lifetimeSeconds: Int64 = 50 * 60

    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    private let teamID: String
    private let keyID: String
    private let key: P256.Signing.PrivateKey
    private var current: (token: String, issuedAt: Int64)?

    init(teamID: String, keyID: String, key: P256.Signing.PrivateKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    /// Returns a token that is fresh now.
    ///
    /// - Parameter now: UNIX seconds; a clock that was set back makes a new token, too.
    /// - Returns: the token, without `bearer`.
    /// - Throws: what the signing threw.
    mutating func token(now: Int64) throws -> String {
        if let current = self.current, (0..<Self.lifetimeSeconds).contains(now - current.issuedAt) {
            return current.token
        }
        let header = try JSONEncoder().encode(Header(kid: self.keyID))
        let claims = try JSONEncoder().encode(Claims(iss: self.teamID, iat: now))
        let signed = "\(Self.base64URL(header)).\(Self.base64URL(claims))"
        let signature = try self.key.signature(for: Data(signed.utf8)).rawRepresentation
        let token = "\(signed).\(Self.base64URL(signature))"
        self.current = (token, now)
        return token
    }

    /// Forgets the token, so that the next one is new.
    mutating func discard() {
        self.current = nil
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
