internal import WhereaboutsVocabulary

/// The address of one topic on one device, opaque and of variable length.
public struct DeviceToken: Sendable, Hashable {
    /// The token's bytes, 1 to ``Limits/deviceTokenBytesMax``.
    public let bytes: [UInt8]

    /// Creates a token, or nil when there are no bytes or too many.
    public init?(bytes: [UInt8]) {
        guard (1...Limits.deviceTokenBytesMax).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Creates a token from an even number of hexadecimal digits in either case; nil for another text.
    public init?(hex: Substring) {
        guard let bytes = Hex.bytes(of: hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Creates a token from an even number of hexadecimal digits in either case; nil for another text.
    public init?(hex: String) {
        self.init(hex: hex[...])
    }

    /// Draws a token of 32 bytes, as Apple's usually are.
    public init(using generator: inout some RandomNumberGenerator) {
        self.bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// A token of no device, with the usual length: if only the token is rejected, everything else is right
    /// (`whereabouts push --check`).
    public static let ofNobody = DeviceToken(unchecked: Array(repeating: 0, count: 32))

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Hashes the bytes, all at once.
    public func hash(into hasher: inout Hasher) { hasher.combine(wholly: self.bytes) }

    /// The token as lower-case hexadecimal digits, for the path of a request.
    public var hex: String { Hex.text(of: self.bytes) }
}
