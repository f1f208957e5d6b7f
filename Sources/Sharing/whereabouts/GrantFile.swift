internal import Foundation
internal import WhereaboutsSharing

/// The file that a grant is handed over in: a new one, its owner's alone; or a pipe or a terminal, which is written to.
struct GrantFile {
    let path: String
    private let handle: FileHandle
    private let isNew: Bool

    /// Makes the file, empty.
    ///
    /// - Throws: ``SharingError`` when it exists, or cannot be made.
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
                "\(path) cannot be made (\(reason)), and no grant is; give a file in one of your directories"
            )
        }
        self.path = path
        self.handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.isNew = isNew
    }

    /// Writes the text, one line, to the disk.
    func write(_ text: String) throws {
        try self.handle.write(contentsOf: Data("\(text)\n".utf8))
        // A pipe has no disk.
        if self.isNew { try self.handle.synchronize() }
    }

    /// Removes the file, if it was made here.
    func remove() {
        if self.isNew { try? FileManager.default.removeItem(atPath: self.path) }
    }
}
