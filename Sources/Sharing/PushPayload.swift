#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The payload of a location push: `{"aps":{},"whereabouts":{"request":"…"}}`.
package enum PushPayload {
    private struct Outer: Encodable {
        struct Aps: Encodable {}
        let aps = Aps()
        let whereabouts: [String: String]
    }

    /// Writes the payload that carries a request.
    package static func json(of request: Signed<Request>) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(Outer(whereabouts: ["request": Base64URL.text(of: request.bytes)])))
    }

    /// Reads the request out of a payload; no signature is checked.
    package static func request(in payload: [String: Any]) throws -> Signed<Request> {
        guard let ours = payload["whereabouts"] as? [String: Any], let text = ours["request"] as? String,
            let bytes = Base64URL.bytes(of: text)
        else {
            throw SharingError(
                .badPush,
                "the push carries no request: {\"whereabouts\":{\"request\":base64url}} is due; "
                    + "pass the payload as didReceiveLocationPushPayload got it"
            )
        }
        return try Signed<Request>(bytes: bytes)
    }
}
