package import Crypto
package import WhereaboutsPushEngine

/// The signature of a proof: Ed25519 over `whereabouts push link v1`, a zero byte, and the nonce.
extension LinkProof {
    package init(signing nonce: [UInt8], key: Curve25519.Signing.PrivateKey) throws {
        self.init(
            device: DeviceKey(bytes: Array(key.publicKey.rawRepresentation)),
            signature: Array(try key.signature(for: Self.signed(nonce)))
        )
    }

    /// Returns whether the nonce was signed with the device's key.
    package func isValid(for nonce: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: self.device.bytes) else { return false }
        return key.isValidSignature(self.signature, for: Self.signed(nonce))
    }

    private static func signed(_ nonce: [UInt8]) -> [UInt8] {
        Array("whereabouts push link v1".utf8) + [0] + nonce
    }
}
