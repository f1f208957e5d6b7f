#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A lock between processes, which the end of a process releases.
enum FileLock {
    /// Runs `body` while no other process, and no other thread, runs under the same file.
    ///
    /// - Throws: ``SharingError`` when the file cannot be made, or what `body` throws.
    static func hold<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw self.error(path) }
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            // A signal interrupted the wait: wait again. The wait is short, because the holder only writes one small file.
            guard errno == EINTR else { throw self.error(path) }
        }
        return try body()
    }

    private static func error(_ path: String) -> SharingError {
        SharingError(
            .badProfile,
            "cannot lock \(path): \(unsafe String(cString: strerror(errno))); check the disk and the owner"
        )
    }
}
