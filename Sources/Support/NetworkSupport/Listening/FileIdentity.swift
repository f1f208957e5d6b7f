package import Glibc

/// A file's device and inode, which are the same for all paths of the file.
package struct FileIdentity: Hashable, Codable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    /// The identity of the file at a path; nil, with `errno`, if it does not exist or cannot be examined.
    package init?(ofFileAt path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) {
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
    }
}
