internal import Foundation
internal import Synchronization
internal import WhereaboutsDurableStorage
package import WhereaboutsVocabulary

extension SharingProfile: SharerRecords {
    private struct Claim: Hashable {
        let profile: String
        let request: RequestDigest
    }

    /// The requests that this process is answering; bounded by its pushes, each of which answers one at a time.
    private static let claims = Mutex<Set<Claim>>([])

    package func digest(of request: Request) -> RequestDigest { request.digest }

    /// Claims a request in this process; ``answered(_:_:saying:policy:now:)`` decides between processes.
    package func claim(_ request: RequestDigest) -> Bool {
        Self.claims.withLock { $0.insert(Claim(profile: self.path, request: request)).inserted }
    }

    package func leave(_ request: RequestDigest) {
        Self.claims.withLock { _ = $0.remove(Claim(profile: self.path, request: request)) }
    }

    /// Returns what any process with this profile has recorded about a request.
    package func received(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GivenAnswers.OnReceived {
        try self.changeAnswers { answers in
            (answers.received(request, request.digest, policy: policy, now: now), isChanged: false)
        }
    }

    /// Records an answer, unless another process with this profile has recorded one.
    package func answered(
        _ request: Request,
        _ answer: [UInt8],
        saying content: Answer.Content,
        policy: SharingPolicy,
        now: WallTime
    ) throws -> GivenAnswers.OnReceived {
        try self.changeAnswers { answers in
            let action = answers.answered(request, request.digest, answer, policy: policy, now: now)
            if action == .answer {
                try self.journalFile.append(JournalEntry(content, to: request, at: now), .power)
                self.learn(request.grant)
            }
            return (action, isChanged: action == .answer)
        }
    }

    /// Stores a grant that another device of the person gave, so that it can be listed and revoked here; if
    /// the disk is full, the next request stores it.
    private func learn(_ grant: Signed<Grant>) {
        guard !FileManager.default.fileExists(atPath: "\(self.path)/grants/\(grant.value.id)") else { return }
        try? self.record(grant)
    }

    /// Records that an answer need not be sent any more.
    package func ended(_ answer: GivenAnswers.Undelivered, _ end: JournalEntry.End, now: WallTime) {
        // If a power failure or a full disk loses this record, the answer is posted once more.
        try? self.changeAnswers(.process) { answers in
            answers.delivered(answer.digest)
            try? self.journalFile.append(JournalEntry(end, of: answer, at: now), .process)
            return ((), isChanged: true)
        }
    }

    /// The answers that the server has not received.
    package var undelivered: [GivenAnswers.Undelivered] {
        (try? self.changeAnswers { answers in (answers.undelivered, isChanged: false) }) ?? []
    }

    /// Records a use of a grant, shared by all processes with this profile.
    package func use(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed {
        guard request.grant.value.isCounted else { return .answer }
        return try self.change(
            "used",
            GrantUses.init(bytes:),
            "a grant could be used too often; delete it when the longest interval of your grants is over"
        ) { uses in
            var changed = uses ?? GrantUses()
            let action = changed.used(by: request, request.digest, policy: policy, now: now)
            return (action, action == .record ? changed.bytes : nil)
        }
    }

    /// Returns the remaining uses of a grant of this profile; nil when they are unlimited.
    ///
    /// - Throws: ``SharingError`` when the record is damaged.
    public func usesLeft(of grant: Grant) throws -> UInt16? {
        guard grant.usesMax != nil else { return nil }
        return try self.change("used", GrantUses.init(bytes:), Self.usesUnknown) {
            (($0 ?? GrantUses()).left(of: grant), nil)
        }
    }

    private static let usesUnknown =
        "the uses of your grants are unknown, so grants with a number of uses are refused; delete it to start their counts again"

    private func changeAnswers<Action>(
        _ durability: DurableFile.Durability = .power,
        _ decide: (inout GivenAnswers) throws -> (action: Action, isChanged: Bool)
    ) throws -> Action {
        let path = "\(self.path)/answers"
        return try FileLock.hold("\(path).lock") {
            let file = try self.reading(
                path,
                "a request could be answered twice; delete it \(SharingPolicy().lifetimeMax.components.seconds) s after the last request"
            ) { try AnswersFile(path: path) }
            var changed = file.answers
            let (action, isChanged) = try decide(&changed)
            if isChanged { try file.write(changed, durability) }
            return action
        }
    }

    /// Reads a file with a message for the person if it is damaged.
    private func reading<Contents>(_ path: String, _ danger: String, _ read: () throws -> Contents) throws -> Contents {
        do {
            return try read()
        } catch {
            // The reader's error asks to get the input again from its author, which does not help with the person's own file.
            throw SharingError(
                .badProfile,
                "\(path) is damaged, and nothing was changed: restore it from a backup; without it \(danger)"
            )
        }
    }

    /// Calls `decide` with a file's contents, and replaces them if they changed, under a lock between processes.
    func change<Contents, Action>(
        _ name: String,
        _ read: ([UInt8]) throws -> Contents,
        _ danger: String,
        _ decide: (Contents?) throws -> (action: Action, bytes: [UInt8]?)
    ) throws -> Action {
        let path = "\(self.path)/\(name)"
        return try FileLock.hold("\(path).lock") {
            let contents: Contents? = try self.reading(path, danger) {
                FileManager.default.fileExists(atPath: path)
                    ? try read(Array(Data(contentsOf: URL(filePath: path)))) : nil
            }
            let (action, bytes) = try decide(contents)
            if let bytes { try ProfileFile.replace(path, bytes) }
            return action
        }
    }
}

extension GrantUses {
    /// The entries one after the other: the grant, the digest of the request, the date of the grant's pace in
    /// milliseconds since 1970, the count of uses, the time until which the entry is kept.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        for entry in self.entries {
            writer.fixed(entry.grant.bytes)
            writer.fixed(entry.request.bytes)
            writer.integer(entry.paidUntil.milliseconds)
            writer.integer(entry.count)
            writer.integer(entry.keptUntil.milliseconds)
        }
        return writer.bytes
    }

    /// Reads ``bytes``.
    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the list of used grants")
        var entries: [Entry] = []
        while !reader.isAtEnd {
            guard entries.count < Self.countMax else { throw reader.error("it has more than \(Self.countMax) entries") }
            entries.append(
                Entry(
                    grant: try reader.value(GrantID.byteCount, GrantID.init(bytes:)),
                    request: try reader.value(RequestDigest.byteCount, RequestDigest.init(bytes:)),
                    paidUntil: try reader.time(),
                    count: try reader.integer(),
                    keptUntil: try reader.time()
                )
            )
        }
        self.init(restoring: entries)
    }
}
