internal import Synchronization
internal import WhereaboutsDurableStorage
package import WhereaboutsSharingEngine
package import WhereaboutsVocabulary

/// The answers that the person's devices gave from this profile, and the uses of grants.
///
/// The other parts decide what else a request depends on: the grants, the device, the live shares.
package struct AnswerRecords: Sendable {
    private struct Claim: Hashable {
        let profile: String
        let request: RequestDigest
    }

    /// The requests that this process is answering; bounded by its pushes, each of which answers one at a time.
    private static let claims = Mutex<Set<Claim>>([])

    let grants: GrantFiles
    let device: DeviceFile
    let followings: FollowingFiles
    let journal: JournalFiles
    /// Whether an app continues the live shares that this process starts.
    let handsOver: Bool

    private var folder: ProfileFolder { self.journal.folder }

    /// Returns the remaining uses of a grant of this profile; nil when they are unlimited.
    ///
    /// - Throws: ``SharingError`` when the record is damaged.
    func usesLeft(of grant: Grant) throws -> UInt16? {
        guard grant.usesMax != nil else { return nil }
        let danger =
            "the uses of your grants are unknown, so grants with a number of uses are refused; delete it to start their counts again"
        return try self.folder.change("used", GrantUses.init(bytes:), danger) {
            (($0 ?? GrantUses()).left(of: grant), nil)
        }
    }

    private func changeAnswers<Action>(
        _ durability: DurableFile.Durability = .power,
        _ decide: (inout GivenAnswers) throws -> (action: Action, isChanged: Bool)
    ) throws -> Action {
        try self.folder.lock("answers") {
            let file = try self.folder.reading(
                "answers",
                "a request could be answered twice; delete it \(SharingPolicy().lifetimeMax.components.seconds) s after the last request",
                AnswersFile.init(path:)
            )
            var changed = file.answers
            let (action, isChanged) = try decide(&changed)
            if isChanged { try file.write(changed, durability) }
            return action
        }
    }
}

extension AnswerRecords: SharerRecords {
    package func isRevoked(_ grant: GrantID) -> Bool { self.grants.isRevoked(grant) }

    package var isRemoved: Bool { self.device.isRemoved }

    package func digest(of request: Request) -> RequestDigest { request.digest }

    /// Claims a request in this process; ``answered(_:_:saying:policy:now:)`` decides between processes.
    package func claim(_ request: RequestDigest) -> Bool {
        Self.claims.withLock { $0.insert(Claim(profile: self.folder.path, request: request)).inserted }
    }

    package func leave(_ request: RequestDigest) {
        Self.claims.withLock { _ = $0.remove(Claim(profile: self.folder.path, request: request)) }
    }

    package func followingRefusal(of request: Request, now: WallTime) -> Refusal? {
        self.handsOver ? self.followings.followingRefusal(of: request, now: now) : .cannotBeFollowed
    }

    package func hasEnded(_ following: Request) -> Bool { self.followings.hasEnded(following) }

    package func scheduleRefusal(of request: Request, now: WallTime) -> Refusal? {
        self.followings.scheduleRefusal(of: request, now: now)
    }

    package func received(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GivenAnswers.OnReceived {
        try self.changeAnswers { answers in
            (answers.received(request, request.digest, policy: policy, now: now), isChanged: false)
        }
    }

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
                try self.journal.file.append(JournalEntry(content, to: request, at: now), .power)
                self.grants.learn(request.grant)
            }
            return (action, isChanged: action == .answer)
        }
    }

    package func ended(_ answer: GivenAnswers.Undelivered, _ end: JournalEntry.End, now: WallTime) {
        // If a power failure or a full disk loses this record, the answer is posted once more.
        try? self.changeAnswers(.process) { answers in
            answers.delivered(answer.digest)
            try? self.journal.file.append(JournalEntry(end, of: answer, at: now), .process)
            return ((), isChanged: true)
        }
    }

    package var undelivered: [GivenAnswers.Undelivered] {
        (try? self.changeAnswers { answers in (answers.undelivered, isChanged: false) }) ?? []
    }

    package func use(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed {
        guard request.grant.value.isCounted else { return .answer }
        return try self.folder.change(
            "used",
            GrantUses.init(bytes:),
            "a grant could be used too often; delete it when the longest interval of your grants is over"
        ) { uses in
            var changed = uses ?? GrantUses()
            let action = changed.used(by: request, request.digest, policy: policy, now: now)
            return (action, action == .record ? changed.bytes : nil)
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
