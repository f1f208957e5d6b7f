internal import Foundation

/// Reads a protobuf schema from its file, so that a test covers every number in it, including future ones.
struct Schema {
    /// One field of a message.
    struct Field {
        var type: String
        var name: String
        var number: UInt64
        /// The oneof it is in, by its place among the message's; nil: none.
        var alternative: (oneof: Int, place: Int)?
    }

    private var messages: [String: [Field]] = [:]
    private var enums: Set<String> = []

    /// Reads a schema of `Sources`.
    init(_ path: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Sources/" + path), encoding: .utf8)
        let plain = text.split(separator: "\n").map(\.withoutComment).joined(separator: " ")
        var spaced = ""
        for character in plain { spaced += "{}=;".contains(character) ? " \(character) " : String(character) }
        var words = spaced.split(whereSeparator: \.isWhitespace).map(String.init)[...]
        while !words.isEmpty { self.readDeclaration(&words) }
    }

    private mutating func readDeclaration(_ words: inout ArraySlice<String>) {
        switch words.removeFirst() {
        case "message": self.readMessage(&words)
        case "enum": self.readEnum(&words)
        default: words = words.drop { $0 != ";" }.dropFirst()
        }
    }

    private mutating func readEnum(_ words: inout ArraySlice<String>) {
        self.enums.insert(words.removeFirst())
        words = words.drop { $0 != "}" }.dropFirst()
    }

    private mutating func readMessage(_ words: inout ArraySlice<String>) {
        let name = words.removeFirst()
        words.removeFirst()
        var fields: [Field] = []
        var oneofs = 0
        while let word = words.popFirst(), word != "}" {
            switch word {
            case "message": self.readMessage(&words)
            case "enum": self.readEnum(&words)
            case "reserved": words = words.drop { $0 != ";" }.dropFirst()
            case "oneof":
                words.removeFirst(2)
                var place = 0
                while words.first != "}" {
                    fields.append(Self.readField(&words, alternative: (oneofs, place)))
                    place += 1
                }
                words.removeFirst()
                oneofs += 1
            case "optional", "repeated": fields.append(Self.readField(&words, alternative: nil))
            default:
                words = [word] + words
                fields.append(Self.readField(&words, alternative: nil))
            }
        }
        self.messages[name] = fields
    }

    private static func readField(_ words: inout ArraySlice<String>, alternative: (Int, Int)?) -> Field {
        let parts = Array(words.prefix { $0 != ";" })
        words = words.drop { $0 != ";" }.dropFirst()
        return Field(type: parts[0], name: parts[1], number: UInt64(parts[3]) ?? 0, alternative: alternative)
    }

    /// The number of encodings needed to cover every alternative of a message.
    func variants(of name: String) -> Int {
        (self.messages[name] ?? []).map { field in
            max(
                (field.alternative?.place ?? 0) + 1,
                self.messages[field.type] == nil ? 1 : self.variants(of: field.type)
            )
        }.reduce(1, max) * (self.messages[name]?.contains { $0.alternative != nil } == true ? 4 : 1)
    }

    /// Encodes a message in which every number has the same value.
    ///
    /// - Parameters:
    ///   - name: the message.
    ///   - number: the number; fields of 32 bits get what fits.
    ///   - variant: which alternatives it holds.
    ///   - text: the text of a field.
    /// - Returns: the bytes.
    func encoded(_ name: String, _ number: UInt64, variant: Int, text: (String) -> [UInt8]) -> [UInt8] {
        let fields = self.messages[name] ?? []
        let counts = Dictionary(grouping: fields.compactMap(\.alternative)) { $0.oneof }.mapValues(\.count)
        var bytes: [UInt8] = []
        for field in fields {
            var inner = variant
            if let alternative = field.alternative, let count = counts[alternative.oneof] {
                guard alternative.place == variant % count else { continue }
                inner = variant / count
            }
            switch field.type {
            case "int32", "int64", "uint32", "uint64", "bool":
                bytes += Self.varint(field.number << 3) + Self.varint(number)
            case "sint32", "sint64":
                let signed = Int64(bitPattern: number)
                bytes += Self.varint(field.number << 3) + Self.varint(UInt64(bitPattern: signed << 1 ^ signed >> 63))
            case "fixed64", "sfixed64": bytes += Self.varint(field.number << 3 | 1) + Self.fixed(number)
            case "double":
                let value = Int64(bitPattern: number) < 0 ? -Double.greatestFiniteMagnitude : Double(number)
                bytes += Self.varint(field.number << 3 | 1) + Self.fixed(value.bitPattern)
            case "string", "bytes": bytes += Self.whole(field.number, text(field.name))
            case let type where self.enums.contains(type):
                bytes += Self.varint(field.number << 3) + Self.varint(number)
            case let type:
                bytes += Self.whole(field.number, self.encoded(type, number, variant: inner, text: text))
            }
        }
        return bytes
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + self.varint(value >> 7)
    }

    private static func fixed(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func whole(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        self.varint(number << 3 | 2) + self.varint(UInt64(bytes.count)) + bytes
    }
}

extension Substring {
    fileprivate var withoutComment: Substring { self.range(of: "//").map { self[..<$0.lowerBound] } ?? self }
}
