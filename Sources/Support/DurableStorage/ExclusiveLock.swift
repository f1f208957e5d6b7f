#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Keeps files to one process: two on one state would each keep a decision of their own.
package final class ExclusiveLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, which ends with the object, or with the process, however that ends; nil while another holds it.
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

    /// Lets go of the files, before anyone who still holds this object does.
    package func release() {
        // Closed alone, it would stay with a process that is being started at this moment and has not let go of its copy yet.
        flock(self.descriptor, LOCK_UN)
    }
}
