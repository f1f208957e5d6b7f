internal import Crypto
internal import CryptoExtras
internal import Foundation
@_spi(_Unicode) internal import Swift

/// Seals files under a passphrase: the form of a profile for storage elsewhere.
///
/// ```
/// "whereabouts/backup/v1" 0, log2 N (1), salt (16)      the header, authenticated
/// nonce (12), ciphertext, tag (16)                      AES-256-GCM under scrypt(passphrase, salt, N, r = 8, p = 1)
/// ```
///
/// The passphrase is in UTF-8 and normalization form C. Systems differ in how they encode an accented letter that a person types.
///
/// The plaintext is the files, one after the other: the name after its count of 16 bits, the content after its count of 32.
package enum Backup {
    /// The maximum number of bytes of a backup.
    ///
    /// Source: our choice; room for a journal of 8 MB, thousands of grants, and a reserve.
    static let bytesMax = 32 * 1024 * 1024
    /// The fewest characters of a passphrase.
    ///
    /// Source: our choice; four random words have more, and many passwords that people reuse have fewer.
    static let passphraseCharactersMin = 12

    /// The base-2 logarithm of scrypt's cost N: a guess takes 128 MiB and a third of a second on a laptop.
    ///
    /// Source: OWASP, "Password Storage Cheat Sheet": scrypt with N = 2^17, r = 8, p = 1.
    package static let cost: UInt8 = 17
    /// The costs that are accepted when a backup is opened; a forged backup must not use up the memory.
    private static let costs: ClosedRange<UInt8> = 10...18
    private static let magic = Array("whereabouts/backup/v1\0".utf8)
    private static let saltByteCount = 16

    /// A file in a backup.
    package typealias File = (name: String, bytes: [UInt8])

    package static func seal(_ files: [File], passphrase: String, cost: UInt8 = Self.cost) throws -> [UInt8] {
        guard passphrase.count >= Self.passphraseCharactersMin else {
            throw SharingError(
                .badText,
                "the passphrase needs at least \(Self.passphraseCharactersMin) characters, because a found file can be attacked for years; "
                    + "use four random words"
            )
        }
        var writer = ByteWriter()
        for file in files {
            writer.counted(Array(file.name.utf8))
            writer.integer(UInt32(file.bytes.count))
            writer.fixed(file.bytes)
        }
        guard writer.bytes.count <= Self.bytesMax else {
            throw SharingError(
                .badProfile,
                "the profile has more than \(Self.bytesMax) bytes; revoke grants that you no longer need"
            )
        }
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<Self.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let header = Self.magic + [cost] + salt
        let key = try Self.key(passphrase, salt: salt, cost: cost)
        guard let sealed = try AES.GCM.seal(writer.bytes, using: key, authenticating: header).combined else {
            throw SharingError(.badProfile, "the backup could not be encrypted; try again")
        }
        return header + sealed
    }

    /// Opens the result of ``seal(_:passphrase:cost:)``.
    ///
    /// - Throws: ``SharingError`` when the bytes are not a backup, or the passphrase is wrong.
    static func open(_ bytes: [UInt8], passphrase: String) throws -> [File] {
        let headerByteCount = Self.magic.count + 1 + Self.saltByteCount
        guard bytes.starts(with: Self.magic), bytes.count > headerByteCount, bytes.count <= 2 * Self.bytesMax,
            Self.costs.contains(bytes[Self.magic.count])
        else {
            throw SharingError(
                .badBytes,
                "this file is not a Whereabouts backup; give the file that `whereabouts backup` made"
            )
        }
        let header = Array(bytes.prefix(headerByteCount))
        let key = try Self.key(
            passphrase,
            salt: Array(header.suffix(Self.saltByteCount)),
            cost: header[Self.magic.count]
        )
        guard let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(headerByteCount)),
            let plain = try? AES.GCM.open(box, using: key, authenticating: header)
        else {
            throw SharingError(
                .cannotOpen,
                "the backup cannot be decrypted: the passphrase is wrong, or the file was damaged; try again"
            )
        }
        var reader = ByteReader([UInt8](plain), name: "the backup")
        var files: [File] = []
        while !reader.isAtEnd {
            let name = String(decoding: try reader.counted(), as: UTF8.self)
            files.append((name, try reader.fixed(Int(reader.integer(UInt32.self)))))
        }
        return files
    }

    private static func key(_ passphrase: String, salt: [UInt8], cost: UInt8) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: Array(String(String.UnicodeScalarView(passphrase._nfc)).utf8),
            salt: salt,
            outputByteCount: 32,
            rounds: 1 << Int(cost),
            blockSize: 8,
            parallelism: 1
        )
    }
}
