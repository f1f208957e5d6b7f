internal import Glibc

/// A file's device and inode, by which it is the same file under any path.
struct FileIdentity: Hashable, Codable {
    let device: UInt64
    let inode: UInt64

    init(path: String) throws(DaemonError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw DaemonError("\(path): \(unsafe String(cString: strerror(errno)))")
        }
        self.init(status)
    }

    init(_ status: stat) {
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
    }
}
