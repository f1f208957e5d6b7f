internal import Foundation
internal import WhereaboutsVocabulary

/// Backups of a person's profile, for the loss of the device.
extension SharingProfile {
    /// Seals the whole profile under a passphrase: the key, grants, revocations, the journal, the friends.
    ///
    /// - Parameter passphrase: at least 12 characters; the backup cannot be opened without it.
    /// - Returns: the backup's bytes.
    /// - Throws: ``SharingError`` when a file cannot be read, or the passphrase is too short.
    public func backup(passphrase: String) throws -> [UInt8] {
        try self.backup(passphrase: passphrase, cost: Backup.cost)
    }

    /// Seals the profile with a lower cost of the passphrase, for tests.
    package func backup(passphrase: String, cost: UInt8) throws -> [UInt8] {
        // Hold the lock of the answers, so that the journal and the answers in the backup agree.
        let files = try self.folder.lock("answers") { try ProfileBackup.files(of: self.folder, self.settings) }
        return try Backup.seal(files, passphrase: passphrase, cost: cost)
    }

    /// Makes a profile from a backup.
    ///
    /// - Parameters:
    ///   - backup: what ``backup(passphrase:)`` returned.
    ///   - passphrase: the passphrase that it was sealed under.
    ///   - path: where to create the profile; the path must not exist yet.
    /// - Returns: the profile.
    /// - Throws: ``SharingError`` when the backup does not open, or there is a profile already: an old backup must not replace a profile
    ///   that knows of later revocations.
    public static func restore(_ backup: [UInt8], passphrase: String, path: String) throws -> SharingProfile {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw SharingError(
                .badProfile,
                "\(path) already exists, and may be newer than the backup; give another path"
            )
        }
        try ProfileOwner.check(path)
        let files = try Backup.open(backup, passphrase: passphrase)
        try ProfileBackup.write(files, to: path)
        return try SharingProfile(path: path)
    }

    /// Returns the faults of files that a backup copies unchanged: the names, the given and the received grants.
    public func damage() throws -> [SharingError] {
        var damage = try self.readableGrants().damage + [self.namesDamage].compactMap { $0 }
        do { _ = try self.received() } catch let error as SharingError { damage.append(error) }
        return damage
    }
}
