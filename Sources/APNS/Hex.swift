/// Hexadecimal digits, for tokens and ids.
enum Hex {
    /// Returns two lower-case digits for each byte.
    static func encode(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }

    /// Returns the bytes of an even number of digits in either case, else nil.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
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
        return high == nil ? bytes : nil
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
