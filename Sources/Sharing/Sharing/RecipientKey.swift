internal import Crypto
internal import Foundation

/// A valid key for sealing answers, the only form that ``HPKESealing`` accepts.
enum RecipientKey {
    case x25519(Curve25519.KeyAgreement.PublicKey)
    case xWing(XWingMLKEM768X25519.PublicKey)

    /// Reads a key.
    ///
    /// - Throws: ``SharingError`` when it is not a key of the suite, or is a weak key that anyone could use.
    init(_ bytes: [UInt8], suite: Suite) throws {
        self = try Self.named {
            switch suite {
            case .x25519, .x25519AES:
                let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
                try Self.checkSecret(of: Curve25519.KeyAgreement.PrivateKey(), with: key)
                return .x25519(key)
            case .xWing: return .xWing(try XWingMLKEM768X25519.PublicKey(rawRepresentation: bytes))
            }
        }
    }

    /// Checks that an answer can be sealed to a key, before a sharer tries.
    ///
    /// - Throws: ``SharingError`` when it cannot.
    static func check(_ bytes: [UInt8], suite: Suite) throws {
        guard case .xWing(let key) = try RecipientKey(bytes, suite: suite) else { return }
        // The initializer checks only the size of this key; encapsulating checks its contents.
        _ = try Self.named { try key.encapsulate() }
    }

    /// Rejects a key of low order: its shared secret is all zeros, which anyone could guess (RFC 9180, section 7.1.4).
    static func checkSecret(
        of own: Curve25519.KeyAgreement.PrivateKey,
        with other: Curve25519.KeyAgreement.PublicKey
    ) throws {
        let secret = try own.sharedSecretFromKeyAgreement(with: other)
        let isZero = unsafe secret.withUnsafeBytes { bytes in unsafe bytes.allSatisfy { $0 == 0 } }
        guard !isZero else {
            throw SharingError(
                .badBytes,
                "the public key is a low-order point, so its shared secret is known to all; make a new one"
            )
        }
    }

    private static func named<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw SharingError(
                .badBytes,
                "nothing can be encrypted for the key (\(error)): expected a public key of its cipher suite; make another"
            )
        }
    }
}
