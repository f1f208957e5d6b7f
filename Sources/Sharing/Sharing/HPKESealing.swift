internal import Crypto
internal import Foundation

/// Seals with HPKE (RFC 9180) in base mode, with swift-crypto.
public struct HPKESealing: Sealing {
    /// Creates a sealing without state.
    public init() {}

    /// Makes a fresh key pair from the system's randomness.
    public func makeKey(suite: Suite) throws -> RequestKey {
        switch suite {
        case .x25519, .x25519AES:
            let key = Curve25519.KeyAgreement.PrivateKey()
            return RequestKey(
                suite: suite,
                publicKey: [UInt8](key.publicKey.rawRepresentation),
                secret: [UInt8](key.rawRepresentation)
            )
        case .xWing:
            let key = try XWingMLKEM768X25519.PrivateKey.generate()
            return RequestKey(
                suite: suite,
                publicKey: [UInt8](key.publicKey.rawRepresentation),
                secret: [UInt8](key.seedRepresentation)
            )
        }
    }

    /// Seals a message to a public key.
    public func seal(
        to publicKey: [UInt8],
        suite: Suite,
        info: [UInt8],
        message: () throws -> [UInt8]
    ) throws -> [UInt8] {
        var sender =
            switch try RecipientKey(publicKey, suite: suite) {
            case .x25519(let key):
                try HPKE.Sender(
                    recipientKey: key,
                    ciphersuite: suite.algorithms,
                    info: Data(info)
                )
            case .xWing(let key):
                try HPKE.Sender(
                    recipientKey: key,
                    ciphersuite: suite.algorithms,
                    info: Data(info)
                )
            }
        return [UInt8](sender.encapsulatedKey) + [UInt8](try sender.seal(message()))
    }

    /// Opens a sealed message.
    ///
    /// - Throws: ``SharingError`` when the bytes, the key or the info are not those it was sealed with.
    public func open(_ sealed: [UInt8], with key: RequestKey, info: [UInt8]) throws -> [UInt8] {
        let encapsulated = Data(sealed.prefix(key.suite.encapsulatedKeyByteCount))
        let ciphertext = Data(sealed.dropFirst(key.suite.encapsulatedKeyByteCount))
        do {
            var recipient =
                switch key.suite {
                case .x25519, .x25519AES:
                    try HPKE.Recipient(
                        privateKey: Self.privateKey(key.secret, for: encapsulated),
                        ciphersuite: key.suite.algorithms,
                        info: Data(info),
                        encapsulatedKey: encapsulated
                    )
                case .xWing:
                    try HPKE.Recipient(
                        privateKey: XWingMLKEM768X25519.PrivateKey(seedRepresentation: key.secret, publicKey: nil),
                        ciphersuite: key.suite.algorithms,
                        info: Data(info),
                        encapsulatedKey: encapsulated
                    )
                }
            return [UInt8](try recipient.open(ciphertext))
        } catch {
            throw SharingError(
                .cannotOpen,
                "the answer cannot be decrypted: it was altered, or encrypted for another request; ask again"
            )
        }
    }

    /// Reads a private key that opens sealed data, unless the ephemeral key is of low order.
    private static func privateKey(
        _ secret: [UInt8],
        for encapsulated: Data
    ) throws -> Curve25519.KeyAgreement.PrivateKey {
        let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)
        let ephemeral = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: encapsulated)
        try RecipientKey.checkSecret(of: key, with: ephemeral)
        return key
    }
}

extension Suite {
    fileprivate var algorithms: HPKE.Ciphersuite {
        switch self {
        case .x25519: .Curve25519_SHA256_ChachaPoly
        case .xWing: .XWingMLKEM768X25519_SHA256_AES_GCM_256
        case .x25519AES: HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
        }
    }
}
