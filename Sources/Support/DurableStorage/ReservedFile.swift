#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A small file that can be replaced on a full disk, because two further files reserve the space for it.
///
/// ```
///   disk with room:  draft ──▶ file                        exact size, both reserves stay
///   full disk:       reserve takes the content ──▶ file    padded to the size of a reserve;
///                                                          an old file of that size becomes a reserve
/// ```
/// On a full disk, no space returns to the file system, where a process that fills the disk could take it.
package struct ReservedFile: Sendable {
    /// The end of padded content: these bytes, then the length of the content as eight bytes, least significant first.
    private static let mark = Array("whereabouts-room".utf8)

    private let file: DurableFile
    private let byteCount: Int
    private let reserves: [String]
    private let retired: String

    /// Creates a value for a path; the file need not exist, and must have only one writer.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - byteCount: the size of a reserve, in bytes; ``reservedBytesMax`` of them are for content.
    package init(_ path: String, reserving byteCount: Int) {
        self.file = DurableFile(path, writers: .one)
        self.byteCount = byteCount
        self.reserves = [path + ".reserve1", path + ".reserve2"]
        self.retired = path + ".retired"
    }

    /// The maximum number of bytes of content that can be written on a full disk.
    package var reservedBytesMax: Int { self.byteCount - Self.mark.count - 8 }

    /// Returns the content of a file without its padding.
    package static func content(of bytes: [UInt8]) -> [UInt8] {
        let length = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard bytes.dropLast(8).suffix(self.mark.count).elementsEqual(self.mark), length <= bytes.count else {
            return bytes
        }
        return Array(bytes.prefix(Int(length)))
    }

    /// Extends the reserves to their full size, as far as the disk allows.
    ///
    /// - Returns: whether both are complete.
    @discardableResult package func fill() -> Bool {
        // A crash between the last two steps of `replaceFromReserve` leaves this file.
        unsafe unlink(self.retired)
        for reserve in self.reserves {
            let size = self.size(of: reserve)
            guard size < self.byteCount else { continue }
            // Write zeros, because a file system may allocate space lazily or compress it.
            let zeros = [UInt8](repeating: 0, count: self.byteCount - size)
            let file = DurableFile(reserve, writers: .one)
            guard (try? file.append(zeros, at: size, .power)) != nil else { return false }
        }
        return true
    }

    /// Writes the file, on a full disk from a reserve, replacing an existing one; only its owner can read it.
    package func replace(_ bytes: [UInt8], _ durability: DurableFile.Durability) throws(DurableFileError) {
        // Write padded content until both reserves are complete again.
        if !self.fill(), self.replaceFromReserve(bytes) { return }
        do throws(DurableFileError) {
            try self.file.replace(bytes, durability)
        } catch {
            guard [ENOSPC, EDQUOT].contains(error.errno), self.replaceFromReserve(bytes) else { throw error }
        }
    }

    private func replaceFromReserve(_ bytes: [UInt8]) -> Bool {
        let padding = self.reservedBytesMax - bytes.count
        guard padding >= 0, let reserve = self.reserves.first(where: { self.size(of: $0) == self.byteCount }) else {
            return false
        }
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        let padded = bytes + [UInt8](repeating: 0, count: padding) + Self.mark + length
        guard (try? DurableFile(reserve, writers: .one).overwrite(padded)) != nil else { return false }
        // A second name keeps the blocks of the old content, and `rename` replaces the file, so that the path always exists.
        let isPadded = self.size(of: self.file.path) == self.byteCount
        let isRoomKept = unsafe isPadded && link(self.file.path, self.retired) == 0
        guard unsafe rename(reserve, self.file.path) == 0 else { return false }
        if isRoomKept { unsafe rename(self.retired, reserve) }
        return (try? DurableFile.synchronize(self.file.directory)) != nil
    }

    private func size(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
