internal import Glibc
internal import WhereaboutsCLinux

/// A directory held open by its descriptor, and its contents: the only way to access files that other users may change
/// (ADR 0039).
///
/// The kernel resolves a path again at each use. Meanwhile, a user who may write to a folder on the path can put a
/// link, a device or another folder there. `HeldDirectory` resolves each name below an open descriptor, and follows no
/// link. It does not wait for pipes or devices, and takes the type of a file from the descriptor that it uses.
struct HeldDirectory: ~Copyable {
    /// The user and groups whose rights apply when something is opened.
    struct Reader: Sendable, Hashable {
        let user: uid_t
        /// All groups; the process's own group comes first.
        let groups: [gid_t]
    }

    /// The type of a file or folder in the directory.
    enum Kind {
        case file
        case folder
        /// A link, a pipe, a socket or a device.
        case other
    }

    let descriptor: Int32
    let status: stat
    private let reader: Reader?

    /// Opens a directory.
    ///
    /// - Parameters:
    ///   - path: the path; symbolic links in it are followed, with the reader's rights.
    ///   - reader: the rights to use; nil: this process's.
    /// - Throws: ``DaemonError`` naming the path and the reason.
    init(path: String, as reader: Reader? = nil) throws(DaemonError) {
        let descriptor = unsafe Self.open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, as: reader)
        try self.init(descriptor, path, reader)
    }

    /// Opens a directory below this one, which must not be a link.
    init(_ name: UnsafePointer<CChar>, in parent: borrowing HeldDirectory) throws(DaemonError) {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var descriptor = unsafe Self.open(parent.descriptor, name, flags, as: parent.reader)
        if descriptor < 0, errno == EACCES, parent.reader == nil {
            // The folder may belong to this user, but deny its owner access.
            _ = unsafe clinux_open_to_owner(parent.descriptor, name)
            descriptor = unsafe Self.open(parent.descriptor, name, flags, as: nil)
        }
        try self.init(descriptor, unsafe String(cString: name), parent.reader)
    }

    private init(_ descriptor: Int32, _ path: String, _ reader: Reader?) throws(DaemonError) {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw DaemonError("cannot open the folder \(path): \(reason)")
        }
        (self.descriptor, self.status, self.reader) = (descriptor, status, reader)
    }

    deinit { close(self.descriptor) }

    private static func open(
        _ directory: Int32,
        _ name: UnsafePointer<CChar>,
        _ flags: Int32,
        as reader: Reader?
    ) -> Int32 {
        guard let reader else { return unsafe openat(directory, name, flags) }
        return unsafe clinux_open_as(reader.user, reader.groups, reader.groups.count, directory, name, flags)
    }

    /// The directory's present path according to the kernel, without links; nil: the directory was deleted.
    var path: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/fd/\(self.descriptor)", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: Names

    /// Calls a closure with each name, until it returns false.
    ///
    /// - Returns: false if reading the directory failed.
    @discardableResult
    func forEachName(_ body: (UnsafePointer<CChar>) -> Bool) -> Bool {
        let own = unsafe Self.open(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, as: self.reader)
        guard own >= 0, let stream = unsafe fdopendir(own) else {
            if own >= 0 { close(own) }
            return false
        }
        defer { unsafe closedir(stream) }
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { return errno == 0 }
            // Pass the raw bytes: converting a name that is not valid UTF-8 to a string would change it.
            let goesOn = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                guard let name = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return true }
                let isSelf = unsafe strcmp(name, ".") == 0 || strcmp(name, "..") == 0
                return unsafe isSelf || body(name)
            }
            guard goesOn else { return true }
        }
    }

    /// The type of a directory entry; nil: there is no entry with this name.
    ///
    /// The type may have changed by the time that the entry is opened.
    func kind(of name: UnsafePointer<CChar>) -> Kind? {
        var status = stat()
        guard unsafe fstatat(self.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return Self.kind(of: status)
    }

    private static func kind(of status: stat) -> Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .other
        }
    }

    // MARK: Files

    /// A regular file that is open for reading.
    struct File: ~Copyable {
        let descriptor: Int32
        let status: stat
        deinit { close(self.descriptor) }
    }

    /// Opens a regular file; nil for everything else.
    func file(_ name: String) -> File? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = unsafe Self.open(self.descriptor, name, flags, as: self.reader)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, Self.kind(of: status) == .file else {
            close(descriptor)
            errno = EINVAL
            return nil
        }
        return File(descriptor: descriptor, status: status)
    }

    // MARK: Owners

    /// Gives the directory to a user and a group, with a mode.
    func give(to owner: uid_t, group: gid_t, mode: mode_t) -> Bool {
        fchown(self.descriptor, owner, group) == 0 && fchmod(self.descriptor, mode) == 0
    }

    /// The deepest nesting that is entered; each level holds a descriptor.
    static let depthMax = 64

    /// Gives a user everything in the directory, but not the directory itself, which other users cannot enter meanwhile.
    ///
    /// - Throws: ``DaemonError`` if something could not be given away.
    func giveAll(to owner: uid_t, depth: Int = 0) throws(DaemonError) {
        guard depth < Self.depthMax else {
            throw DaemonError("folders lie more than \(Self.depthMax) deep; remove some")
        }
        guard self.give(to: geteuid(), group: getegid(), mode: 0o700) else {
            throw DaemonError("cannot take a folder over: \(unsafe String(cString: strerror(errno)))")
        }
        var failure: DaemonError?
        unsafe self.forEachName { name in
            do throws(DaemonError) {
                if unsafe self.kind(of: name) == .folder {
                    let inner = unsafe try HeldDirectory(name, in: self)
                    try inner.giveAll(to: owner, depth: depth + 1)
                    _ = inner.give(to: owner, group: owner, mode: inner.status.st_mode & 0o7777)
                } else if unsafe fchownat(self.descriptor, name, owner, owner, AT_SYMLINK_NOFOLLOW) != 0 {
                    throw DaemonError("cannot give a file away: \(unsafe String(cString: strerror(errno)))")
                }
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
    }

    // MARK: Removal

    /// The files and folders that could not be removed.
    struct Rest: Sendable, Hashable {
        var count = 0
        /// The kernel's message about the first one.
        var reason: String?
    }

    /// Removes everything in the directory, at any depth.
    ///
    /// Each folder is first given to this process's user, and closed to others. Its subfolders are moved up into this
    /// directory, so that two descriptors suffice for any depth.
    func removeAll() -> Rest {
        guard self.give(to: geteuid(), group: getegid(), mode: 0o700) else {
            return Rest(count: 1, reason: unsafe String(cString: strerror(errno)))
        }
        var moved = 0
        while true {
            var rest = Rest()
            var hasProgressed = false
            let isWhole = unsafe self.forEachName { name in
                if unsafe self.remove(name, &moved, &hasProgressed) { return true }
                if rest.reason == nil { rest.reason = unsafe String(cString: strerror(errno)) }
                rest.count += 1
                return true
            }
            if !isWhole { return Rest(count: max(rest.count, 1), reason: rest.reason ?? "the folder cannot be read") }
            if !hasProgressed { return rest }
        }
    }

    /// Removes a file, or a folder after moving its subfolders up into this directory.
    private func remove(_ name: UnsafePointer<CChar>, _ moved: inout Int, _ hasProgressed: inout Bool) -> Bool {
        guard unsafe self.kind(of: name) == .folder else {
            guard unsafe unlinkat(self.descriptor, name, 0) == 0 else { return errno == ENOENT }
            hasProgressed = true
            return true
        }
        guard let inner = unsafe try? HeldDirectory(name, in: self),
            inner.give(to: geteuid(), group: getegid(), mode: 0o700)
        else { return false }
        let outer = self.descriptor
        var failure: Int32 = 0
        unsafe inner.forEachName { entry in
            var isGone: Bool
            if unsafe inner.kind(of: entry) == .folder {
                // Skip names that this directory already contains.
                repeat {
                    moved += 1
                    isGone = unsafe renameat(inner.descriptor, entry, outer, "\(moved)") == 0
                } while !isGone && [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno)
            } else {
                isGone = unsafe unlinkat(inner.descriptor, entry, 0) == 0
            }
            if isGone { hasProgressed = true } else { failure = errno }
            return true
        }
        guard unsafe unlinkat(outer, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            if failure != 0 { errno = failure }
            return false
        }
        hasProgressed = true
        return true
    }

    /// Removes a file or a folder with everything below it.
    ///
    /// - Returns: what could not be removed; empty if there was nothing.
    static func remove(_ name: String, in parent: borrowing HeldDirectory) -> Rest {
        switch unsafe parent.kind(of: name) {
        case nil: return Rest()
        case .file, .other:
            if unsafe unlinkat(parent.descriptor, name, 0) == 0 { return Rest() }
        case .folder:
            do throws(DaemonError) {
                let folder = unsafe try HeldDirectory(name, in: parent)
                let rest = folder.removeAll()
                guard rest.count == 0 else { return rest }
            } catch {
                return Rest(count: 1, reason: error.description)
            }
            if unsafe unlinkat(parent.descriptor, name, AT_REMOVEDIR) == 0 { return Rest() }
        }
        return Rest(count: 1, reason: unsafe String(cString: strerror(errno)))
    }
}
