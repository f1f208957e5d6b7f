internal import Foundation
internal import Glibc
internal import WhereaboutsDurableStorage

/// The files of locationd's state, which only their owner can read.
enum StateFile {
    /// Replaces a file's content.
    static func write(_ data: Data, to path: String, durability: DurableFile.Durability) throws(DaemonError) {
        do throws(DurableFileError) {
            try DurableFile(path, writers: .one).replace(Array(data), durability)
        } catch {
            throw DaemonError("\(error)")
        }
    }

    /// Writes a file, or the names in a directory, to the disk (fsync).
    static func synchronize(_ path: String) throws(DaemonError) {
        do throws(DurableFileError) {
            try DurableFile.synchronize(path)
        } catch {
            throw DaemonError("\(error)")
        }
    }

    /// Reads a file; nil only if it does not exist, so that an unreadable file is never overwritten.
    static func read(_ path: String) throws(DaemonError) -> Data? {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw DaemonError("\(path) is a directory, not a file; move it away, or name another path")
            }
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            let reason = file < 0 ? unsafe String(cString: strerror(errno)) : error.localizedDescription
            if file >= 0 { close(file) }
            throw DaemonError("\(path) cannot be read: \(reason)")
        }
    }

    /// Makes a directory that only its owner may enter.
    ///
    /// - Parameters:
    ///   - path: the path of the directory.
    ///   - remedy: what the owner can do otherwise, for the error.
    /// - Throws: ``DaemonError`` that names the directory and the reason.
    static func makeDirectory(_ path: String, orElse remedy: String? = nil) throws(DaemonError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            let remedy = remedy.map { "; \($0)" } ?? ""
            throw DaemonError("cannot create the directory \(path): \(self.whyNot(path))\(remedy)")
        }
    }

    /// The kernel's message about a directory that could not be created, or about the first missing directory on its path.
    private static func whyNot(_ path: String) -> String {
        var path = path
        while path.count > 1 {
            let parent = (path as NSString).deletingLastPathComponent
            if unsafe parent.isEmpty || access(parent, F_OK) == 0 || errno != ENOENT { break }
            path = parent
        }
        // Try to create the directory again, to get the reason.
        let isMade = unsafe mkdir(path, 0o700) == 0
        let cause = errno
        if isMade { return "something changed there meanwhile" }
        if cause == EEXIST || cause == ENOTDIR { return "\(path) is, or lies below, something that is not a directory" }
        return "\(path): \(unsafe String(cString: strerror(cause)))"
    }
}
