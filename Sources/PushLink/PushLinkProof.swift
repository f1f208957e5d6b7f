package import Crypto
internal import FoundationEssentials

/// How a device proves its key: an Ed25519 signature over `whereabouts push link v1`, a zero byte, and the nonce.
package enum PushLinkProof {
    /// The bytes of a nonce.
    package static let nonceBytes = 32

    /// Returns the signature of a device.
    package static func sign(nonce: [UInt8], key: Curve25519.Signing.PrivateKey) throws -> [UInt8] {
        Array(try key.signature(for: Self.message(nonce)))
    }

    /// Returns whether the holder of a key signed this nonce.
    package static func isValid(signature: [UInt8], nonce: [UInt8], deviceKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: deviceKey) else { return false }
        return key.isValidSignature(signature, for: Self.message(nonce))
    }

    private static func message(_ nonce: [UInt8]) -> [UInt8] {
        Array("whereabouts push link v1".utf8) + [0] + nonce
    }
}
