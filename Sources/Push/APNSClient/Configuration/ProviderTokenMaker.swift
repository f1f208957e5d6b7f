internal import Crypto
internal import Foundation
internal import WhereaboutsVocabulary

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
        let signed = "\(Base64URL.text(of: header)).\(Base64URL.text(of: claims))"
        let signature = try self.key.privateKey.signature(for: Data(signed.utf8)).rawRepresentation
        return "\(signed).\(Base64URL.text(of: signature))"
    }
}
