internal import WhereaboutsDurableStorage
internal import WhereaboutsVocabulary

/// The journal, and which of its lines the person was notified of.
struct JournalFiles: Sendable {
    let folder: ProfileFolder
    let identity: Identity

    /// The lines on disk; the caller holds the lock of the answers.
    var file: JournalFile { JournalFile(path: self.folder.path(of: "journal"), identity: self.identity) }

    /// Appends an entry under the lock of the answers.
    func append(_ entry: JournalEntry) throws {
        try self.folder.lock("answers") { try self.file.append(entry, .power) }
    }

    func journal() throws -> Journal {
        let (links, ends) = try self.folder.lock("answers") { try self.file.links() }
        return Journal(links, ends: ends)
    }

    func news(now: WallTime) throws -> [Notice] {
        try self.changeTelling { telling in
            let told = telling.told
            let lines = try self.folder.lock("answers") { try self.file.lines(after: told) }
            return telling.looked(at: lines, now: now)
        }
    }

    func tell(_ pace: NoticePace) throws { try self.changeTelling { telling in telling.chosen(pace) } }

    private func changeTelling<Value>(_ decide: (inout NoticeLog) throws -> Value) throws -> Value {
        try self.folder.lock("told") {
            // If the file is damaged, the person is notified again.
            let before = self.folder.bytes(of: "told").flatMap { try? NoticeLog(bytes: $0) } ?? NoticeLog()
            var telling = before
            let value = try decide(&telling)
            if telling != before { try self.folder.replace("told", telling.bytes, .process) }
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
