/// Writes the protocol's byte encoding: big-endian integers, fixed-size fields, and bytes after a 16-bit length.
package struct ByteWriter {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Writes an integer, most significant byte first.
    package mutating func integer(_ value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            self.bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Writes bytes of a known length.
    package mutating func fixed(_ value: some Sequence<UInt8>) {
        self.bytes.append(contentsOf: value)
    }

    /// Writes a 16-bit count, and the bytes.
    package mutating func counted(_ value: [UInt8]) {
        precondition(value.count <= UInt16.max, "a counted field holds at most 65535 bytes, got \(value.count)")
        self.integer(UInt16(value.count))
        self.fixed(value)
    }
}
