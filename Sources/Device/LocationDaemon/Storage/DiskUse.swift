internal import Glibc

/// The bytes and files that something occupies on a disk.
struct DiskUse: Sendable, Hashable {
    var bytes = 0
    var files = 0

    /// Adds two uses; a sum that overflows becomes the largest `Int`.
    static func + (one: DiskUse, other: DiskUse) -> DiskUse {
        func sum(_ amount: KeyPath<DiskUse, Int>) -> Int {
            let (sum, isTooLarge) = one[keyPath: amount].addingReportingOverflow(other[keyPath: amount])
            return isTooLarge ? .max : sum
        }
        return DiskUse(bytes: sum(\.bytes), files: sum(\.files))
    }
}

extension DiskUse {
    /// Measures what an app stores on a file system.
    ///
    /// Two kinds of deleted files cannot be found and are not counted: mapped files that are not open, and files whose
    /// descriptor waits in a socket.
    ///
    /// - Parameters:
    ///   - container: the app's container.
    ///   - user: the app's own user, whose files in shared folders and whose deleted but open files count, too; nil: none.
    ///   - fileSystem: the number of the file system (``DiskShare/Disk/fileSystem``).
    init(container: String, user: uid_t?, on fileSystem: UInt) {
        self = (try? HeldDirectory(path: container).diskUse()) ?? DiskUse()
        guard let user else { return }
        for folder in LeftFiles.folders where DiskShare.Disk(of: folder)?.fileSystem == fileSystem {
            self = self + ((try? HeldDirectory(path: folder).diskUse(of: user)) ?? DiskUse())
        }
        for process in ProcessMarks.processes(of: user) {
            self = self + Self.deleted(openIn: process.pid, on: fileSystem)
        }
    }

    /// Measures the deleted files that a process has open.
    private static func deleted(openIn pid: Int32, on fileSystem: UInt) -> DiskUse {
        var sum = DiskUse()
        guard let descriptors = try? HeldDirectory(path: "/proc/\(pid)/fd") else { return sum }
        unsafe descriptors.forEachName { name in
            var status = stat()
            guard unsafe fstatat(descriptors.descriptor, name, &status, 0) == 0, status.st_nlink == 0,
                status.st_mode & S_IFMT == S_IFREG,
                unsafe DiskShare.Disk(of: "/proc/\(pid)/fd/\(String(cString: name))")?.fileSystem == fileSystem
            else { return true }
            sum = sum + DiskUse(of: status)
            return true
        }
        return sum
    }

    /// The use of one file or folder.
    fileprivate init(of status: stat) {
        // st_blocks counts units of 512 bytes, whatever the block size of the file system (stat(2)).
        self.init(bytes: Int(status.st_blocks) * 512, files: 1)
    }
}

extension HeldDirectory {
    /// Measures everything in the directory; if a user is given, only the files of that user.
    ///
    /// A folder more than ``depthMax`` deep counts as a terabyte, because an app could hide files there. If a user is
    /// given, other users' folders are not entered, except those of root that everybody may write to, such as
    /// `/tmp/.X11-unix`.
    func diskUse(of user: uid_t? = nil, depth: Int = 0) -> DiskUse {
        var sum = DiskUse()
        unsafe self.forEachName { name in
            var status = stat()
            guard unsafe fstatat(self.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return true }
            let isCounted = user == nil || status.st_uid == user
            guard isCounted || LeftFiles.isShared(status) else { return true }
            if isCounted { sum = sum + DiskUse(of: status) }
            guard status.st_mode & S_IFMT == S_IFDIR else { return true }
            if depth == Self.depthMax {
                sum = sum + DiskUse(bytes: 1 << 40, files: 1 << 40)
            } else if let inner = unsafe try? HeldDirectory(name, in: self) {
                sum = sum + inner.diskUse(of: user, depth: depth + 1)
            }
            return true
        }
        return sum
    }
}
