internal import WhereaboutsVocabulary

/// The value of `apns-id`: a UUID in its canonical form, 8-4-4-4-12 hexadecimal digits.
///
/// Apple documents lower case but answers in upper case, so both are accepted. The text is kept unchanged, because clients
/// compare the ID in the response with the sent one, character by character.
public struct MessageID: Sendable, Hashable {
    /// The ID, unchanged.
    public let text: String

    /// Creates an id from its canonical form, or nil when the text has another form.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            switch index {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return nil }
            default: guard Hex.digit(byte) != nil else { return nil }
            }
        }
        self.text = text
    }

    /// Creates a random (version 4) ID, in upper case as APNs writes its own.
    public init(using generator: inout some RandomNumberGenerator) {
        // Draw two words instead of sixteen bytes: each draw from the system's generator is a system call.
        var bytes = [generator.next(), generator.next()].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = Hex.upperCaseText(of: bytes)
        // Insert from the end, so that the earlier positions stay valid.
        for place in [20, 16, 12, 8] { text.insert("-", at: text.utf8.index(text.startIndex, offsetBy: place)) }
        self.text = text
    }
}
