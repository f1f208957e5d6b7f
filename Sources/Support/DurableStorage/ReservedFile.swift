#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A small file that can be replaced on a full disk: two further files beside it reserve the room.
///
/// ```
///   disk with room:  draft ──▶ file                        exact size, both reserves stay
///   full disk:       reserve takes the content ──▶ file    padded to the size of a reserve;
///                                                          an old file of that size becomes a reserve
/// ```
/// On a full disk no room is given back to the file system, so a process that fills it cannot take the room.
package struct ReservedFile: Sendable {
    /// The end of a padded content: this, and the length of the content in eight bytes, little end first.
    private static let mark = Array("whereabouts-room".utf8)

    private let file: DurableFile
    private let byteCount: Int
    private let reserves: [String]
    private let retired: String

    /// Names a file that may exist, with one writer.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - byteCount: the size of a reserve, in bytes: a content of this size less 24 bytes is kept on a full disk.
    package init(_ path: String, reserving byteCount: Int) {
        self.file = DurableFile(path, writers: .one)
        self.byteCount = byteCount
        self.reserves = [path + ".reserve1", path + ".reserve2"]
        self.retired = path + ".retired"
    }

    /// The content of a file that was read, without its padding.
    package static func content(of bytes: [UInt8]) -> [UInt8] {
        let length = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard bytes.dropLast(8).suffix(self.mark.count).elementsEqual(self.mark), length <= bytes.count else {
            return bytes
        }
        return Array(bytes.prefix(Int(length)))
    }

    /// Fills the reserves up as far as the disk allows.
    ///
    /// - Returns: whether both are complete.
    @discardableResult package func fill() -> Bool {
        // A crash between the last two steps of `replaceFromReserve` leaves this file.
        unsafe unlink(self.retired)
        for reserve in self.reserves {
            let size = self.size(of: reserve)
            guard size < self.byteCount else { continue }
            // Written zeros, because a file system may postpone or compress allocated space.
            let zeros = [UInt8](repeating: 0, count: self.byteCount - size)
            let file = DurableFile(reserve, writers: .one)
            guard (try? file.append(zeros, at: size, .power)) != nil else { return false }
        }
        return true
    }

    /// Writes the file, replacing an existing one, readable by its owner alone; on a full disk from a reserve.
    package func replace(_ bytes: [UInt8], _ durability: DurableFile.Durability) throws(DurableFileError) {
        // A padded file keeps its size until both reserves are complete again.
        if !self.fill(), self.replaceFromReserve(bytes) { return }
        do throws(DurableFileError) {
            try self.file.replace(bytes, durability)
        } catch {
            guard [ENOSPC, EDQUOT].contains(error.errno), self.replaceFromReserve(bytes) else { throw error }
        }
    }

    private func replaceFromReserve(_ bytes: [UInt8]) -> Bool {
        let padding = self.byteCount - bytes.count - Self.mark.count - 8
        guard padding >= 0, let reserve = self.reserves.first(where: { self.size(of: $0) == self.byteCount }) else {
            return false
        }
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        let padded = bytes + [UInt8](repeating: 0, count: padding) + Self.mark + length
        guard (try? DurableFile(reserve, writers: .one).overwrite(padded)) != nil else { return false }
        // The old content keeps its blocks under a second name, so that the path always has a file.
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
