/// The HPKE (RFC 9180) algorithms that seal an answer.
public enum Suite: UInt8, Sendable, Hashable, CaseIterable {
    /// DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305: for clients without ML-KEM.
    case x25519 = 1
    /// X-Wing (ML-KEM-768 and X25519), HKDF-SHA256, AES-256-GCM: the default, safe against a later quantum computer.
    case xWing = 2
    /// DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM: for browsers, which implement all three.
    case x25519AES = 3

    /// How many bytes a public key has.
    public var publicKeyByteCount: Int {
        switch self {
        case .x25519, .x25519AES: 32
        case .xWing: 1216
        }
    }

    /// How many bytes an encapsulated key has.
    public var encapsulatedKeyByteCount: Int {
        switch self {
        case .x25519, .x25519AES: 32
        case .xWing: 1120
        }
    }
}
