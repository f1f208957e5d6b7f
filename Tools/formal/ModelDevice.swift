internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// One device of the sharer: its disk and the processes that answer on it.
struct ModelDevice: Hashable, Sendable {
    /// A process of the app's extension.
    struct Process: Hashable, Sendable {
        var machine: Answering
        /// The request that its person is asked about, if there is one.
        var question: Request?
        var claims: Set<RequestDigest>

        func hash(into hasher: inout Hasher) {
            hasher.combine(self.claims)
            hasher.combine(self.question?.modelDigest)
        }
    }

    var answers = GivenAnswers()
    var uses = GrantUses()
    var revoked: Set<GrantID> = []
    var processes: [Process] = []

    var isMeasuring: Bool {
        self.processes.contains { process in
            if case .answering = process.machine.state { false } else { true }
        }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.revoked)
        for entry in self.answers.entries { hasher.combine(entry) }
        for entry in self.uses.entries { hasher.combine(entry) }
        for process in self.processes { hasher.combine(process) }
    }
}

/// The records of a device while one of its machines decides.
final class ModelDeviceRecords: SharerRecords {
    var device: ModelDevice
    var claims: Set<RequestDigest>
    private let missing: Setting.Rule?

    init(_ device: ModelDevice, claims: Set<RequestDigest>, missing: Setting.Rule?) {
        self.device = device
        self.claims = claims
        self.missing = missing
    }

    func isRevoked(_ grant: GrantID) -> Bool {
        self.missing != .revocationsAreKept && self.device.revoked.contains(grant)
    }

    func digest(of request: Request) -> RequestDigest { request.modelDigest }

    func claim(_ request: RequestDigest) -> Bool { self.claims.insert(request).inserted }

    func leave(_ request: RequestDigest) { self.claims.remove(request) }

    func received(_ request: Request, policy: SharingPolicy, now: WallTime) -> GivenAnswers.OnReceived {
        self.device.answers.received(request, request.modelDigest, policy: policy, now: now)
    }

    func use(_ request: Request, policy: SharingPolicy, now: WallTime) -> GrantUses.OnUsed {
        let digest = self.missing == .usesHaveDigests ? request.digestOfID : request.modelDigest
        return self.device.uses.used(by: request, digest, policy: policy, now: now)
    }

    func answered(
        _ request: Request,
        _ answer: [UInt8],
        saying content: Answer.Content,
        policy: SharingPolicy,
        now: WallTime
    ) -> GivenAnswers.OnReceived {
        guard self.missing != .answersAreKept else { return .answer }
        return self.device.answers.answered(request, request.modelDigest, answer, policy: policy, now: now)
    }

    func ended(_ answer: GivenAnswers.Undelivered, _ end: JournalEntry.End, now: WallTime) {
        self.device.answers.delivered(answer.digest)
    }

    var undelivered: [GivenAnswers.Undelivered] { self.device.answers.undelivered }
}
