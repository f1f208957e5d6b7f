internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// The files of a profile that a backup contains.
enum ProfileBackup {
    /// The files of a profile outside its directories.
    private static let files = [
        "identity.key", "names.json", "answers", "used", "journal", "journal.ends", "told", "registered", "successions",
        "volunteer",
    ]
    private static let directories = ["grants", "revocations", "received", "links", "groups"]
    private static let trusted = "trusted.pem"
    private static let settingsName = "server.json"

    /// Reads the files of a profile.
    static func files(of profile: ProfileFolder, _ settings: ServerSettings) throws -> [Backup.File] {
        var names = Self.files.filter(profile.has)
        for directory in Self.directories where profile.has(directory) {
            let found = try FileManager.default.contentsOfDirectory(atPath: profile.path(of: directory)).sorted()
            names += found.map { "\(directory)/\($0)" }.filter(Self.isPart)
        }
        var files: [Backup.File] = try names.map { name in
            guard let bytes = profile.bytes(of: name) else {
                throw SharingError(
                    .badProfile,
                    "\(profile.path(of: name)) cannot be read; check the disk and the owner"
                )
            }
            return (name, bytes)
        }
        var settings = settings
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

    /// Creates a profile's directory from its files, completely or not at all.
    static func write(_ files: [Backup.File], to path: String) throws {
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
