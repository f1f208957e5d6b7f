/// Splits XML into tags and texts, as far as plain records need it.
///
/// Names lose their prefix. Comments, processing instructions and document types are skipped; no entity is expanded and
/// nothing is fetched, so that a file cannot cause anything else to be read.
struct XMLScanner {
    /// A part of a document.
    enum Token {
        /// An element begins; an empty element ends at once.
        case begin(name: String, attributes: Range<Int>, isEmpty: Bool)
        case end(name: String)
        /// The text between two tags.
        case text(Range<Int>)
        /// The document ends within a tag.
        case cutShort
    }

    private let bytes: [UInt8]
    private var index = 0

    /// Creates a scanner at the beginning of a document in UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next part; nil at the end.
    mutating func next() -> Token? {
        while self.index < self.bytes.count {
            guard self.bytes[self.index] == UInt8(ascii: "<") else {
                let start = self.index
                self.index = self.bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? self.bytes.count
                return .text(start..<self.index)
            }
            if self.isAhead("<!--") {
                guard self.skip(behind: "-->") != nil else { return .cutShort }
            } else if self.isAhead("<![CDATA[") {
                let start = self.index + 9
                guard let end = self.skip(behind: "]]>") else { return .cutShort }
                return .text(min(start, end)..<end)
            } else if self.isAhead("<?") || self.isAhead("<!") {
                guard self.skip(behind: ">") != nil else { return .cutShort }
            } else {
                return self.tag()
            }
        }
        return nil
    }

    /// The text of a range, without the white space around it.
    func text(_ range: Range<Int>) -> String {
        var range = range
        while let first = range.first, Self.isSpace(self.bytes[first]) { range = (first + 1)..<range.upperBound }
        while let last = range.last, Self.isSpace(self.bytes[last]) { range = range.lowerBound..<last }
        return String(decoding: self.bytes[range], as: UTF8.self)
    }

    /// The value of an attribute; nil where there is none.
    func attribute(_ name: String, in range: Range<Int>) -> String? {
        var index = range.lowerBound
        while let equals = self.bytes[index..<range.upperBound].firstIndex(of: UInt8(ascii: "=")) {
            let key = self.text(index..<equals)
            guard
                let open = self.bytes[(equals + 1)..<range.upperBound].firstIndex(where: Self.isQuote),
                let close = self.bytes[(open + 1)..<range.upperBound].firstIndex(of: self.bytes[open])
            else { return nil }
            if key == name { return self.text((open + 1)..<close) }
            index = close + 1
        }
        return nil
    }

    /// Reads a tag; a `>` in quotes does not end it.
    private mutating func tag() -> Token {
        let start = self.index + 1
        var quote: UInt8?
        var end = start
        while end < self.bytes.count {
            let byte = self.bytes[end]
            if let open = quote {
                if byte == open { quote = nil }
            } else if Self.isQuote(byte) {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                break
            }
            end += 1
        }
        self.index = min(end + 1, self.bytes.count)
        guard end < self.bytes.count else { return .cutShort }
        let isEnd = self.bytes[start] == UInt8(ascii: "/")
        let isEmpty = !isEnd && end > start && self.bytes[end - 1] == UInt8(ascii: "/")
        let content = (isEnd ? start + 1 : start)..<(isEmpty ? end - 1 : end)
        let nameEnd =
            self.bytes[content].firstIndex { Self.isSpace($0) || $0 == UInt8(ascii: "/") } ?? content.upperBound
        let name = self.text(content.lowerBound..<nameEnd).split(separator: ":").last.map(String.init) ?? ""
        return isEnd
            ? .end(name: name) : .begin(name: name, attributes: nameEnd..<content.upperBound, isEmpty: isEmpty)
    }

    private func isAhead(_ text: StaticString) -> Bool {
        self.bytes[self.index...].starts(with: "\(text)".utf8)
    }

    /// Skips to the end mark and returns its index; nil if there is no end mark.
    private mutating func skip(behind end: String) -> Int? {
        let end = Array(end.utf8)
        var index = self.index
        while let first = self.bytes[index...].firstIndex(of: end[0]) {
            if self.bytes[first...].starts(with: end) {
                self.index = first + end.count
                return first
            }
            index = first + 1
        }
        self.index = self.bytes.count
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
}
