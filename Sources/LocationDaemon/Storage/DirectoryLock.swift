internal import Glibc

/// Keeps a directory to one locationd: two on one state would each keep a decision of their own.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, which ends with the object, or with the process, however that ends.
    init(directory: String) throws(DaemonError) {
        let path = directory + "/lock"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DaemonError("cannot open \(path): \(unsafe String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw DaemonError("another locationd uses \(directory); stop it, or give this one a directory of its own")
        }
        self.descriptor = descriptor
    }

    deinit {
        close(self.descriptor)
    }
}
