#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Limits files to one process, because two on one state would make different decisions.
package final class ExclusiveLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, which ends with the object or the process; nil while another process holds it.
    ///
    /// - Parameter path: the file to lock, made if it is missing.
    /// - Throws: when the file cannot be made.
    package init?(_ path: String) throws(DurableFileError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DurableFileError(.open, path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit {
        self.release()
        close(self.descriptor)
    }

    /// Closes the files, even if this object is still referenced.
    package func release() {
        // Unlock explicitly: a child process that is just being started may still hold a copy of the descriptor.
        flock(self.descriptor, LOCK_UN)
    }
}
