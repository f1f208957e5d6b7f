internal import Foundation
internal import WhereaboutsLocationEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The location push service extension of a ``FriendsApp``, as FindFriends has it: the machine of `Sharer` over the modelled
/// network.
final class FriendsExtension: SimulatedProcess {
    /// Half of the extension's time.
    private static let patience = Duration.seconds(15)
    private static let policy = SharingPolicy()

    /// One push that the extension is answering.
    private final class Work {
        let push: WhereaboutsVocabulary.PushID
        var answering: Answering
        var alarm: Alarm?
        /// The session and the stream that are held for the push.
        var holds: [UInt64] = []
        /// The live share or schedule whose answer is a position.
        var following: Signed<Request>?
        var hasFollowing = false

        init(_ push: WhereaboutsVocabulary.PushID, _ answering: Answering) {
            self.push = push
            self.answering = answering
        }
    }

    private var works: [Work] = []

    private lazy var records = Home.Records(device: self.device, bundle: self.bundle)

    override func received(_ push: Push) {
        switch self.device.misbehaviours[self.bundle] ?? .none {
        case .none, .fails: break
        // A silent extension gets no push; this one became silent while it ran.
        case .hangs, .silent: return
        case .crashes:
            return self.later(.milliseconds(20)) { [unowned self] in
                guard case .pushExtension(let launch) = self.role else { return }
                self.device.perform { try self.device.endExtension(launch, .signalled(11)) }
            }
        }
        guard let receipt = self.receive(push) else { return self.device.completed(push.id, self) }
        let (answering, effects) = Answering.began(
            receipt,
            self.records,
            policy: Self.policy,
            now: self.device.engineNow
        )
        let work = Work(push.id, answering)
        work.alarm = Alarm(self) { [unowned self, weak work] in
            if let work { self.feed(.deadlineReached, to: work) }
        }
        self.works.append(work)
        self.perform(effects, work)
    }

    /// Returns nil if the push must not be answered, or its request cannot be stored.
    private func receive(_ push: Push) -> Receipt? {
        guard let signed = self.request(in: push.payload), let verified = ModelNotary.verified(signed) else {
            return nil
        }
        let decided = try? Receipt.requestReceived(
            verified,
            by: self.device.profile(of: self.bundle).identity,
            self.records,
            policy: Self.policy,
            now: self.device.engineNow.wall
        )
        guard case .answer(let receipt)? = decided else { return nil }
        return receipt
    }

    override func told(_ update: Update, of stream: UInt64) {
        guard let work = self.works.first(where: { $0.holds.contains(stream) }) else { return }
        if let fix = update.fix, let shared = try? SharedFix(fix) {
            self.feed(.measured(.fix(shared)), to: work)
        } else if !update.diagnostics.isDisjoint(with: [.authorizationDenied, .insufficientlyInUse]) {
            self.feed(.measured(.unavailable("not allowed")), to: work)
        }
    }

    // MARK: The machine

    private func feed(_ input: Answering.Input, to work: Work) {
        let now = self.device.engineNow
        let effects = work.answering.handle(input, self.records, now: now, using: &self.device.random)
        self.perform(effects, work)
    }

    private func perform(_ effects: [Answering.Effect], _ work: Work) {
        for effect in effects {
            switch effect {
            case .measure: self.measure(work)
            case .report(let progress, let receipt): self.report(progress, receipt, work)
            case .withdraw: self.device.world.census.add("a question is withdrawn")
            case .ask(let receipt, _): self.ask(receipt.digest, work)
            case .seal(let content, let receipt):
                if case .fix = content, receipt.request.begins { work.following = receipt.signed }
                self.feed(self.sealed(content, receipt), to: work)
            case .post(let answer, let timeout):
                self.begin(work)
                self.post(answer, work, timeout: timeout)
            case .end:
                // The session is held until the last answer is delivered.
                // For a live share the updates stay open, so that the app is launched to continue (ADR 0070).
                if !work.hasFollowing { for hold in work.holds { self.invalidate(hold) } }
                self.works.removeAll { $0 === work }
                self.device.completed(work.push, self)
            }
        }
        work.alarm?.follow(work.answering.deadline)
    }

    // MARK: The app's own code

    /// Asks the person, who allows, refuses, does not answer, or answers too late.
    private func ask(_ request: RequestDigest, _ work: Work) {
        let delay = Duration.milliseconds(Int.random(in: 1000...25_000, using: &self.device.random))
        let choice = Int.random(in: 0..<4, using: &self.device.random)
        guard choice < 3 else { return }
        self.later(delay) { [unowned self] in
            let isAllowed = choice < 2
            self.device.world.census.add("a person is asked and says \(isAllowed ? "yes" : "no")")
            if isAllowed { self.device.world.auditors.privacy.consented(to: request) }
            self.feed(.consented(request, isAllowed: isAllowed), to: work)
        }
    }

