internal import Crypto
internal import Foundation

/// Makes provider tokens when the pool asks for them.
struct ProviderTokenMaker: Sendable {
    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    let key: SigningKey

    /// Returns a token with this time.
    ///
    /// - Parameter now: UNIX seconds.
    /// - Returns: the token, without `bearer`.
    /// - Throws: the signing's error.
    func token(now: Int64) throws -> String {
        let header = try JSONEncoder().encode(Header(kid: self.key.keyID))
        let claims = try JSONEncoder().encode(Claims(iss: self.key.teamID, iat: now))
        let signed = "\(Self.base64URL(header)).\(Self.base64URL(claims))"
        let signature = try self.key.privateKey.signature(for: Data(signed.utf8)).rawRepresentation
        return "\(signed).\(Self.base64URL(signature))"
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
