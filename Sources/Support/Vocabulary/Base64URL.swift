/// Bytes as base64url (RFC 4648, section 5) without padding: safe in a URL, a file name and a line of text.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Writes four characters per three bytes.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        let alphabet = Self.alphabet
        // Other modules call this function unspecialized: iterating over an array is inlined, over `some Sequence` it is not.
        let bytes = Array(bytes)
        var utf8: [UInt8] = []
        utf8.reserveCapacity((bytes.count * 4 + 2) / 3)
        // The last `count` bits of `bits` are not written yet.
        var (bits, count) = (UInt32(0), UInt32(0))
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                utf8.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { utf8.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Decodes a text that ``text(of:)`` made; nil for any other spelling, so that a value has exactly one text.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? { self.bytes(ofUTF8: text.utf8) }

    /// Decodes the ASCII characters of a text, as ``bytes(of:)`` does.
    package static func bytes(ofUTF8 utf8: some Sequence<UInt8>) -> [UInt8]? {
        let utf8 = Array(utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count * 3 / 4)
        var (bits, count) = (UInt32(0), UInt32(0))
        for character in utf8 {
            guard let value = Self.value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // A lone last character holds no byte, and unused bits are zero.
        return count < 6 && bits & (1 << count - 1) == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
