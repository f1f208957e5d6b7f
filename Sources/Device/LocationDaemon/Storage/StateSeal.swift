internal import Crypto
internal import Foundation

/// Seals the files that locationd stores, with a key derived from the device's key or from a systemd credential (ADR 0025).
///
/// A sealed file contains `whereabouts sealed 1` and a line feed, eight bytes that name the key, and ChaCha20-Poly1305's nonce, ciphertext
/// and tag. The bytes before the nonce and the purpose of the file are authenticated, too.
struct StateSeal {
    /// A key derived from a secret.
    private struct Key {
        var name: Data
        var key: SymmetricKey
        /// The path of the secret's file, which error messages name.
        var origin: String
    }

    /// The bytes of a secret, and the path of its file, which error messages name.
    typealias Secret = (origin: String, bytes: Data)

    /// The name of the credential, in the directory systemd names.
    static let credentialName = "locationd.key"
    private static let magic = Data("whereabouts sealed 1\n".utf8)
    private static let keyNameBytes = 8

    /// The first key seals files; all keys can open them, so that a device with a new credential can read its earlier files.
    private let keys: [Key]

    /// Creates a seal from secrets; the first one seals new files.
    init(secrets: [Secret]) {
        self.keys = secrets.map { origin, bytes in
            let secret = SymmetricKey(data: bytes)
            let name = Self.derive(secret, "whereabouts state key name", bytes: Self.keyNameBytes)
            return Key(
                name: unsafe name.withUnsafeBytes { unsafe Data($0) },
                key: Self.derive(secret, "whereabouts state key", bytes: 32),
                origin: origin
            )
        }
    }

    /// Creates a seal from the device's key, preceded by the credential if there is one.
    init(deviceKey: Curve25519.Signing.PrivateKey, at path: String, credential: Secret?) {
        self.init(secrets: (credential.map { [$0] } ?? []) + [(path, deviceKey.rawRepresentation)])
    }

    /// Reads the credential in systemd's directory of credentials; nil when there is none.
    static func credential(in directory: String?) throws(DaemonError) -> Secret? {
        guard let path = directory.map({ $0 + "/" + Self.credentialName }),
            FileManager.default.fileExists(atPath: path)
        else { return nil }
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        guard bytes.count >= 32 else {
            throw DaemonError(
                "the credential \(path) has \(bytes.count) bytes; a key needs 32 or more, such as `openssl rand 32` writes"
            )
        }
        return (path, bytes)
    }

    private static func derive(_ secret: SymmetricKey, _ info: String, bytes: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Data(info.utf8), outputByteCount: bytes)
    }

    /// Whether the data was sealed, by any key.
    static func isSealed(_ data: Data) -> Bool { data.starts(with: self.magic) }

    /// Seals data for a purpose, so that one sealed file cannot stand in for another.
    func seal(_ plain: Data, for purpose: String) throws(DaemonError) -> Data {
        guard let key = self.keys.first else { throw DaemonError("there is no key to seal with") }
        let header = Self.magic + key.name
        guard
            let box = try? ChaChaPoly.seal(plain, using: key.key, authenticating: header + Data(purpose.utf8))
        else { throw DaemonError("cannot seal \(plain.count) bytes") }
        return header + box.combined
    }

    /// Opens data that ``seal(_:for:)`` sealed.
    ///
    /// - Parameters:
    ///   - sealed: the contents of the file.
    ///   - purpose: the purpose of the file.
    ///   - path: the file's path, for messages.
    ///   - remedy: what to do if neither the file nor its key can be restored, for messages.
    /// - Returns: the original data.
    /// - Throws: ``DaemonError`` when the file is damaged, or none of these keys sealed it.
    func open(
        _ sealed: Data,
        for purpose: String,
        at path: String,
        remedy: String = "move it away to start over"
    ) throws(DaemonError) -> Data {
        let damaged = DaemonError("\(path) is damaged and cannot be decrypted; restore it from a copy, or \(remedy)")
        let header = sealed.prefix(Self.magic.count + Self.keyNameBytes)
        // A truncated or overwritten file names no key, so do not suggest a missing key.
        guard Self.isSealed(sealed), header.count == Self.magic.count + Self.keyNameBytes else { throw damaged }
        let name = header.dropFirst(Self.magic.count)
        guard let key = self.keys.first(where: { $0.name == name }) else {
            throw DaemonError(
                "\(path) was sealed with another key than \(self.keys.map(\.origin).joined(separator: " or ")), or is damaged; put that "
                    + "key back, restore the file from a copy, or \(remedy)"
            )
        }
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed.dropFirst(header.count)),
            let plain = try? ChaChaPoly.open(box, using: key.key, authenticating: header + Data(purpose.utf8))
        else { throw damaged }
        return plain
    }
}