    private func measure(_ work: Work) {
        // In the order of the code it models: the session first.
        if !self.device.plan(of: self.bundle).isClassic { work.holds.append(self.take(session: .always)) }
        work.holds.append(self.read(.live(.default)))
        self.later(Self.patience) { [unowned self] in self.feed(.measured(.unavailable("no fix")), to: work) }
    }

    private func begin(_ work: Work) {
        guard let following = work.following else { return }
        work.following = nil
        // On a full disk the answer is still sent, but no updates follow.
        let hasBegun = (try? self.device.begin(following, of: self.bundle)) != nil
        work.hasFollowing = hasBegun && following.value.followMinutes != nil
    }

    private func sealed(_ content: Answer.Content, _ receipt: Receipt) -> Answering.Input {
        let request = receipt.request
        self.device.world.auditors.privacy.sealed(content, in: receipt.signed, by: self)
        do {
            let info = receipt.signed.info
            let sealed = try self.device.sealing.seal(to: request.publicKey, suite: request.suite, info: info) {
                Answer(content: content, timings: DeviceTimings(started: .zero, fix: .zero, sealed: .zero)).paddedBytes
            }
            let answer = SealedAnswer(request: request.id, sharer: request.grant.value.sharer, sealed: sealed)
            return .sealed(ModelNotary.sign(answer).bytes)
        } catch {
            self.device.world.fail("an answer could not be sealed: \(error)")
            return .unsealable(SharingError(.cannotOpen, "\(error)"))
        }
    }

    // MARK: The network

    private func report(_ progress: DeviceProgress, _ receipt: Receipt, _ work: Work) {
        let (request, server) = (receipt.request, self.device.world.server)
        let report = DeviceReport(request: request.id, sharer: request.grant.value.sharer, progress: progress)
        self.device.world.call(from: self.device.id, to: server, timeout: Attempts.patience) {
            try server.report(ModelNotary.sign(report))
        } then: { [self] result in
            guard case .success(.over?) = result else { return }
            self.run { self.feed(.requestEnded(receipt.digest), to: work) }
        }
    }

    private func post(_ answer: GivenAnswers.Undelivered, _ work: Work, timeout: Duration) {
        let (server, poster) = (self.device.world.server, self.device.profile(of: self.bundle).standing?.id)
        self.device.world.auditors.privacy.posted(answer, by: self)
        self.device.world.auditors.disks.posts(answer, self.device, self.bundle)
        self.device.world.call(from: self.device.id, to: server, timeout: timeout) {
            try server.answer(Signed<SealedAnswer>(bytes: answer.answer), by: poster)
        } then: { [self] result in
            self.run { self.feed(Self.reply(result), to: work) }
        }
    }

    private static func reply(_ result: Result<Server.OnAnswer?, NetworkError>) -> Answering.Input {
        switch result {
        case .failure: .attemptFailed(SharingError(.network, "no reply"))
        case .success(nil): .attemptFailed(SharingError(.refused, "the disk is full"))
        case .success(.unknown?): .rejected(SharingError(.refused, "unknown"))
        case .success(.deliver(.answered, let pending, _)?):
            .delivered(pending: pending.compactMap(ModelNotary.verified))
        case .success(.deliver(_, let pending, _)?):
            .came(tooLate: SharingError(.refused, "ended"), pending: pending.compactMap(ModelNotary.verified))
        }
    }

    private func request(in payload: [UInt8]) -> Signed<Request>? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any],
            let sealed = try? PushPayload.sealed(in: object)
        else { return nil }
        let key = self.device.profile(of: self.bundle).pushKey
        return try? SealedPush.open(sealed, with: key, topic: self.bundle.rawValue, self.device.sealing)
    }
}

extension SharedFix {
    /// The fix that a friend receives, as FindFriends makes it from a `CLLocation`.
    init(_ fix: Fix) throws {
        try self.init(
            latitude: Double(fix.latitude) / 1e7,
            longitude: Double(fix.longitude) / 1e7,
            horizontalAccuracy: Double(fix.horizontalAccuracy ?? 0) / 1000,
            time: fix.time.wholeMilliseconds,
            speed: fix.speed.map { Double($0) / 1000 }
        )
    }
}
