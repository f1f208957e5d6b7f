internal import Crypto
internal import Foundation

/// Makes provider tokens in all the forms that clients send.
struct TokenMaker {
    enum Encoding {
        case base64URL
        case paddedStandard
    }

    let key: P256.Signing.PrivateKey
    var team = GatewayRig.teamID
    var header = #"{"alg":"ES256","kid":"KEYKEYKEY1"}"#
    var isDER = false
    var encoding = Encoding.base64URL

    /// Returns a token whose `iat` has the given form in the JSON.
    func token(iat: String) throws -> String {
        let claims = #"{"iss":"\#(self.team)","iat":\#(iat)}"#
        let signed = "\(self.encode(Data(self.header.utf8))).\(self.encode(Data(claims.utf8)))"
        let signature = try self.key.signature(for: Data(signed.utf8))
        return "\(signed).\(self.encode(self.isDER ? signature.derRepresentation : signature.rawRepresentation))"
    }

    private func encode(_ data: Data) -> String {
        switch self.encoding {
        case .paddedStandard: data.base64EncodedString()
        case .base64URL:
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
    }
}
