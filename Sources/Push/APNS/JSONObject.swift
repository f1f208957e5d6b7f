internal import WhereaboutsVocabulary

/// Validates payloads: RFC 8259's grammar of an object, without what JSON parsers cannot handle.
///
/// The gateway and the device use the same validation, so that the device refuses no push that the gateway accepted. It also
/// rejects nesting beyond ``depthMax``, numbers that do not fit in a `Double`, and halves of surrogate pairs, which no string
/// can hold.
public enum JSONObject {
    /// The deepest nesting of arrays and objects; `JSONSerialization` reads no more.
    public static let depthMax = 512

    /// Returns whether the bytes are one JSON object, in UTF-8.
    public static func isObject(_ bytes: [UInt8]) -> Bool {
        var reader = Reader(bytes: bytes)
        return reader.readsObjectAlone()
    }
}

/// A position in the bytes; each function parses one rule of the grammar, and returns false if the bytes do not match.
private struct Reader {
    let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func readsObjectAlone() -> Bool {
        self.skipSpace()
        guard self.next == UInt8(ascii: "{"), self.value() else { return false }
        self.skipSpace()
        return self.next == nil
    }

    private var next: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard self.next == byte else { return false }
        self.index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = self.next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { self.index += 1 }
    }

    // MARK: Values

    private mutating func value() -> Bool {
        switch self.next {
        case UInt8(ascii: "{"): self.list(until: UInt8(ascii: "}")) { $0.member() }
        case UInt8(ascii: "["): self.list(until: UInt8(ascii: "]")) { $0.value() }
        case UInt8(ascii: "\""): self.string()
        case UInt8(ascii: "t"): self.word("true")
        case UInt8(ascii: "f"): self.word("false")
        case UInt8(ascii: "n"): self.word("null")
        default: self.number()
        }
    }

    private mutating func list(until end: UInt8, _ element: (inout Reader) -> Bool) -> Bool {
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth <= JSONObject.depthMax else { return false }
        self.index += 1
        self.skipSpace()
        if self.take(end) { return true }
        while element(&self) {
            self.skipSpace()
            if self.take(end) { return true }
            guard self.take(UInt8(ascii: ",")) else { return false }
            self.skipSpace()
        }
        return false
    }

    private mutating func member() -> Bool {
        guard self.string() else { return false }
        self.skipSpace()
        guard self.take(UInt8(ascii: ":")) else { return false }
        self.skipSpace()
        return self.value()
    }

    private mutating func word(_ word: String) -> Bool {
        let end = self.index + word.utf8.count
        guard end <= self.bytes.count, self.bytes[self.index..<end].elementsEqual(word.utf8) else { return false }
        self.index = end
        return true
    }

    // MARK: Numbers

    private mutating func number() -> Bool {
        let start = self.index
        _ = self.take(UInt8(ascii: "-"))
        // A leading zero must be the only digit.
        guard self.take(UInt8(ascii: "0")) || self.digits() else { return false }
        if self.take(UInt8(ascii: ".")), !self.digits() { return false }
        if self.take(UInt8(ascii: "e")) || self.take(UInt8(ascii: "E")) {
            if !self.take(UInt8(ascii: "+")) { _ = self.take(UInt8(ascii: "-")) }
            guard self.digits() else { return false }
        } else if self.index - start < 300 {
            // The greatest `Double` has 309 digits.
            return true
        }
        return Double(String(decoding: self.bytes[start..<self.index], as: UTF8.self))?.isFinite ?? false
    }

    private mutating func digits() -> Bool {
        let start = self.index
        while let byte = self.next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { self.index += 1 }
        return self.index > start
    }

    // MARK: Strings

    private mutating func string() -> Bool {
        guard self.take(UInt8(ascii: "\"")) else { return false }
        while let byte = self.next {
            switch byte {
            case UInt8(ascii: "\""):
                self.index += 1
                return true
            case UInt8(ascii: "\\"):
                self.index += 1
                guard self.escape() else { return false }
            case 0x20..<0x80: self.index += 1
            // Control characters, and bytes that cannot begin a character.
            case 0..<0x20, 0x80..<0xC2, 0xF5...0xFF: return false
            default: guard self.character(byte) else { return false }
            }
        }
        return false
    }

    /// A character of several bytes (RFC 3629): not overlong, not a surrogate, not beyond U+10FFFF.
    private mutating func character(_ first: UInt8) -> Bool {
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard self.bytes.count - self.index >= length else { return false }
        let second: ClosedRange<UInt8> =
            switch first {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        let rest = self.bytes[self.index + 1..<self.index + length]
        self.index += length
        return second.contains(rest[rest.startIndex]) && rest.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
    }

    private mutating func escape() -> Bool {
        guard let byte = self.next else { return false }
        self.index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard let unit = self.codeUnit() else { return false }
            guard UTF16.isSurrogate(unit) else { return true }
            guard UTF16.isLeadSurrogate(unit), self.take(UInt8(ascii: "\\")), self.take(UInt8(ascii: "u")) else {
                return false
            }
            return self.codeUnit().map(UTF16.isTrailSurrogate) ?? false
        default: return false
        }
    }

    private mutating func codeUnit() -> UInt16? {
        guard self.bytes.count - self.index >= 4 else { return nil }
        defer { self.index += 4 }
        var unit: UInt16 = 0
        for byte in self.bytes[self.index..<self.index + 4] {
            guard let digit = Hex.digit(byte) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
