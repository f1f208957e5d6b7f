#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A small file that exists completely or not at all, even after a crash at any moment.
///
/// ```
///   draft beside it ──▶ write all ──▶ fsync ──▶ rename, or link ──▶ fsync of the directory
/// ```
/// The result of each step is checked: if `fsync` fails, the bytes are lost although `write` succeeded, and the kernel reports the error
/// only once. After an error the file has its old content; only if syncing the directory failed, it may have the new content.
package struct DurableFile: Sendable {
    /// The event that a write must survive.
    package enum Durability: Sendable {
        /// The end of the process, by any signal.
        case process
        case power
    }

    /// How many processes write the file.
    package enum Writers: Sendable {
        /// One process: all drafts have the same name, so that a crash leaves at most one draft.
        case one
        /// Several processes: each draft has its own name, so that no process overwrites another's draft.
        case many
    }

    package let path: String
    private let writers: Writers
    private let calls: SystemCalls

    /// Creates a value for a path; the file need not exist.
    package init(_ path: String, writers: Writers) {
        self.init(path, writers: writers, calls: SystemCalls())
    }

    init(_ path: String, writers: Writers, calls: SystemCalls) {
        self.path = path
        self.writers = writers
        self.calls = calls
    }

    /// Creates the file durably; only its owner can read it.
    ///
    /// - Returns: false when the file already exists.
    package func create(_ bytes: [UInt8]) throws(DurableFileError) -> Bool {
        // Use a hard link: it fails if the name exists, and the content is complete when the name appears. `rename` would replace the file.
        let draft = try self.writeDraft(bytes, .power)
        defer { unsafe unlink(draft) }
        guard unsafe link(draft, self.path) == 0 else {
            if errno == EEXIST { return false }
            throw self.error(.replace, self.path)
        }
        try self.synchronizeDirectory()
        return true
    }

    /// Writes the file, replacing an existing one; only its owner can read it.
    package func replace(_ bytes: [UInt8], _ durability: Durability) throws(DurableFileError) {
        let draft = try self.writeDraft(bytes, durability)
        guard unsafe rename(draft, self.path) == 0 else {
            let error = self.error(.replace, self.path)
            unsafe unlink(draft)
            throw error
        }
        if durability == .power { try self.synchronizeDirectory() }
    }

    /// Truncates the file at an offset and writes there, for example over a record that a crash left incomplete.
    ///
    /// Creates a missing file, which only its owner can read.
    package func append(_ bytes: [UInt8], at offset: Int, _ durability: Durability) throws(DurableFileError) {
        let isNew = unsafe access(self.path, F_OK) != 0
        let file = unsafe open(self.path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw self.error(.create, self.path) }
        defer { close(file) }
        guard ftruncate(file, off_t(offset)) == 0, lseek(file, off_t(offset), SEEK_SET) >= 0 else {
            throw self.error(.write, self.path)
        }
        try self.write(bytes, to: file, self.path)
        guard durability == .power else { return }
        try self.synchronize(file, self.path)
        if isNew { try self.synchronizeDirectory() }
    }

    /// Overwrites the beginning of the file in place; a crash may leave it partly overwritten.
    func overwrite(_ bytes: [UInt8]) throws(DurableFileError) {
        let file = unsafe open(self.path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw self.error(.create, self.path) }
        defer { close(file) }
        try self.write(bytes, to: file, self.path)
        try self.synchronize(file, self.path)
    }

    /// Reads bytes from an offset; returns fewer when the file ends earlier.
    package func read(at offset: Int, count: Int) throws(DurableFileError) -> [UInt8] {
        let file = unsafe open(self.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw self.error(.read, self.path) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let (start, rest) = (filled, count - filled)
            let taken = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(file, buffer.baseAddress?.advanced(by: start), rest, off_t(offset + start))
            }
            if taken < 0, errno == EINTR { continue }
            guard taken >= 0 else { throw self.error(.read, self.path) }
            guard taken > 0 else { break }
            filled += taken
        }
        return Array(bytes.prefix(filled))
    }

    private func writeDraft(_ bytes: [UInt8], _ durability: Durability) throws(DurableFileError) -> String {
        let (draft, mode) =
            switch self.writers {
            case .one: ("\(self.path).new", O_TRUNC)
            case .many: ("\(self.path).\(String(UInt64.random(in: .min ... .max), radix: 36)).draft", O_EXCL)
            }
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | mode, 0o600)
        guard file >= 0 else { throw self.error(.create, draft) }
        defer { close(file) }
        do {
            try self.write(bytes, to: file, draft)
            if durability == .power { try self.synchronize(file, draft) }
        } catch {
            unsafe unlink(draft)
            throw error
        }
        return draft
    }

    private func write(_ bytes: [UInt8], to file: Int32, _ draft: String) throws(DurableFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = self.calls.writeSome(file, rest)
            if count < 0, errno == EINTR { continue }
            // Treat a write of zero bytes as a full disk; otherwise the loop would not end.
            if count == 0 { errno = ENOSPC }
            guard count > 0 else { throw self.error(.write, draft) }
            rest = rest.dropFirst(count)
        }
    }

    private func synchronizeDirectory() throws(DurableFileError) {
        try self.synchronizeWhole(self.directory)
    }

    private func synchronizeWhole(_ path: String) throws(DurableFileError) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw self.error(.open, path) }
        defer { close(file) }
        try self.synchronize(file, path)
    }

    /// Syncs a file's content that other code wrote, or the names in a directory.
    package static func synchronize(_ path: String) throws(DurableFileError) {
        try self.synchronize(path, SystemCalls())
    }

    static func synchronize(_ path: String, _ calls: SystemCalls) throws(DurableFileError) {
        try DurableFile(path, writers: .one, calls: calls).synchronizeWhole(path)
    }

    private func synchronize(_ file: Int32, _ path: String) throws(DurableFileError) {
        // Repeat `fsync` only after a signal: after a failure, the kernel may consider the lost pages clean and report success.
        while self.calls.synchronize(file) != 0 {
            guard errno == EINTR else { throw self.error(.synchronize, path) }
        }
    }

    private func error(_ step: DurableFileError.Step, _ path: String) -> DurableFileError {
        DurableFileError(step, path, errno: errno)
    }

    var directory: String {
        guard let slash = self.path.lastIndex(of: "/") else { return "." }
        return slash == self.path.startIndex ? "/" : String(self.path[..<slash])
    }
}
