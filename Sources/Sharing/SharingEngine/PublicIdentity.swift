/// A signer, known by the 32 bytes of an Ed25519 public key.
public struct PublicIdentity: Sendable, Hashable {
    /// How many bytes a key has.
    public static let byteCount = 32

    /// The raw key.
    public let bytes: [UInt8]

    /// Creates an identity, or nil when `bytes` are not 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
