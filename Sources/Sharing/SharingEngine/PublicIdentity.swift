internal import WhereaboutsVocabulary

/// A signer, known by the 32 bytes of an Ed25519 public key.
public struct PublicIdentity: Sendable, Hashable {
    /// How many bytes a key has.
    public static let byteCount = 32

    /// The raw key.
    public let bytes: [UInt8]

    /// Creates an identity.
    ///
    /// Returns nil if there are not 32 bytes, if the point is of small order (anyone can sign for it), or if its coordinate is not
    /// reduced (a second spelling of another key).
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        // Both x coordinates of a point of small order are of small order, so the sign bit does not matter.
        var y = bytes
        y[Self.byteCount - 1] &= 0x7F
        guard y.reversed().lexicographicallyPrecedes(Self.prime.reversed()), !Self.smallOrder.contains(y) else {
            return nil
        }
        self.bytes = bytes
    }

    /// Hashes the bytes, all at once.
    public func hash(into hasher: inout Hasher) { hasher.combine(wholly: self.bytes) }

    /// 2^255 - 19, least significant byte first.
    private static let prime: [UInt8] = [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F]

    /// The y coordinates of the eight points of small order.
    ///
    /// Source: libsodium, `ge25519_has_small_order`.
    private static let smallOrder: [[UInt8]] = [
        Array(repeating: 0, count: 32),
        [1] + Array(repeating: 0, count: 31),
        [0xEC] + Array(repeating: 0xFF, count: 30) + [0x7F],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]
}
