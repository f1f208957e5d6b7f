/// Bytes as hexadecimal digits.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)
    private static let upperCaseDigits = Array("0123456789ABCDEF".utf8)

    /// Writes two lower-case digits for each byte.
    package static func text(of bytes: [UInt8]) -> String {
        Self.text(of: bytes, digits: Self.digits)
    }

    /// Writes two upper-case digits for each byte.
    package static func upperCaseText(of bytes: [UInt8]) -> String {
        Self.text(of: bytes, digits: Self.upperCaseDigits)
    }

    /// Reads an even number of digits in either case; nil for other text.
    ///
    /// The parameter is not generic: the gateway reads 64 digits for each push, and unspecialized code takes microseconds for that.
    package static func bytes(of text: Substring) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = self.digit(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    /// Reads an even number of digits in either case; nil for other text.
    package static func bytes(of text: String) -> [UInt8]? { self.bytes(of: text[...]) }

    /// Returns the value of a digit in either case; nil for other characters.
    package static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func text(of bytes: [UInt8], digits: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
