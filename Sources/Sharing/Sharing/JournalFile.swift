internal import Crypto
internal import Foundation
package import WhereaboutsDurableStorage

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The journal's lines on disk, each sealed, signed, and of one size; a second file records the first and the last line.
///
/// All lines have one size: it does not tell a refusal from an answer, and a reader finds any line by its position. The caller
/// holds the lock of the profile's answers, so that the app and its extension append one after the other.
package struct JournalFile {
    /// The bytes of a line: a nonce of 12, the sealed line with its padding, a tag of 16.
    package static let lineByteCount = 512
    private static let plainByteCount = lineByteCount - 12 - 16

    private let path: String
    private let identity: Identity
    private let key: SymmetricKey
    private let linesMax: Int

    /// Names a journal that may exist.
    package init(path: String, identity: Identity, linesMax: Int = JournalChain.linesMax) {
        self.path = path
        self.identity = identity
        self.linesMax = linesMax
        self.key = identity.secret(for: "whereabouts/journal-key/v1")
    }

    /// The associated data of each kind of record, so that one cannot be opened as the other.
    private enum Label: String {
        case line = "whereabouts/journal-line/v1"
        case ends = "whereabouts/journal-ends/v1"

        var bytes: Data { Data(self.rawValue.utf8) }
    }

    private var file: DurableFile { DurableFile(self.path, writers: .many) }
    private var ends: DurableFile { DurableFile("\(self.path).ends", writers: .many) }

    // MARK: Writing

    /// Appends an entry; with `power` it is on disk when this returns.
    ///
    /// - Throws: ``SharingError`` when the disk refuses; nothing may leave the device then.
    package func append(_ entry: JournalEntry, _ durability: DurableFile.Durability = .power) throws {
        do {
            var ends = self.readEnds()
            var lines = try self.tail(ends)
            if lines.count >= self.linesMax {
                try self.makeRoom(ends: ends)
                ends = self.readEnds()
                lines = try self.tail(ends)
            }
            let next = JournalChain.next(after: lines.last, ends: ends)
            let line = JournalLine(
                number: next.number,
                previous: next.previous,
                sharer: self.identity.publicIdentity,
                entry: entry
            )
            let sealed = try self.seal(self.identity.sign(line).bytes, .line, size: Self.plainByteCount)
            try self.file.append(sealed, at: lines.count * Self.lineByteCount, durability)
            let first = ends?.first ?? self.line(at: 0)?.number ?? next.number
            // If a power failure loses this change of the record, the record is one line behind until the next append.
            try self.write(.init(first: first, last: next.number, hash: Self.hash(sealed)), .process)
        } catch let error as DurableFileError {
            throw SharingError(.badProfile, "\(error): the journal cannot be written; check the disk and the owner")
        }
    }

    /// Returns the number of complete lines, and the last one's number and hash; a torn last line does not count.
    private func tail(_ ends: JournalChain.Ends?) throws -> (count: Int, last: (number: UInt64, hash: [UInt8])?) {
        var count = self.count
        while count > 0 {
            let bytes = try self.read(count - 1..<count)
            if let line = self.open(bytes) { return (count, (line.number, Self.hash(bytes))) }
            // The record of the ends is written after the line. A damaged line that it counts was complete once: keep it as evidence.
            let isKnown = ends.map { $0.first &+ UInt64(count) <= $0.last &+ 1 } ?? false
            guard !isKnown else { return (count, nil) }
            count -= 1
        }
        return (0, nil)
    }

    /// Drops the oldest lines; the record of the ends is written first, so that a crash leaves more lines than it lists, not fewer.
    private func makeRoom(ends: JournalChain.Ends?) throws {
        let dropped = self.linesMax / JournalChain.roomParts
        let kept = try self.read(dropped..<self.count)
        if let ends {
            let first = ends.first &+ UInt64(dropped)
            try self.write(.init(first: first, last: ends.last, hash: ends.hash), .power)
        }
        try self.file.replace(kept, .power)
    }

    private func write(_ ends: JournalChain.Ends, _ durability: DurableFile.Durability) throws {
        var writer = ByteWriter()
        writer.integer(ends.first)
        writer.integer(ends.last)
        writer.fixed(ends.hash)
        try self.ends.replace(self.seal(writer.bytes, .ends, size: writer.bytes.count), durability)
    }

    // MARK: Reading

    /// Reads all lines, and checks that this device wrote them.
    func links() throws -> (links: [JournalChain.Link], ends: JournalChain.Ends?) {
        let bytes = try self.read(0..<self.count)
        let links = stride(from: 0, to: bytes.count, by: Self.lineByteCount).map { offset in
            let sealed = Array(bytes[offset..<offset + Self.lineByteCount])
            let line = self.opened(sealed).flatMap { try? $0.verified().value }
            return JournalChain.Link(
                hash: Self.hash(sealed),
                line: line.flatMap { $0.sharer == self.identity.publicIdentity ? $0 : nil }
            )
        }
        return (links, self.readEnds())
    }

    /// Reads the lines after a number, the newest `linesMax` at most.
    func lines(after number: UInt64) throws -> [JournalLine] {
        var lines: [JournalLine] = []
        for place in stride(from: self.count - 1, through: 0, by: -1) {
            // Skip a damaged line; the check of the chain reports it.
            guard let line = self.line(at: place) else { continue }
            guard line.number > number else { break }
            lines.append(line)
        }
        return lines.reversed()
    }

    private func line(at place: Int) -> JournalLine? {
        (try? self.read(place..<place + 1)).flatMap(self.open)
    }

    /// The number of complete lines; a partial line at the end comes from a crash, before its answer was sent.
    private var count: Int {
        // FileManager's attributes include the owner's name, which a directory service on the network may have to look up.
        var status = stat()
        guard unsafe lstat(self.path, &status) == 0 else { return 0 }
        return Int(status.st_size) / Self.lineByteCount
    }

    private func read(_ places: Range<Int>) throws -> [UInt8] {
        guard !places.isEmpty else { return [] }
        let count = places.count * Self.lineByteCount
        let bytes: [UInt8]
        do throws(DurableFileError) {
            bytes = try self.file.read(at: places.lowerBound * Self.lineByteCount, count: count)
        } catch {
            throw SharingError(.badProfile, "\(error); check the disk and the owner")
        }
        guard bytes.count == count else {
            throw SharingError(.badProfile, "\(self.path) became shorter while it was read; run the command again")
        }
        return bytes
    }

    private func readEnds() -> JournalChain.Ends? {
        guard let sealed = try? Data(contentsOf: URL(fileURLWithPath: self.ends.path)),
            let plain = self.unsealed([UInt8](sealed), .ends)
        else { return nil }
        var reader = ByteReader(plain, name: "the record of the journal's ends")
        guard let first = try? reader.integer(UInt64.self), let last = try? reader.integer(UInt64.self),
            let hash = try? reader.fixed(JournalLine.hashByteCount)
        else { return nil }
        return JournalChain.Ends(first: first, last: last, hash: hash)
    }

    // MARK: Bytes

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: Data(bytes))) }

    private func seal(_ bytes: [UInt8], _ label: Label, size: Int) throws -> [UInt8] {
        let padded = bytes + Array(repeating: 0, count: size - bytes.count)
        guard let sealed = try AES.GCM.seal(padded, using: self.key, authenticating: label.bytes).combined else {
            throw SharingError(.badProfile, "\(self.path) cannot be sealed; check the identity's key")
        }
        return [UInt8](sealed)
    }

    private func unsealed(_ sealed: [UInt8], _ label: Label) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(box, using: self.key, authenticating: label.bytes)
        else { return nil }
        return Array(plain)
    }

    private func open(_ sealed: [UInt8]) -> JournalLine? { self.opened(sealed)?.value }

    private func opened(_ sealed: [UInt8]) -> Signed<JournalLine>? {
        guard let plain = self.unsealed(sealed, .line) else { return nil }
        var reader = ByteReader(plain, name: "a line of the journal")
        return try? Signed<JournalLine>(from: &reader)
    }
}
