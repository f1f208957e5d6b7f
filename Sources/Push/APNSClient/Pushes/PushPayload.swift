internal import Foundation
internal import WhereaboutsAPNS

/// The content of a push: one JSON object, which the app receives unchanged.
public struct PushPayload: Sendable, Hashable {
    /// `{}`, which is enough for a location push.
    public static let empty = PushPayload(object: Array("{}".utf8))

    /// The object, in UTF-8.
    public let bytes: [UInt8]

    private init(object: [UInt8]) {
        self.bytes = object
    }

    /// Creates a payload from JSON, unchanged.
    ///
    /// - Throws: ``APNSError`` when the bytes are not one JSON object.
    public init(json: [UInt8]) throws {
        guard JSONObject.isObject(json) else { throw Self.noObject }
        self.bytes = json
    }

    /// Encodes a value that becomes one JSON object.
    ///
    /// - Throws: ``APNSError`` when the value does not become an object, or the encoder's error.
    public init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try self.init(json: Array(encoder.encode(value)))
    }

    /// Encodes Apple's dictionary, and the caller's own keys.
    ///
    /// - Parameters:
    ///   - aps: the content of `aps`.
    ///   - custom: keys beside `aps`.
    /// - Throws: ``APNSError`` when a key is `aps`, or the encoder's error.
    public init(aps: APS, custom: [String: any Encodable & Sendable] = [:]) throws {
        guard custom["aps"] == nil else {
            throw APNSError(.malformedPush, "a custom key must not be named aps; rename it", .changePush)
        }
        try self.init(encoding: Root(aps: aps, custom: custom))
    }

    /// Encodes the event of a live activity.
    ///
    /// - Throws: ``APNSError`` when a start has no alert, or the encoder's error.
    public init(liveActivity: LiveActivity) throws {
        if case .start = liveActivity.event, liveActivity.alert == nil {
            throw APNSError(
                .malformedPush,
                "a live activity starts with an alert, and this one has none; set `alert`",
                .changePush
            )
        }
        try self.init(encoding: ["aps": liveActivity])
    }

    private static let noObject = APNSError(
        .malformedPush,
        "the payload is not one JSON object in UTF-8; write for example {\"aps\":{}}",
        .changePush,
        reason: .payloadEmpty
    )

    private struct Root: Encodable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(_ text: String) { self.stringValue = text }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let aps: APS
        let custom: [String: any Encodable & Sendable]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(self.aps, forKey: Key("aps"))
            for (name, value) in self.custom { try container.encode(value, forKey: Key(name)) }
        }
    }
}
