internal import Synchronization
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A device's records in memory; ``died()`` simulates the end of its process.
final class ModelRecords: SharerRecords {
    struct Full: Error {}

    private struct Contents {
        var answers = GivenAnswers()
        var uses = GrantUses()
        var journal: [JournalEntry] = []
        var revoked: Set<GrantID> = []
        var isRemoved = false
        var claims: Set<RequestDigest> = []
        var isFull = false
        var followingRefusal: Refusal? = .cannotBeFollowed
        var ended: Set<Request> = []
    }

    private let contents = Mutex(Contents())

    var answered: [RequestID] { self.contents.withLock { $0.answers.entries.map(\.request) } }

    var journal: [JournalEntry] { self.contents.withLock { $0.journal } }

    var claims: Set<RequestDigest> { self.contents.withLock { $0.claims } }

    func revoke(_ grant: GrantID) { self.contents.withLock { _ = $0.revoked.insert(grant) } }

    func removed() { self.contents.withLock { $0.isRemoved = true } }

    var isRemoved: Bool { self.contents.withLock { $0.isRemoved } }

    func fill() { self.contents.withLock { $0.isFull = true } }

    func end(_ following: Request) { self.contents.withLock { _ = $0.ended.insert(following) } }

    func hasEnded(_ following: Request) -> Bool { self.contents.withLock { $0.ended.contains(following) } }

    func refuseFollowing(_ refusal: Refusal?) { self.contents.withLock { $0.followingRefusal = refusal } }

    func followingRefusal(of request: Request, now: WallTime) -> Refusal? {
        self.contents.withLock { $0.followingRefusal }
    }

    func died() { self.contents.withLock { $0.claims = [] } }

    func isRevoked(_ grant: GrantID) -> Bool { self.contents.withLock { $0.revoked.contains(grant) } }

    func digest(of request: Request) -> RequestDigest {
        guard let digest = try? SharingEngineTests.digest(of: request) else {
            preconditionFailure("a digest has \(RequestDigest.byteCount) bytes")
        }
        return digest
    }

    func claim(_ request: RequestDigest) -> Bool { self.contents.withLock { $0.claims.insert(request).inserted } }

    func leave(_ request: RequestDigest) { self.contents.withLock { _ = $0.claims.remove(request) } }

    func received(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GivenAnswers.OnReceived {
        self.contents.withLock { $0.answers.received(request, self.digest(of: request), policy: policy, now: now) }
    }

    func answered(
        _ request: Request,
        _ answer: [UInt8],
        saying content: Answer.Content,
        policy: SharingPolicy,
        now: WallTime
    ) throws -> GivenAnswers.OnReceived {
        try self.contents.withLock { contents in
            guard !contents.isFull else { throw Full() }
            let digest = self.digest(of: request)
            let action = contents.answers.answered(request, digest, answer, policy: policy, now: now)
            if action == .answer { contents.journal.append(JournalEntry(content, to: request, at: now)) }
            return action
        }
    }

    func ended(_ answer: GivenAnswers.Undelivered, _ end: JournalEntry.End, now: WallTime) {
        self.contents.withLock { contents in
            contents.answers.delivered(answer.digest)
            contents.journal.append(JournalEntry(end, of: answer, at: now))
        }
    }

    var undelivered: [GivenAnswers.Undelivered] { self.contents.withLock { $0.answers.undelivered } }

    func use(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed {
        try self.contents.withLock { contents in
            guard !contents.isFull else { throw Full() }
            return contents.uses.used(by: request, self.digest(of: request), policy: policy, now: now)
        }
    }
}
