#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The payload of a location push: `{"aps":{},"whereabouts":{"sealed":"…"}}`, and `{"aps":{},"whereabouts":{"request":"…"}}` for a device that
/// registered no key.
package enum PushPayload {
    private struct Outer: Encodable {
        struct Aps: Encodable {}
        let aps = Aps()
        let whereabouts: [String: String]
    }

    /// The contents of a payload.
    package enum Content: Sendable, Hashable {
        /// Bytes that the device's key opens.
        case sealed([UInt8])
        /// The request as it was signed; no signature is checked.
        case request(Signed<Request>)
    }

    /// Writes the payload of a push, sealed if its device has a key.
    ///
    /// - Throws: ``SharingError`` when nothing can be sealed to the key.
    package static func json(of push: RequestPush, _ sealing: any Sealing) throws -> [UInt8] {
        guard let key = push.key else { return try self.json(of: push.request) }
        return try self.json("sealed", SealedPush.seal(push.request, to: key, topic: push.topic, sealing))
    }

    /// Writes the payload that carries a request for everybody to read, as devices without a key get it.
    package static func json(of request: Signed<Request>) throws -> [UInt8] {
        try self.json("request", request.bytes)
    }

    private static func json(_ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(Outer(whereabouts: [name: Base64URL.text(of: bytes)])))
    }

    /// Reads a payload; one that is sealed is read as that, whatever stands beside it.
    package static func content(of payload: [String: Any]) throws -> Content {
        if let ours = payload["whereabouts"] as? [String: Any] {
            if let sealed = (ours["sealed"] as? String).flatMap(Base64URL.bytes(of:)) { return .sealed(sealed) }
            if ours["sealed"] == nil, let request = (ours["request"] as? String).flatMap(Base64URL.bytes(of:)) {
                return .request(try Signed<Request>(bytes: request))
            }
        }
        throw SharingError(
            .badPush,
            "the push carries no request: {\"whereabouts\":{\"sealed\":base64url}} is due; "
                + "pass the payload as didReceiveLocationPushPayload got it"
        )
    }
}
