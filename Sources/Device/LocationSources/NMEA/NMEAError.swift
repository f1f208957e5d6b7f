/// The fault of an NMEA 0183 sentence, and where in the stream that sentence begins.
public struct NMEAError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that a sentence breaks.
    public enum Rule: Error, Sendable, Hashable {
        /// A sentence is longer than the limit, which is given in bytes.
        case tooLong(limit: Int)
        /// A sentence ended, or another one began, before `*` and two hexadecimal digits.
        case noChecksum
        /// The checksum does not fit the sentence.
        case badChecksum(expected: UInt8, found: UInt8)
        /// A sentence has fewer fields than its type needs.
        case missingField(sentence: NMEASentence.Kind, field: Int)
        /// A field does not have the form of its type, or is outside its range.
        case badField(sentence: NMEASentence.Kind, field: Int)
    }

    /// The broken rule.
    public let rule: Rule
    /// The byte offset of the sentence's `$` since the first byte fed.
    public let offset: Int

    /// The rule, without the sentence itself, which may contain a position.
    public var description: String {
        let problem =
            switch self.rule {
            case .tooLong(let limit): "a sentence is longer than \(limit) bytes"
            case .noChecksum:
                "a sentence has no checksum; it is cut off, or the receiver is configured not to send checksums"
            case .badChecksum(let expected, let found):
                "the sentence ends with the checksum \(found), but its characters give \(expected); check the line's speed and cable"
            case .missingField(let sentence, let field): "\(sentence.rawValue) ends before its field \(field)"
            case .badField(let sentence, let field): "\(sentence.rawValue) has no valid value in its field \(field)"
            }
        return "NMEA 0183, byte \(self.offset): \(problem)"
    }
}
