internal import Foundation
internal import WhereaboutsDurableStorage

/// The files of a ``SharingProfile``: several processes write them, and each survives the loss of power.
enum ProfileFile {
    /// Creates a file that must not exist yet.
    ///
    /// - Returns: false when it exists already.
    static func create(_ path: String, _ bytes: [UInt8]) throws(SharingError) -> Bool {
        do throws(DurableFileError) {
            return try DurableFile(path, writers: .many).create(bytes)
        } catch {
            throw self.error(error)
        }
    }

    /// Writes a file, replacing an existing one.
    static func replace(
        _ path: String,
        _ bytes: [UInt8],
        _ durability: DurableFile.Durability = .power
    ) throws(SharingError) {
        do throws(DurableFileError) {
            try DurableFile(path, writers: .many).replace(bytes, durability)
        } catch {
            throw self.error(error)
        }
    }

    /// Makes a directory with its missing parents; only the person may read them.
    ///
    /// A new user has no ~/.local/share. The XDG Base Directory Specification has it made with this mode.
    static func makeDirectories(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let parent = URL(filePath: path).absoluteURL.deletingLastPathComponent()
        try self.makeDirectories(parent.path(percentEncoded: false))
        try self.makeDirectory(path)
    }

    /// Makes a directory that only the person may read, unless there is one.
    static func makeDirectory(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    private static func error(_ error: DurableFileError) -> SharingError {
        SharingError(.badProfile, "\(error); check the disk and the owner")
    }
}
