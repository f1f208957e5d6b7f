internal import Crypto
internal import Foundation
internal import Glibc
internal import WhereaboutsDurableStorage

/// The device's private key, which identifies it to the gateway, and seals the files on disk if there is no credential.
///
/// A systemd credential, if there is one, seals this key, so that a copy of the disk alone cannot pose as this device.
enum DeviceKeyFile {
    private static let purpose = "device key"

    /// How the owner can start again with another key.
    ///
    /// Without a credential, this key seals the state: if it is removed, the state cannot be opened.
    private static func remedy(_ path: String, hasCredential: Bool) -> String {
        guard !hasCredential else {
            return "remove it to start as a new device: its apps get new push tokens and ask people again"
        }
        let files = SnapshotStore.sealedPaths(in: (path as NSString).deletingLastPathComponent)
        return "become another device: remove it with what it sealed, \(files.snapshot) and \(files.number), and "
            + "install all apps again; people are asked again, too"
    }

    /// Reads the key, or creates it at the first start.
    ///
    /// - Parameters:
    ///   - path: the path of the key.
    ///   - credential: the secret from the service manager, if there is one.
    /// - Returns: the key.
    /// - Throws: ``DaemonError`` when the file cannot be read, opened or trusted.
    static func load(
        path: String,
        credential: StateSeal.Secret? = nil
    ) throws(DaemonError) -> Curve25519.Signing.PrivateKey {
        let seal = credential.map { StateSeal(secrets: [$0]) }
        let remedy = self.remedy(path, hasCredential: seal != nil)
        guard let data = try StateFile.read(path) else {
            let key = Curve25519.Signing.PrivateKey()
            try self.save(key, path, seal)
            return key
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw DaemonError(
                "\(path) may be read by others, and anyone who has it can act as this device: chmod 600 it, or \(remedy)"
            )
        }
        guard [geteuid(), 0].contains(status.st_uid) else {
            throw DaemonError(
                "\(path) belongs to the user \(status.st_uid), who can act as this device: chown it, or \(remedy)"
            )
        }
        let isSealed = StateSeal.isSealed(data)
        guard !isSealed || seal != nil else {
            throw DaemonError(
                "\(path) is sealed by the credential \(StateSeal.credentialName), which is missing; hand it over again, or "
                    + remedy
            )
        }
        let bytes = try isSealed ? seal?.open(data, for: self.purpose, at: path, remedy: remedy) ?? Data() : data
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw DaemonError(
                "\(path) does not contain a device key (32 bytes expected, \(bytes.count) found); restore it, or \(remedy)"
            )
        }
        if !isSealed, seal != nil { try self.save(key, path, seal) }
        return key
    }

    private static func save(
        _ key: Curve25519.Signing.PrivateKey,
        _ path: String,
        _ seal: StateSeal?
    ) throws(DaemonError) {
        let bytes = key.rawRepresentation
        try StateFile.write(try seal?.seal(bytes, for: self.purpose) ?? bytes, to: path, durability: .power)
    }
}
