internal import Glibc
internal import WhereaboutsLocationEngine

/// The share of the disk that one app may have while the disk is full (ADR 0025).
enum DiskShare {
    /// Fewer files than this that can still be created count as a full disk.
    ///
    /// Source: our choice; locationd creates some dozen files for an app.
    static let filesFreeMin = 1024

    /// The file system of the state directory.
    struct Disk: Sendable, Hashable {
        /// The kernel's number of the file system, which all of its files share.
        var fileSystem: UInt = 0
        var free: DiskUse
        /// The bytes and files in all; no files: the file system does not limit them.
        var size: DiskUse

        var isShortOfBytes: Bool { self.free.bytes < Diagnosis.bytesFreeMin }
        var isShortOfFiles: Bool { self.size.files > 0 && self.free.files < DiskShare.filesFreeMin }
        var isFull: Bool { self.isShortOfBytes || self.isShortOfFiles }
    }

    /// Chooses the app that has to end.
    ///
    /// - Parameters:
    ///   - disk: the file system of the state directory.
    ///   - held: what each running app stores there.
    /// - Returns: the app with the most bytes or files, if these are what the disk lacks and that app has more than a quarter of them.
    static func culprit(on disk: Disk, held: [BundleID: DiskUse]) -> BundleID? {
        func largest(_ amount: KeyPath<DiskUse, Int>) -> BundleID? {
            let most = held.max { ($0.value[keyPath: amount], $0.key) < ($1.value[keyPath: amount], $1.key) }
            guard let most, most.value[keyPath: amount] > disk.size[keyPath: amount] / 4 else { return nil }
            return most.key
        }
        if disk.isShortOfBytes, let app = largest(\.bytes) { return app }
        return disk.isShortOfFiles ? largest(\.files) : nil
    }
}

extension DiskShare.Disk {
    /// Queries the file system of a path; nil when that fails.
    init?(of path: String) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let unit = Int(clamping: status.f_frsize)
        self.fileSystem = status.f_fsid
        self.free = DiskUse(bytes: Int(clamping: status.f_bavail) * unit, files: Int(clamping: status.f_favail))
        self.size = DiskUse(bytes: Int(clamping: status.f_blocks) * unit, files: Int(clamping: status.f_files))
    }
}
