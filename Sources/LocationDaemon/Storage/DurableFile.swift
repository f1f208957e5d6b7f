internal import Foundation
internal import Glibc

/// Writes files so that a crash leaves the old content or the new, never a part.
enum DurableFile {
    /// How much a write must survive.
    enum Durability {
        /// The end of the process, by whatever signal.
        case process
        /// The loss of power.
        case power
    }

    /// Replaces a file's content; readable by its owner alone.
    static func write(_ data: Data, to path: String, durability: Durability) throws(DaemonError) {
        let temporary = path + ".new"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw self.error("cannot create", temporary) }
        defer { close(descriptor) }
        var offset = 0
        while offset < data.count {
            let written = unsafe data.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else { throw self.error("cannot write", temporary) }
            offset += written
        }
        if durability == .power { fsync(descriptor) }
        guard unsafe rename(temporary, path) == 0 else { throw self.error("cannot replace", path) }
        if durability == .power { self.syncDirectory(of: path) }
    }

    /// Reads a file; nil only when there is none, so that one that cannot be read is never written over.
    static func read(_ path: String) throws(DaemonError) -> Data? {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            guard unsafe access(path, F_OK) == 0 else { return nil }
            throw DaemonError("\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func syncDirectory(of path: String) {
        let directory = unsafe open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Makes a directory that only its owner may enter.
    static func makeDirectory(_ path: String) throws(DaemonError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw DaemonError("cannot create the directory \(path): \(error.localizedDescription)")
        }
    }

    private static func error(_ what: String, _ path: String) -> DaemonError {
        DaemonError("\(what) \(path): \(unsafe String(cString: strerror(errno)))")
    }
}
