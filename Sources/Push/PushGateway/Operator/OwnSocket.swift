internal import Glibc
internal import WhereaboutsNetworkSupport

/// A Unix socket on which this process listens, and its file.
struct OwnSocket {
    /// The listening socket, non-blocking; its owner closes it.
    let descriptor: Int32
    private let path: String
    private let file: FileIdentity

    /// Listens at a free path, or replaces an abandoned socket; nil if this fails.
    init?(at path: String) {
        switch SocketFile(path) {
        case .missing: break
        case .abandoned: unsafe unlink(path)
        case .inUse, .noSocket, .notOurs, .badPath: return nil
        }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_UNIX, flags, 0)
        guard listener >= 0 else { return nil }
        // Set the mode before binding: the file gets the socket's mode, so that only the owner can ever connect.
        guard fchmod(listener, 0o600) == 0,
            unsafe SocketFile.withAddress(of: path, { unsafe bind(listener, $0, $1) }) == 0,
            listen(listener, 128) == 0, unsafe chmod(path, 0o600) == 0, let file = FileIdentity(ofFileAt: path)
        else {
            close(listener)
            return nil
        }
        self.descriptor = listener
        self.path = path
        self.file = file
    }

    /// Removes the file, unless another process has replaced it.
    ///
    /// Call this before the socket is closed: until then no other file can have its identity.
    func removeFile() {
        guard FileIdentity(ofFileAt: self.path) == self.file else { return }
        unsafe unlink(self.path)
    }
}
