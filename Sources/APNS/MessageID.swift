internal import Vocabulary

/// The value of `apns-id`: a UUID in its canonical form, 8-4-4-4-12 hexadecimal digits.
///
/// Apple documents lower case and itself answers in upper case, so that both are accepted. The text is kept as it was
/// written: clients compare the echo with what they sent, character by character.
public struct MessageID: Sendable, Hashable {
    /// The id as it was written.
    public let text: String

    /// Creates an id from its canonical form, or nil when the text has another form.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ Hex.bytes(of: $0) != nil }) else {
            return nil
        }
        self.text = text
    }

    /// Creates a random (version 4) id, in upper case as APNs writes those it makes itself.
    public init(using generator: inout some RandomNumberGenerator) {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.text(of: bytes).uppercased())
        self.text = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
