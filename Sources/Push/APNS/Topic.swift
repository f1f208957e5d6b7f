/// The form of topics and of the bundle identifiers in them, for every place that receives a topic.
///
/// No allowed byte has a special meaning in a header, a line of text, a path or a database.
public enum Topic {
    // Inlinable, because each push of the gateway calls it twice, and unspecialised code takes a microsecond.

    /// Returns whether a text is a topic: 1 to ``Limits/topicBytesMax`` letters, digits, dots, hyphens and underscores.
    @inlinable
    public static func isTopic(_ text: some StringProtocol) -> Bool {
        (1...Limits.topicBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(self.isTopicByte)
    }

    /// Returns whether a text is a bundle identifier: as a topic, of at most ``Limits/bundleIdentifierBytesMax`` bytes.
    public static func isBundleIdentifier(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= Limits.bundleIdentifierBytesMax && self.isTopic(text)
    }

    /// The bytes of bundle identifiers, and underscores, which old identifiers contain.
    @inlinable
    static func isTopicByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
