internal import Crypto
internal import CryptoExtras
internal import Foundation
@_spi(_Unicode) internal import Swift
internal import WhereaboutsVocabulary

/// The secret of a link: the requester's identity, the address on the server and the key of the sealed grant are derived from it.
package struct LinkSecret: Sendable {
    /// The bytes of the random number in a link.
    package static let seedByteCount = 32
    /// The cost of a guess at a password.
    ///
    /// Source: OWASP, "Password Storage Cheat Sheet": PBKDF2-HMAC-SHA256 with 600,000 iterations. Browsers have no other password
    /// function.
    private static let rounds = 600_000
    private static let paddedByteCount = 1024

    /// Draws a seed.
    static func drawnSeed() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<Self.seedByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private let seed: [UInt8]
    private let hasPassword: Bool
    private let key: SymmetricKey

    /// Derives the secret from the seed of a link and its password, if any; the password is normalized, because systems
    /// encode typed accented letters differently.
    package init(seed: [UInt8], password: String? = nil) throws {
        precondition(seed.count == Self.seedByteCount, "a seed has \(Self.seedByteCount) bytes, got \(seed.count)")
        var material = Data(seed)
        if let password {
            let stretched = try KDF.Insecure.PBKDF2.deriveKey(
                from: Array(String(String.UnicodeScalarView(password._nfc)).utf8),
                salt: Data("whereabouts/link-password/v1".utf8) + [0] + seed,
                using: .sha256,
                outputByteCount: 32,
                rounds: Self.rounds
            )
            material += Self.bytes(of: stretched)
        }
        self.seed = seed
        self.hasPassword = password != nil
        self.key = SymmetricKey(data: material)
    }

    /// Derives the secret of the server's entry in which a person leaves a grant in reply to an invitation.
    ///
    /// Only the two people have the invitation, which its author's signature makes unpredictable.
    package init(replyTo invitation: Signed<Invitation>, from sharer: PublicIdentity) throws {
        let seed = Array(SHA256.hash(data: invitation.bytes))
        try self.init(group: seed, from: sharer, to: invitation.value.requester)
    }

    /// Derives the secret of the server's entry in which one member of a group leaves a grant for another.
    package init(group seed: [UInt8], from sharer: PublicIdentity, to requester: PublicIdentity) throws {
        let info = Data(Array("whereabouts/group-grant/v1".utf8) + [0] + sharer.bytes + requester.bytes)
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: seed),
            info: info,
            outputByteCount: Self.seedByteCount
        )
        try self.init(seed: Self.bytes(of: key))
    }

    /// The identity that asks.
    package func identity() throws -> Identity { try Identity(seed: self.identitySeed) }

    /// The secret key of the identity.
    package var identitySeed: [UInt8] { Self.bytes(of: self.derived("whereabouts/link-identity/v1", 32)) }

    /// Where the server shows the sealed grant.
    package var address: LinkAddress {
        let bytes = Self.bytes(of: self.derived("whereabouts/link-address/v1", LinkAddress.byteCount))
        guard let address = LinkAddress(bytes: bytes) else { preconditionFailure("HKDF gave \(bytes.count) bytes") }
        return address
    }

    /// The name under which an entry without a grant is deleted from the server.
    package var entry: GrantID {
        let bytes = Self.bytes(of: self.derived("whereabouts/group-entry/v1", GrantID.byteCount))
        guard let entry = GrantID(bytes: bytes) else { preconditionFailure("HKDF gave \(bytes.count) bytes") }
        return entry
    }

    /// The link as text.
    ///
    /// The full stop that marks a password comes first, because mail programs cut a full stop off the end of a link.
    package func text(server: String) -> String {
        "\(server)/see#\(self.hasPassword ? "." : "")\(Base64URL.text(of: self.seed))"
    }

    /// Seals a grant for the holders of the link; the result has one size.
    ///
    /// - Parameters:
    ///   - grant: the grant.
    ///   - sharer: the name that the sharer gives themselves; empty for none.
    ///   - name: the name of the link; empty for none.
    /// - Returns: the nonce, the ciphertext and the tag.
    /// - Throws: the error of the cipher.
    package func seal(_ grant: Signed<Grant>, sharer: String, name: String) throws -> [UInt8] {
        try self.seal([grant.bytes, Array(sharer.utf8), Array(name.utf8)])
    }

    /// Seals up to 1,024 bytes with the counts of the parts.
    package func seal(_ parts: [[UInt8]]) throws -> [UInt8] {
        var writer = ByteWriter()
        for part in parts { writer.counted(part) }
        writer.fixed(repeatElement(0, count: Self.paddedByteCount - writer.bytes.count))
        let sealed = try AES.GCM.seal(writer.bytes, using: self.sealingKey, authenticating: self.associated).combined
        guard let sealed else { throw SharingError(.badProfile, "The link's grant could not be encrypted. Try again.") }
        return [UInt8](sealed)
    }

    /// Opens a sealed grant, as the page does.
    ///
    /// - Throws: ``SharingError`` when it was not sealed with this link, or its signature is invalid.
    package func open(_ sealed: [UInt8]) throws -> (grant: Signed<Grant>, sharer: String, name: String) {
        let parts = try self.open(sealed, parts: 3)
        let grant = try Signed<Grant>(bytes: parts[0])
        _ = try grant.verified()
        return (grant, String(decoding: parts[1], as: UTF8.self), String(decoding: parts[2], as: UTF8.self))
    }

    /// Opens a sealed text that consists of this many parts.
    package func open(_ sealed: [UInt8], parts count: Int) throws -> [[UInt8]] {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(box, using: self.sealingKey, authenticating: self.associated)
        else {
            throw SharingError(
                .cannotOpen,
                "The grant at this address was encrypted for another link. Ask for the link again."
            )
        }
        var reader = ByteReader([UInt8](plain), name: "the link's grant")
        let parts = try (0..<count).map { _ in try reader.counted() }
        try reader.zeros()
        return parts
    }

    private var sealingKey: SymmetricKey { self.derived("whereabouts/link-key/v1", 32) }

    private var associated: Data { Data(LinkedGrant.domain.utf8) + [0] + self.address.bytes }

    private func derived(_ label: String, _ byteCount: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: self.key, info: Data(label.utf8), outputByteCount: byteCount)
    }

    private static func bytes(of key: SymmetricKey) -> [UInt8] { unsafe key.withUnsafeBytes { unsafe Array($0) } }
}
