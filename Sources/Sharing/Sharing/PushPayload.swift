internal import Foundation
internal import WhereaboutsVocabulary

/// The payload of a location push: `{"aps":{},"whereabouts":{"sealed":"…"}}`.
package enum PushPayload {
    private struct Outer: Encodable {
        struct Aps: Encodable {}
        let aps = Aps()
        let whereabouts: [String: String]
    }

    /// Writes the payload of a push, sealed to its device's key.
    ///
    /// - Throws: ``SharingError`` when nothing can be sealed to the key.
    package static func json(of push: RequestPush, _ sealing: any Sealing) throws -> [UInt8] {
        try self.json(of: SealedPush.seal(push.request, to: push.key, topic: push.topic, sealing))
    }

    /// Writes the payload of a push to a volunteer's phone.
    ///
    /// - Throws: ``SharingError`` when nothing can be sealed to the key.
    package static func json(of push: AlertPush, _ sealing: any Sealing) throws -> [UInt8] {
        try self.json(of: SealedPush.seal(push.notice, to: push.key, topic: push.topic, sealing))
    }

    private static func json(of sealed: [UInt8]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(Outer(whereabouts: ["sealed": Base64URL.text(of: sealed)])))
    }

    /// Returns the bytes in a payload that the device's key opens.
    package static func sealed(in payload: [String: Any]) throws -> [UInt8] {
        let ours = payload["whereabouts"] as? [String: Any]
        guard let sealed = (ours?["sealed"] as? String).flatMap(Base64URL.bytes(of:)) else {
            throw SharingError(
                .badPush,
                "The push carries no request: expected {\"whereabouts\":{\"sealed\":base64url}}. "
                    + "Pass the payload that didReceiveLocationPushPayload received."
            )
        }
        return sealed
    }
}
