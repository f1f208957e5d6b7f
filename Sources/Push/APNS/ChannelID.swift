/// The address of a broadcast channel, which Apple chooses when the channel is created: text in base64, of any length.
public struct ChannelID: Sendable, Hashable {
    /// The text, unchanged.
    public let text: String

    /// Takes an ID; nil for a text that is empty or has other characters than base64.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy(Self.isBase64) else { return nil }
        self.text = text
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
