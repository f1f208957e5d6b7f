#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Writes small files that are there whole, or not at all, after a crash at any moment.
enum DurableFile {
    /// Creates a file that must not exist yet.
    ///
    /// - Returns: false when it exists already.
    static func create(_ path: String, _ bytes: [UInt8]) throws -> Bool {
        // A hard link refuses an existing name and appears with the content complete, both of which rename lacks.
        let draft = try self.writeDraft(beside: path, bytes)
        defer { unsafe unlink(draft) }
        guard unsafe link(draft, path) == 0 else {
            if errno == EEXIST { return false }
            throw self.error("create", path)
        }
        try self.synchronizeDirectory(of: path)
        return true
    }

    /// Writes a file in the place of the one that may be there.
    static func replace(_ path: String, _ bytes: [UInt8]) throws {
        let draft = try self.writeDraft(beside: path, bytes)
        guard unsafe rename(draft, path) == 0 else {
            defer { unsafe unlink(draft) }
            throw self.error("replace", path)
        }
        try self.synchronizeDirectory(of: path)
    }

    private static func writeDraft(beside path: String, _ bytes: [UInt8]) throws -> String {
        let draft = "\(path).\(UUID().uuidString).draft"
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw self.error("create", draft) }
        defer { close(file) }
        // These files have some hundred bytes: a short write means a full disk.
        let count = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        guard count == bytes.count, fsync(file) == 0 else {
            defer { unsafe unlink(draft) }
            throw self.error("write", draft)
        }
        return draft
    }

    private static func synchronizeDirectory(of path: String) throws {
        let directory = unsafe open(path.deletingLastComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw self.error("open the directory of", path) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw self.error("write the directory of", path) }
    }

    private static func error(_ verb: String, _ path: String) -> SharingError {
        SharingError(
            .badHome,
            "cannot \(verb) \(path): \(unsafe String(cString: strerror(errno))); check the disk and the owner"
        )
    }
}

extension String {
    fileprivate var deletingLastComponent: String {
        guard let slash = self.lastIndex(of: "/") else { return "." }
        return slash == self.startIndex ? "/" : String(self[..<slash])
    }
}
