internal import Foundation
internal import WhereaboutsDurableStorage
internal import WhereaboutsVocabulary

extension SharingProfile {
    /// The lines of the journal on disk; the caller holds the lock of the answers.
    var journalFile: JournalFile { JournalFile(path: self.path + "/journal", identity: self.identity) }

    /// Reads the journal, and checks that it is whole.
    ///
    /// - Throws: ``SharingError`` when the disk cannot be read.
    public func journal() throws -> Journal {
        let (links, ends) = try FileLock.hold(self.path + "/answers.lock") { try self.journalFile.links() }
        return Journal(links, ends: ends)
    }

    /// Chooses how the person is notified of the answers that their device gives.
    public func tell(_ pace: NoticePace) throws {
        try self.changeTelling { telling in telling.chosen(pace) }
    }

    /// Returns the new notices for the person; each answer is reported only once, to whichever process asks first.
    ///
    /// An app calls this when it is launched, and its extension after each answer; both show the notices.
    ///
    /// - Throws: ``SharingError`` when the disk fails; the next call returns the notices.
    public func news() throws -> [Notice] {
        try self.changeTelling { telling in
            let told = telling.told
            let lines = try FileLock.hold(self.path + "/answers.lock") { try self.journalFile.lines(after: told) }
            return telling.looked(at: lines, now: .now)
        }
    }

    private func changeTelling<Value>(_ decide: (inout NoticeLog) throws -> Value) throws -> Value {
        let path = self.path + "/told"
        return try FileLock.hold(path + ".lock") {
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) }
            // If the file is damaged, the person is notified again.
            var telling = bytes.flatMap { try? NoticeLog(bytes: $0) } ?? NoticeLog()
            let before = telling
            let value = try decide(&telling)
            if telling != before { try ProfileFile.replace(path, telling.bytes, .process) }
            return value
        }
    }
}

extension NoticeLog {
    /// How often the person is notified, the number of the last line of which they were notified, and the time of that
    /// notice in milliseconds since 1970, if there was one.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(self.pace.rawValue)
        writer.integer(self.told)
        if let since = self.since { writer.integer(since.milliseconds) }
        return writer.bytes
    }

    /// Reads ``bytes``.
    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the record of the person's notices")
        let pace = try reader.enumeration(NoticePace.self)
        let told = try reader.integer(UInt64.self)
        let since = reader.isAtEnd ? nil : try reader.time()
        try reader.end()
        self.init(pace: pace, told: told, since: since)
    }
}
