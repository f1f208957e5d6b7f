internal import Crypto
internal import Foundation

/// The signing key of one device of one person.
public struct Identity: Sendable {
    private let key: Curve25519.Signing.PrivateKey
    /// The public key, by which others identify the person.
    public let publicIdentity: PublicIdentity

    /// Draws a new key.
    public init() throws {
        try self.init(key: Curve25519.Signing.PrivateKey())
    }

    /// Restores a key from its 32 bytes, for example those of its file or of a test vector.
    package init(seed: [UInt8]) throws {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
            throw SharingError(
                .badProfile,
                "an identity has 32 bytes, got \(seed.count); restore the file from a backup"
            )
        }
        try self.init(key: key)
    }

    private init(key: Curve25519.Signing.PrivateKey) throws {
        guard let identity = PublicIdentity(bytes: [UInt8](key.publicKey.rawRepresentation)) else {
            throw SharingError(.badProfile, "the key has no public key of 32 bytes; create a new identity")
        }
        self.key = key
        self.publicIdentity = identity
    }

    /// The secret key's bytes, for the key file or an ``IdentityStore`` only.
    var seed: [UInt8] { [UInt8](self.key.rawRepresentation) }

    /// Derives a secret for one purpose from the key, such as sealing a file.
    func secret(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: self.key.rawRepresentation),
            info: Data(purpose.utf8),
            outputByteCount: 32
        )
    }

    /// Signs a message; its verification fails if the message names another signer.
    package func sign<Value: Signable>(_ value: Value) throws -> Signed<Value> {
        Signed(value: value, signature: [UInt8](try self.key.signature(for: value.signedBytes)))
    }
}
