/// A 64-bit hash of bytes, the same in every process and on every machine; not secure against attackers.
///
/// G. Fowler, L. Noll, K.-P. Vo, FNV-1a. The standard library's `Hasher` has another seed in each process.
package struct FNV1a: Sendable, Hashable {
    /// The hash of all added bytes.
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Creates the hash of nothing.
    package init() {}

    /// Adds a byte.
    package mutating func add(_ byte: UInt8) {
        self.value = (self.value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// Adds bytes in their order.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { self.add(byte) }
    }

    /// Adds the eight bytes of a number, least significant first.
    package mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { self.add(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
