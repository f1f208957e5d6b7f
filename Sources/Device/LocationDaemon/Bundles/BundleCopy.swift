internal import Foundation
internal import Glibc
internal import WhereaboutsVocabulary

/// Copies a bundle that other users may change meanwhile: each file is opened once, checked by its descriptor, and
/// copied from it.
///
/// The copy has the bytes of each file and whether it is executable, but not its owner, group or other attributes. The
/// bundle often belongs to another user; the installing person may read it, but cannot give files away.
struct BundleCopy {
    /// The path of the bundle, for errors.
    private let path: String
    private var entries = 0
    private var bytes = 0
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)

    /// Copies a bundle into a folder that does not exist yet.
    ///
    /// - Throws: ``DaemonError`` for a bundle that is too large, or contains anything but files and folders.
    static func copy(_ bundle: borrowing HeldDirectory, at path: String, to place: String) throws(DaemonError) {
        var copy = BundleCopy(path: path)
        try copy.copy(bundle, named: "", to: place, depth: 0)
    }

    private init(path: String) { self.path = path }

    private mutating func copy(
        _ folder: borrowing HeldDirectory,
        named name: String,
        to place: String,
        depth: Int
    ) throws(DaemonError) {
        guard depth < HeldDirectory.depthMax else {
            throw DaemonError("\(self.path) contains folders more than \(HeldDirectory.depthMax) deep; remove some")
        }
        // Independent of the umask: an app with its own user reads its bundle as another user.
        guard unsafe mkdir(place, 0o755) == 0, unsafe chmod(place, 0o755) == 0 else { throw self.failure(place) }
        var names: [String] = []
        let isWhole = unsafe folder.forEachName { entry in
            names.append(unsafe String(cString: entry))
            return names.count <= BundleContents.entriesMax
        }
        guard isWhole else { throw DaemonError("\(self.path)/\(name) cannot be read") }
        for entry in names {
            let inner = name.isEmpty ? entry : "\(name)/\(entry)"
            self.entries += 1
            guard self.entries < BundleContents.entriesMax else {
                throw DaemonError("\(self.path) contains more than \(BundleContents.entriesMax) files; remove some")
            }
            guard !entry.containsControlCharacters, !entry.unicodeScalars.contains("\u{FFFD}") else {
                throw DaemonError(
                    "\(self.path) contains a file whose name is not plain text (\(PlainText.of(inner))); rename it"
                )
            }
            switch unsafe folder.kind(of: entry) {
            case .folder:
                try self.copy(
                    unsafe HeldDirectory(entry, in: folder),
                    named: inner,
                    to: "\(place)/\(entry)",
                    depth: depth + 1
                )
            case .file: try self.copy(entry, of: folder, named: inner, to: "\(place)/\(entry)")
            case .other, nil: throw self.wrongKind(inner)
            }
        }
    }

    private mutating func copy(
        _ file: String,
        of folder: borrowing HeldDirectory,
        named name: String,
        to place: String
    ) throws(DaemonError) {
        guard let source = folder.file(file) else {
            if errno == EINVAL || errno == ELOOP { throw self.wrongKind(name) }
            throw DaemonError("\(self.path)/\(name) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        // Let every user read the copy: the owner of the original may not exist on this machine.
        let mode: mode_t = source.status.st_mode & 0o111 != 0 ? 0o755 : 0o644
        let copy = unsafe open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard copy >= 0 else { throw self.failure(place) }
        defer { close(copy) }
        guard fchmod(copy, mode) == 0 else { throw self.failure(place) }
        while true {
            let count = unsafe read(source.descriptor, &self.buffer, self.buffer.count)
            guard count >= 0 else {
                throw DaemonError("\(self.path)/\(name) cannot be read: \(unsafe String(cString: strerror(errno)))")
            }
            if count == 0 { return }
            // Count the copied bytes: a file may grow while it is copied.
            self.bytes += count
            guard self.bytes <= BundleContents.bytesMax else {
                throw DaemonError("\(self.path) contains more than 1 GiB; remove files")
            }
            var written = 0
            while written < count {
                let (start, rest) = (written, count - written)
                let more = unsafe self.buffer.withUnsafeBytes { buffer in
                    unsafe write(copy, buffer.baseAddress?.advanced(by: start), rest)
                }
                guard more > 0 else { throw self.failure(place) }
                written += more
            }
        }
    }

    private func wrongKind(_ name: String) -> DaemonError {
        DaemonError(
            "\(self.path)/\(name) is neither a file nor a folder; a bundle may contain only these, and no links"
        )
    }

    private func failure(_ place: String) -> DaemonError {
        DaemonError("cannot copy \(self.path) to \(place): \(unsafe String(cString: strerror(errno)))")
    }
}
