internal import Crypto
internal import Foundation
internal import WhereaboutsDurableStorage

/// The given answers on disk, as a list of changes, so that an answer costs one `fsync`.
///
/// ```
///   length │ change │ check      given: the entry of `GivenAnswers`      done: the digest of a request whose answer need not be sent
///     16   │        │   64 bits  of SHA-256
/// ```
/// A crash can leave the last change incomplete. Its answer was not sent, or is posted once more, so a reader drops it, and the
/// next change overwrites it. An incomplete change that a complete one follows is damage: the disk lost an answer that was
/// sent. The caller holds the lock of the answers.
struct AnswersFile {
    private enum Change {
        case given(GivenAnswers.Entry)
        case done(RequestDigest)
    }

    private enum Kind: UInt8 {
        case given = 1
        case done = 2
    }

    private static let checkByteCount = 8
    /// The size up to which changes are only appended; a larger file is written again once it has twice the size of its answers more.
    ///
    /// Source: our choice; about 20 answers with their bytes, which an extension reads in less than a millisecond.
    static let spareByteCount = 16_384

    /// The answers in the file.
    let answers: GivenAnswers
    /// The size of the complete changes.
    private let byteCount: Int
    private let file: DurableFile

    /// Reads a file, which may be missing.
    ///
    /// - Throws: an error if the file cannot be read, or a change before the last one is damaged.
    init(path: String) throws {
        self.file = DurableFile(path, writers: .many)
        var answers = GivenAnswers()
        var offset = 0
        if FileManager.default.fileExists(atPath: path) {
            let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
            while let (change, end) = Self.change(in: bytes, at: offset) {
                switch change {
                case .given(let entry): answers.restore(entry)
                case .done(let digest): answers.delivered(digest)
                }
                offset = end
            }
            let isFollowed = bytes.indices.dropFirst(offset + 1).contains { Self.change(in: bytes, at: $0) != nil }
            guard !isFollowed else { throw SharingError(.badBytes, "the change at byte \(offset) is damaged") }
        }
        self.answers = answers
        self.byteCount = offset
    }

    /// Writes what distinguishes other answers from those in the file.
    func write(_ changed: GivenAnswers, _ durability: DurableFile.Durability) throws(SharingError) {
        let bytes = Self.changes(from: self.answers, to: changed).flatMap(Self.bytes)
        do throws(DurableFileError) {
            let size = self.byteCount + bytes.count
            if size > Self.spareByteCount {
                let all = changed.entries.flatMap { Self.bytes(of: .given($0)) }
                guard size <= Self.spareByteCount + 2 * all.count else { return try self.file.replace(all, .power) }
            }
            do throws(DurableFileError) {
                try self.file.append(bytes, at: self.byteCount, durability)
            } catch {
                // A failed write is not acknowledged, and may not be on disk: no later reader may rely on it.
                try? self.file.append([], at: self.byteCount, .process)
                throw error
            }
        } catch {
            throw SharingError(.badProfile, "\(error); check the disk and the owner")
        }
    }

    /// The changes that make one list of answers of another: answers are added at the end, and no answer gets its bytes back.
    private static func changes(from before: GivenAnswers, to after: GivenAnswers) -> [Change] {
        var known = before.entries[...]
        return after.entries.compactMap { entry in
            guard let place = known.firstIndex(where: { $0.digest == entry.digest && $0.time == entry.time }) else {
                return .given(entry)
            }
            defer { known = known[(place + 1)...] }
            return entry.undelivered == nil && known[place].undelivered != nil ? .done(entry.digest) : nil
        }
    }

    // MARK: Bytes

    private static func check(_ change: some Sequence<UInt8>) -> [UInt8] {
        Array(SHA256.hash(data: Data(change)).prefix(self.checkByteCount))
    }

    private static func bytes(of change: Change) -> [UInt8] {
        var body = ByteWriter()
        switch change {
        case .given(let entry):
            body.integer(Kind.given.rawValue)
            body.fixed(entry.request.bytes)
            body.fixed(entry.digest.bytes)
            body.fixed(entry.grant.bytes)
            body.integer(entry.time.milliseconds)
            // No signed answer is empty.
            body.counted(entry.undelivered ?? [])
        case .done(let digest):
            body.integer(Kind.done.rawValue)
            body.fixed(digest.bytes)
        }
        var writer = ByteWriter()
        writer.counted(body.bytes)
        writer.fixed(self.check(body.bytes))
        return writer.bytes
    }

    /// Returns the complete change at an offset, and where it ends.
    private static func change(in bytes: [UInt8], at offset: Int) -> (Change, end: Int)? {
        guard bytes.count - offset > 2, let kind = Kind(rawValue: bytes[offset + 2]) else { return nil }
        let start = offset + 2
        let middle = start + Int(bytes[offset]) << 8 + Int(bytes[offset + 1])
        let end = middle + self.checkByteCount
        guard middle > start, end <= bytes.count else { return nil }
        let body = bytes[start..<middle]
        guard bytes[middle..<end].elementsEqual(self.check(body)) else { return nil }
        var reader = ByteReader(Array(body.dropFirst()), name: "a given answer")
        guard let change = try? self.change(kind, &reader) else { return nil }
        return (change, end)
    }

    private static func change(_ kind: Kind, _ reader: inout ByteReader) throws -> Change {
        let change: Change
        switch kind {
        case .given:
            let request = try reader.value(RequestID.byteCount, RequestID.init(bytes:))
            let digest = try reader.value(RequestDigest.byteCount, RequestDigest.init(bytes:))
            let grant = try reader.value(GrantID.byteCount, GrantID.init(bytes:))
            let time = try reader.time()
            let answer = try reader.counted()
            change = .given(
                GivenAnswers.Entry(
                    request: request,
                    digest: digest,
                    grant: grant,
                    time: time,
                    undelivered: answer.isEmpty ? nil : answer
                )
            )
        case .done: change = .done(try reader.value(RequestDigest.byteCount, RequestDigest.init(bytes:)))
        }
        try reader.end()
        return change
    }
}
