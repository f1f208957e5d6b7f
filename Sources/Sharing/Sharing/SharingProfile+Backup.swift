internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// Backups of a person's profile, for the loss of the device.
extension SharingProfile {
    /// The files of a profile outside its directories.
    private static let files = [
        "identity.key", "names.json", "answers", "used", "journal", "journal.ends", "told", "registered", "successions",
        "volunteer",
    ]
    private static let directories = ["grants", "revocations", "received", "links", "groups"]
    private static let trusted = "trusted.pem"
    private static let settingsName = "server.json"

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
        let files = try FileLock.hold(self.path + "/answers.lock") { try self.backedUp() }
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
        let draft = path + ".new"
        try? FileManager.default.removeItem(atPath: draft)
        do {
            for directory in [""] + Self.directories.map({ "/\($0)" }) {
                try FileManager.default.createDirectory(
                    atPath: draft + directory,
                    withIntermediateDirectories: directory.isEmpty,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            for file in files {
                guard Self.isPart(file.name) else {
                    throw SharingError(
                        .badBytes,
                        "the backup contains a file that is not part of a profile; nothing was restored"
                    )
                }
                try ProfileFile.replace("\(draft)/\(file.name)", try Self.moved(file, to: path))
            }
            try FileManager.default.moveItem(atPath: draft, toPath: path)
            return try SharingProfile(path: path)
        } catch let error as CocoaError {
            try? FileManager.default.removeItem(atPath: draft)
            throw SharingError(
                .badProfile,
                "\(path) cannot be made (\(error)); check the disk and the owner"
            )
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }

    /// Returns the faults of files that a backup copies unchanged: the names, the given and the received grants.
    public func damage() throws -> [SharingError] {
        var damage = try self.readableGrants().damage + [self.namesDamage].compactMap { $0 }
        do { _ = try self.received() } catch let error as SharingError { damage.append(error) }
        return damage
    }

    private func backedUp() throws -> [Backup.File] {
        var names = Self.files.filter { FileManager.default.fileExists(atPath: "\(self.path)/\($0)") }
        for directory in Self.directories where FileManager.default.fileExists(atPath: "\(self.path)/\(directory)") {
            let found = try FileManager.default.contentsOfDirectory(atPath: "\(self.path)/\(directory)").sorted()
            names += found.map { "\(directory)/\($0)" }.filter(Self.isPart)
        }
        var files: [Backup.File] = try names.map { name in
            guard let bytes = FileManager.default.contents(atPath: "\(self.path)/\(name)") else {
                throw SharingError(.badProfile, "\(self.path)/\(name) cannot be read; check the disk and the owner")
            }
            return (name, [UInt8](bytes))
        }
        var settings = self.settings
        if let trustRoots = settings.trustRoots {
            guard let pem = FileManager.default.contents(atPath: trustRoots) else {
                throw SharingError(
                    .badProfile,
                    "\(trustRoots) cannot be read; restore the certificates of your server first"
                )
            }
            files.append((Self.trusted, [UInt8](pem)))
            // Store a name instead of a path, because the path differs where the backup is restored.
            settings = try ServerSettings(server: settings.server, trustRoots: Self.trusted)
        }
        files.append((Self.settingsName, [UInt8](try JSONEncoder().encode(settings))))
        return files
    }

    /// The contents of a file, adjusted to the new path.
    private static func moved(_ file: Backup.File, to path: String) throws -> [UInt8] {
        guard file.name == Self.settingsName,
            let settings = try? JSONReader().decode(ServerSettings.self, from: Data(file.bytes)),
            settings.trustRoots != nil
        else { return file.bytes }
        let place = URL(fileURLWithPath: path).standardizedFileURL.path(percentEncoded: false)
        let moved = try ServerSettings(server: settings.server, trustRoots: "\(place)/\(Self.trusted)")
        return [UInt8](try JSONEncoder().encode(moved))
    }

    /// Whether a profile has a file of this name; another name could lead out of the profile.
    private static func isPart(_ name: String) -> Bool {
        if self.files.contains(name) || [self.trusted, self.settingsName].contains(name) { return true }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, self.directories.contains(String(parts[0])) else { return false }
        return ["received", "links"].contains(parts[0])
            ? Hex.bytes(of: String(parts[1]))?.count == PublicIdentity.byteCount : GrantID(parts[1]) != nil
    }
}
