/// The random name of one request: 16 bytes, written as 32 lower-case hexadecimal digits.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// How many bytes an id has.
    public static let byteCount = 16

    /// The raw id.
    public let bytes: [UInt8]

    /// Creates an id, or nil when `bytes` are not 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Creates an id from its digits, or nil when `text` is not exactly 32 lower-case hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(of: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Draws a new id.
    public init(using generator: inout some RandomNumberGenerator) {
        self.bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The id as 32 lower-case hexadecimal digits.
    public var description: String { Hexadecimal.text(of: self.bytes) }
}
