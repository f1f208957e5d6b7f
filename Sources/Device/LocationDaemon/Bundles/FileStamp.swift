internal import Glibc
internal import WhereaboutsNetworkSupport

/// A file's identity, size and change time: every write updates the change time, which only a changed clock can set back.
struct FileStamp: Hashable {
    private let identity: FileIdentity
    private let size: Int64
    private let changed: [Int]

    /// Reads a file's state; nil when there is no file.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.identity = FileIdentity(status)
        self.size = Int64(status.st_size)
        self.changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}
