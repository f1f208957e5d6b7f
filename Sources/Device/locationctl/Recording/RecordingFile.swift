internal import CoreFoundation
internal import Foundation
internal import Glibc

/// A new file that only its owner can read; it is complete at any time, because the footer follows each addition.
struct RecordingFile: ~Copyable {
    private let descriptor: CInt
    private let path: String
    private let footer: [UInt8]
    /// The bytes so far, without the footer.
    private(set) var count: Int

    /// Creates the file; an existing file stays unchanged.
    ///
    /// - Throws: ``Refused``.
    init(path: String, header: String, footer: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? Refused("\(path) already exists, and is not replaced; name another file")
                : Refused("\(path) cannot be made: \(unsafe String(cString: strerror(errno)))")
        }
        let header = Array(header.utf8)
        guard Self.write(header + footer.utf8, to: descriptor, at: 0) else {
            let reason = unsafe String(cString: strerror(errno))
            close(descriptor)
            _ = unsafe unlink(path)
            throw Refused("\(path) cannot be written: \(reason)")
        }
        (self.descriptor, self.path, self.footer, self.count) = (descriptor, path, Array(footer.utf8), header.count)
    }

    deinit { close(self.descriptor) }

    /// Whether the file still has a name: writing to a deleted file would lose the data.
    var isThere: Bool {
        var status = stat()
        return unsafe fstat(self.descriptor, &status) == 0 && status.st_nlink > 0
    }

    /// Appends bytes to the recording; if the write fails, the file stays unchanged.
    mutating func append(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        guard self.isThere else {
            throw Refused("\(self.path) was removed during the recording, so its content is lost; record again")
        }
        guard Self.write(bytes + self.footer, to: self.descriptor, at: self.count) else {
            let reason = unsafe String(cString: strerror(errno))
            // Write the footer again, which needs no free space: the file already had these bytes.
            _ = ftruncate(self.descriptor, off_t(self.count + self.footer.count))
            _ = Self.write(self.footer, to: self.descriptor, at: self.count)
            throw Refused("\(self.path) cannot be written: \(reason); the part that was recorded before is complete")
        }
        self.count += bytes.count
    }

    /// Replaces each line of the recording by others; a second file gets the first one's path, so that it is complete at any time.
    mutating func replaceLines(_ lines: (String) -> String) throws {
        guard self.isThere else { return }
        let part = "\(self.path).part"
        var new = try RecordingFile(path: part, header: "", footer: String(decoding: self.footer, as: UTF8.self))
        do {
            var rest = try Data(contentsOf: URL(filePath: self.path), options: .mappedIfSafe).prefix(self.count)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try new.append(Array(lines(String(decoding: rest[..<end], as: UTF8.self)).utf8))
                rest = rest[(end + 1)...]
            }
            guard unsafe Glibc.rename(part, self.path) == 0 else {
                throw Refused("\(self.path) cannot be replaced: \(unsafe String(cString: strerror(errno)))")
            }
        } catch {
            new.remove()
            throw error
        }
        // Let the first file's descriptor refer to the second file.
        dup2(new.descriptor, self.descriptor)
        self.count = new.count
    }

    /// Removes the file of a recording without content.
    borrowing func remove() { _ = unsafe unlink(self.path) }

    private static func write(_ bytes: [UInt8], to descriptor: CInt, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.count {
            let rest = bytes[written...]
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}
