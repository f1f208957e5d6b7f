/// A random identifier of 16 bytes, written as 32 lower-case hexadecimal digits.
///
/// `Tag` has no value; it lets the compiler distinguish the identifiers of different kinds of things.
public struct Identifier128<Tag>: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes of an identifier.
    @inlinable
    public static var byteCount: Int { 16 }

    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// Creates an identifier from its halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an identifier, or nil when `bytes` are not 16.
    @inlinable
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Creates an identifier from its digits, or nil when `text` is not exactly 32 lower-case hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        // Accept only one spelling, because identifiers name files: two spellings of one identifier would be two files.
        guard let bytes = Hex.bytes(of: String(text)), Hex.text(of: bytes) == text else { return nil }
        self.init(bytes: bytes)
    }

    /// Draws an identifier.
    @inlinable
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: generator.next(), low: generator.next())
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        (0..<Self.byteCount).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? self.high : self.low) >> UInt64(56 - 8 * (index % 8)))
        }
    }

    /// The identifier as 32 lower-case hexadecimal digits.
    public var description: String { Hex.text(of: self.bytes) }
}
