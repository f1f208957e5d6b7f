package import WhereaboutsVocabulary

/// Reads the encoding of ``ByteWriter``; any deviation from it is an error that names the offset.
package struct ByteReader {
    private let bytes: [UInt8]
    private var offset = 0
    private let name: String

    /// Creates a reader of a message, with `name` for its errors.
    package init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        self.name = name
    }

    package var isAtEnd: Bool { self.offset == self.bytes.count }

    /// Reads an integer, most significant byte first.
    package mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) throws -> Value {
        try self.fixed(Value.bitWidth / 8).reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    /// Reads a date, in milliseconds since 1970.
    package mutating func time() throws -> WallTime {
        let milliseconds = try self.integer(Int64.self)
        let time = WallTime(milliseconds: milliseconds)
        // `WallTime` clamps to the calendar. A clamped date would be written as other bytes than were signed.
        guard time.milliseconds == milliseconds else { throw self.error("\(milliseconds) is not a date") }
        return time
    }

    /// Reads `count` bytes.
    package mutating func fixed(_ count: Int) throws -> [UInt8] {
        guard self.bytes.count - self.offset >= count else {
            throw self.error("it ends after \(self.bytes.count) bytes, and \(count) more were expected")
        }
        defer { self.offset += count }
        return Array(self.bytes[self.offset..<self.offset + count])
    }

    /// Reads a 16-bit count, and that many bytes.
    package mutating func counted() throws -> [UInt8] {
        try self.fixed(Int(self.integer(UInt16.self)))
    }

    /// Reads one byte as an enumeration case.
    package mutating func enumeration<Value: RawRepresentable<UInt8>>(_ type: Value.Type = Value.self) throws -> Value {
        let raw = try self.integer(UInt8.self)
        guard let value = Value(rawValue: raw) else { throw self.error("\(raw) is not a value of \(type)") }
        return value
    }

    /// Reads a value that is made from `count` bytes.
    package mutating func value<Value>(_ count: Int, _ make: ([UInt8]) -> Value?) throws -> Value {
        let bytes = try self.fixed(count)
        guard let value = make(bytes) else { throw self.error("the field is not valid") }
        return value
    }

    /// Checks that all bytes were read.
    package func end() throws {
        guard self.isAtEnd else {
            throw self.error("\(self.bytes.count - self.offset) bytes follow its end")
        }
    }

    /// Checks that only zeros are left, and skips them.
    package mutating func zeros() throws {
        guard self.bytes[self.offset...].allSatisfy({ $0 == 0 }) else {
            throw self.error("only zeros may follow its end")
        }
        self.offset = self.bytes.count
    }

    /// Creates an error at this position.
    package func error(_ rule: String) -> SharingError {
        SharingError(
            .badBytes,
            "\(self.name) is malformed at byte \(self.offset): \(rule); get it again from its author."
        )
    }
}
