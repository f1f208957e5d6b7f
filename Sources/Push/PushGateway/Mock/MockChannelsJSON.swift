internal import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsJSONReading
internal import WhereaboutsPushEngine

/// The bodies of requests about channels, and of their answers.
enum MockChannelsJSON {
    private struct Channel: Codable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case storage = "message-storage-policy"
            case pushType = "push-type"
        }

        let storage: Int?
        let pushType: String?
    }

    /// Returns the members of a request that creates a channel; nil if the body is not a JSON object.
    static func terms(in request: PushRequest) -> MockChannels.Terms? {
        let body = request.bodyBytes
        guard JSONObject.isObject(body),
            let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        else { return nil }
        let channel = try? JSONReader().decode(Channel.self, from: Data(body))
        let names = Set(Channel.CodingKeys.allCases.map(\.rawValue))
        return MockChannels.Terms(
            storage: channel?.storage,
            pushType: channel?.pushType,
            hasOthers: channel == nil || !names.isSuperset(of: object.keys)
        )
    }

    /// Returns the body of an answer; nil if it has none.
    static func body(of answer: MockChannels.Answer) -> Data? {
        switch answer {
        case .channel(let storage):
            try? JSONEncoder.ofAnswers.encode(Channel(storage: storage, pushType: "LiveActivity"))
        case .all(let channels): try? JSONEncoder.ofAnswers.encode(["channels": channels.map(\.text)])
        case .created, .deleted, .sent: nil
        }
    }

    /// Draws an ID in the form of Apple's: 16 bytes in base64.
    static func newID() -> ChannelID {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        guard let id = ChannelID(Data(bytes).base64EncodedString()) else {
            preconditionFailure("base64 is the form of a channel ID")
        }
        return id
    }
}
