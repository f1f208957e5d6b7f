#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A lock that reserves files for one process: two processes with the same state would make different decisions.
package final class ExclusiveLock: Sendable {
    private let descriptor: Int32

    /// Locks a file until this object is released or the process ends; nil while another process holds the lock.
    ///
    /// - Parameter path: the file to lock, created if it is missing.
    /// - Throws: an error if the file cannot be created or opened.
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

    /// Releases the lock, even if this object is still referenced.
    package func release() {
        // Unlock explicitly: a child process that is just being started may still hold a copy of the descriptor.
        flock(self.descriptor, LOCK_UN)
    }
}
