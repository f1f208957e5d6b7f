internal import Glibc

/// Removes files that a user left in shared folders, which the next app with this user ID would own (ADR 0082).
///
/// Only the user's own files are removed. A link is removed and not followed. Other file systems are not entered, nor
/// other users' directories, except those of root that everybody may write to.
struct LeftFiles {
    /// The folders of a machine that every user can write to.
    static let folders = ["/tmp", "/var/tmp", "/dev/shm"]

    /// The maximum number of names that are examined, because other removals wait meanwhile.
    ///
    /// Source: our choice; examining them takes half a second on a slow disk.
    static let entriesMax = 100_000

    /// The deepest nesting that is entered; each level holds a descriptor.
    static let depthMax = 64

    /// Whether a file is a folder of root's that everybody may write to.
    static func isShared(_ status: stat) -> Bool {
        status.st_uid == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_IWOTH != 0
    }

    /// The number of the user's files that could not be removed.
    private(set) var remaining = 0
    private let user: uid_t
    private var room: Int

    private init(of user: uid_t, room: Int) {
        (self.user, self.room) = (user, room)
    }

    /// Removes a user's files.
    ///
    /// - Parameters:
    ///   - user: a user without processes, which could create files meanwhile.
    ///   - folders: the folders to examine.
    ///   - room: the maximum number of names to examine.
    /// - Returns: whether all names were examined, and all files of the user removed.
    static func remove(of user: uid_t, in folders: [String] = Self.folders, room: Int = Self.entriesMax) -> Bool {
        var files = Self(of: user, room: room)
        for folder in folders {
            let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            var status = stat()
            guard directory >= 0 else { continue }
            guard unsafe fstat(directory, &status) == 0 else {
                close(directory)
                continue
            }
            files.empty(directory, device: status.st_dev, depth: 0)
        }
        return files.remaining == 0 && files.room > 0
    }

    /// Removes the user's files in a directory, and closes its descriptor.
    private mutating func empty(_ directory: Int32, device: dev_t, depth: Int) {
        guard let stream = unsafe fdopendir(directory) else {
            self.remaining += 1
            close(directory)
            return
        }
        defer { unsafe closedir(stream) }
        while self.room > 0, let entry = unsafe readdir(stream) {
            // Use the raw bytes: converting a name that is not valid UTF-8 to a string would change it.
            unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                guard let name = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
                let isSelf = unsafe strcmp(name, ".") == 0 || strcmp(name, "..") == 0
                if !isSelf { unsafe self.remove(name, in: directory, device: device, depth: depth) }
            }
        }
    }

    private mutating func remove(_ name: UnsafePointer<CChar>, in directory: Int32, device: dev_t, depth: Int) {
        self.room -= 1
        var status = stat()
        guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_dev == device,
            status.st_uid == self.user || Self.isShared(status)
        else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            if unsafe unlinkat(directory, name, 0) != 0 { self.remaining += 1 }
            return
        }
        if depth < Self.depthMax {
            let inner = unsafe openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            var opened = stat()
            if inner >= 0 {
                // Check that this is still the examined entry: another entry may have replaced it.
                let isSame =
                    unsafe fstat(inner, &opened) == 0 && opened.st_ino == status.st_ino && opened.st_dev == device
                if isSame { self.empty(inner, device: device, depth: depth + 1) } else { close(inner) }
            }
        }
        guard status.st_uid == self.user else { return }
        if unsafe unlinkat(directory, name, AT_REMOVEDIR) != 0 { self.remaining += 1 }
    }
}
