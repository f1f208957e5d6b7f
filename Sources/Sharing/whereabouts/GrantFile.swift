internal import Foundation
internal import WhereaboutsSharing

/// The file for a grant: a new file that only its owner can read, or an existing pipe or terminal.
struct GrantFile {
    let path: String
    private let handle: FileHandle
    private let isNew: Bool

    /// Creates the file, or opens the pipe or terminal.
    ///
    /// - Throws: ``SharingError`` when the file exists, or cannot be created.
    init(creating path: String) throws {
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        let isNew = kind == nil
        if kind == .typeRegular {
            throw SharingError(.badProfile, "\(path) exists, and may hold a grant; remove it, or give another name")
        }
        // Standard output may be redirected to a file that must be appended to.
        let flags = isNew ? O_CREAT | O_EXCL : O_APPEND
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw SharingError(
                .badProfile,
                "\(path) cannot be created (\(reason)), so no grant was made; give a file in one of your directories"
            )
        }
        self.path = path
        self.handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.isNew = isNew
    }

    /// Writes the text, one line, to the disk.
    func write(_ text: String) throws {
        try self.handle.write(contentsOf: Data("\(text)\n".utf8))
        // A pipe cannot be synchronised.
        if self.isNew { try self.handle.synchronize() }
    }

    /// Removes the file, if this value created it.
    func remove() {
        if self.isNew { try? FileManager.default.removeItem(atPath: self.path) }
    }
}
