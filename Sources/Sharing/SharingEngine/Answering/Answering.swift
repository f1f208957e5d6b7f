package import WhereaboutsVocabulary

/// Handles one push on a sharer's device: one measurement, then the answers to the push's request and to those that
/// wait behind it.
///
/// ```
///                     300 ms: say so         2 s: say so
///  the turn ─▶ measuring ──────────▶ woken ─────────────▶ locating ◀─ the turn of one whose person is asked
///                  └───────────────────┴─────────┬──────────┘ └──────┐
///                                                │ measured          │ measured; the person's word is awaited
///                                                │                   ▼
///                                                │◀─────────────── asking ◀─ the same turn, with a measurement
///                                                │ yes; time over    │
///                                                │                   │ yes; the measurement is old
///                                                │                   ▼
///                                                │◀────────────── renewing ◀─ the turn, with an old measurement
///                                                │ measured; 3 s over
///                                                ▼                             attemptFailed
///  the turn, with a fresh measurement ──────▶ sealing ──── sealed ──▶ answering ─────────────▶ pausing
///                                                │                     │  ▲  ▲                    │
///                                     unsealable │       ┌─────────────┘  │  └──── deadline ──────┘
///                                                ▼       ▼ delivered, rejected
///                                             the next turn ──────────────┘ an answer was kept
///                                                │
///                                                ▼ none waits, given up, out of time
///                                              ended
/// ```
///
/// A refusal passes through the same states. If it came at once, without reports, the server could tell it from an answer.
///
/// A measurement is used for 2 s. For a request that is answered later, because it waited behind another one or for its person, the device
/// measures again (`renewing`). If it has no new position within 3 s, it sends the old one with its time, which is better than none.
///
/// Under a grant that asks the person, the device reports this at once and every 4 s, measures while it waits, and reports nothing else. Only
/// a yes has an effect when it arrives. A no, no answer, any other broken rule, and a grant that is revoked after the yes all cause the same
/// refusal at the end of the person's time. So the time of a refusal does not reveal that the person saw the question. A request that breaks
/// another rule shows no question. If the receiver has no fix by the end of the person's time, the device stops waiting for it, and seals the
/// refusal from `locating`.
///
/// A device that has its fix within 300 ms sends no reports, so that the exchange needs one connection and one request; the
/// answer contains the timings. Reports are sent while the device measures, and nothing waits for them: a lost report only
/// hides a step from the requester. If the reply to a report says that the request has ended, the question is withdrawn.
///
/// An answer is on disk before it is sent (``GivenAnswers``). If it cannot be delivered while the process may run, it stays
/// there: the request's next push delivers it, or another push after its own requests. Waiting requests are claimed one after
/// the other, the oldest first, so that a process that runs out of time leaves the others to their own pushes. Ignored races: a
/// fix after the end, results of an abandoned attempt, an early deadline.
package struct Answering: Sendable, Hashable {
    /// How long a process answers, of the extension's 30 s.
    ///
    /// Source: our choice; the rest is for an attempt in progress, and for the end of the process.
    package static let patience: Duration = .seconds(25)
    /// The time after the push at which the requester is notified that the device was woken, unless the answer was sent.
    ///
    /// Source: our choice; a recent fix is at hand within some milliseconds, and a person accepts that wait without a progress line.
    package static let quietPeriod: Duration = .milliseconds(300)
    /// The time after the push at which the requester is notified that the device is measuring, unless the answer was sent.
    ///
    /// Source: our choice; a receiver with satellites in view measures once a second, a receiver that searches takes half a minute.
    package static let searchPeriod: Duration = .seconds(2)
    /// The age up to which a measurement also answers other requests.
    ///
    /// Source: our choice; a walker moves 3 m meanwhile, a car 70 m. The device answers an app's one-shot request with such a fix, too.
    package static let freshPeriod: Duration = .seconds(2)
    /// How long a device with an old position waits for a new one.
    ///
    /// Source: our choice; the receiver was on within the last 25 s, and gets its next fix within a second or two.
    package static let renewalPeriod: Duration = .seconds(3)

    /// The time that a person has to answer a question.
    ///
    /// Source: our choice; a process answers for 25 s, and the rest allows one attempt to post.
    package static let consentPeriod: Duration = .seconds(20)
    /// The time that is left for posting after a person's time.
    ///
    /// Source: one attempt, ``Attempts/attemptMax``.
    package static let postPeriod: Duration = .seconds(5)
    /// The shortest time in which a person can be asked; with less, a request is left to its own push.
    ///
    /// Source: our choice; enough to read a line and tap, with the device in hand.
    package static let consentPeriodMin: Duration = .seconds(5)

    /// How often a device that asks its person reports this; the reply says whether the requester still waits.
    ///
    /// A device that shows no question reports as often, so that the server sees no difference.
    ///
    /// Source: our choice; a withdrawn question stays open for at most this long, and five reports are small.
    package static let askingPeriod: Duration = .seconds(4)

    /// Where the device is in the diagram above.
    package enum State: Sendable, Hashable {
        /// Waiting for a fix; the requester has no report yet.
        case measuring(began: EngineInstant)
        /// Waiting for a fix; the requester knows that the device was woken.
        case woken(began: EngineInstant)
        /// Waiting for a fix; the requester knows that measuring takes longer.
        case locating
        /// Measured; waiting for the person's answer.
        case asking
        /// The measurement is old; the device waits for a new one until then.
        case renewing(Answer.Content, until: EngineInstant)
        /// This answer is being sealed.
        case sealing(Answer.Content)
        /// An answer is on disk, and being posted to the server.
        case answering(Attempts)
        /// The server could not be reached; the answer is posted again at `again`.
        case pausing(Attempts, again: EngineInstant)
        /// The machine answers no more requests.
        case ended
    }

    /// A measurement, or the reason why there is none.
    private struct Measurement: Sendable, Hashable {
        let content: Answer.Content
        let measured: EngineInstant
    }

    /// A person's answer about one request.
    private enum Consent: Sendable, Hashable {
        /// The grant does not require the person's approval.
        case notNeeded
        /// The person said yes; a refusal for another reason is still reported only at that instant.
        case given(until: EngineInstant)
        /// The answer may arrive until then.
        case awaited(until: EngineInstant)
        /// The person said no, which is reported at that instant.
        case declined(until: EngineInstant)
        case missing

        var until: EngineInstant? {
            switch self {
            case .awaited(let until), .declined(let until): until
            case .notNeeded, .given, .missing: nil
            }
        }

        var isGiven: Bool { if case .given = self { true } else { false } }
    }

    package enum Input: Sendable, Hashable {
        /// A fix arrived, or the reason why there is none.
        case measured(Answer.Content)
        /// The person answered the question about a request.
        case consented(RequestDigest, isAllowed: Bool)
        /// The server reports that a request has ended or was withdrawn, so that no answer is needed.
        case requestEnded(RequestDigest)
        /// The bytes of the sealed and signed answer.
        case sealed([UInt8])
        /// Nothing can be sealed to the request's key.
        case unsealable(SharingError)
        /// The server stored the answer; these other requests wait for the device, oldest first.
        case delivered(pending: [Verified<Request>])
        /// The server refused the answer because the request had ended; these others wait for the device.
        case came(tooLate: SharingError, pending: [Verified<Request>])
        /// The attempt to post the answer failed, and may be repeated.
        case attemptFailed(SharingError)
        /// The server rejects the answer.
        case rejected(SharingError)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Measure, and report the result.
        case measure
        /// Report the device's progress with the request, and whether it has ended; nothing waits for it.
        case report(DeviceProgress, Receipt)
        /// Ask the person whether the request may be answered, and report the answer within this time.
        case ask(Receipt, within: Duration)
        /// Withdraw the question about this request.
        case withdraw(Receipt)
        /// Seal this answer to the request, sign it, and report the result.
        case seal(Answer.Content, Receipt)
        /// Post a signed answer, and report the result within this time.
        case post(GivenAnswers.Undelivered, timeout: Duration)
        /// Stop; with an error, an answer was not delivered.
        case end(SharingError?)
    }

    package private(set) var state: State
    /// The request being answered, or the last one before stored answers.
    private var receipt: Receipt
    /// The request and the signed answer being posted.
    private var outgoing: GivenAnswers.Undelivered?
    /// Whether the posted answer is known to be a refusal, which is sent even under a revoked grant.
    private var isRefusal = false
    private let sharer: PublicIdentity
    private let policy: SharingPolicy
    /// When the process has to end.
    private let giveUp: EngineInstant
    /// The person's answer about the present request.
    private var consent = Consent.notNeeded
    /// When to report again that the person is asked.
    private var reportAt: EngineInstant?
    /// The last measurement, for every request while it is fresh; nil until there is one.
    private var measurement: Measurement?
    /// The waiting requests, as the server last listed them.
    private var waiting: [Verified<Request>] = []
    /// The requests whose stored answers are not tried again; used for lookup only.
    private var tried: Set<RequestDigest> = []
    /// The reason why the server refused an answer; the other answers are still sent.
    private var failure: SharingError?

    /// Starts with the request of the push.
    ///
    /// - Parameters:
    ///   - receipt: the request.
    ///   - records: the device's records.
    ///   - policy: the numbers to decide by.
    ///   - patience: how long the process may answer.
    ///   - now: the time.
    /// - Returns: the machine and its first effects.
    package static func began(
        _ receipt: Receipt,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        patience: Duration = Self.patience,
        now: Now
    ) -> (machine: Answering, effects: [Effect]) {
        var machine = Answering(receipt, policy: policy, patience: patience, now: now.monotonic)
        let effects = machine.turn(to: receipt, records, now: now)
        return (machine, effects)
    }

    private init(_ receipt: Receipt, policy: SharingPolicy, patience: Duration, now: EngineInstant) {
        self.state = .measuring(began: now)
        self.receipt = receipt
        self.sharer = receipt.request.grant.value.sharer
        self.policy = policy
        self.giveUp = now.advanced(by: patience)
    }

    /// When to pass ``Input/deadlineReached``; nil without a deadline.
    package var deadline: EngineInstant? {
        switch self.state {
        case .measuring(let began): began.advanced(by: Self.quietPeriod)
        case .woken(let began): began.advanced(by: Self.searchPeriod)
        case .pausing(_, let again): again
        case .renewing(_, let until): until
        case .locating, .asking: self.consent.until.map { min($0, self.reportAt ?? $0) }
        case .sealing, .answering, .ended: nil
        }
    }

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - records: the device's records.
    ///   - now: the time.
    ///   - generator: draws the lengths of the pauses.
    /// - Returns: the effects, to be carried out in this order.
    package mutating func handle(
        _ input: Input,
        _ records: some SharerRecords,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch input {
        case .measured(let content): self.measured(content, records, now: now)
        case .consented(let request, let isAllowed): self.consented(request, isAllowed: isAllowed, records, now: now)
        case .requestEnded(let request): self.requestEnded(request, records, now: now)
        case .sealed(let answer): self.sealed(answer, records, now: now)
        case .unsealable(let error): self.unsealable(error, records, now: now)
        case .delivered(let pending): self.arrived(.delivered, pending, records, now: now)
        case .came(tooLate: let error, let pending): self.came(tooLate: error, pending, records, now: now)
        case .attemptFailed(let error): self.attemptFailed(error, records, now: now.monotonic, using: &generator)
        case .rejected(let error): self.rejected(error, records, now: now)
        case .deadlineReached: self.deadlineReached(records, now: now)
        }
    }

    private mutating func turn(to receipt: Receipt, _ records: some SharerRecords, now: Now) -> [Effect] {
        self.receipt = receipt
        self.consent = .notNeeded
        if let kept = receipt.kept { return self.post(kept, records, now: now) }
        if receipt.request.grant.value.asksPerson { return self.ask(records, now: now) }
        if let measurement = self.measurement { return self.answerOrRenew(measurement, records, now: now) }
        self.state = .measuring(began: now.monotonic)
        return [.measure]
    }

    // MARK: Asking the person

    private mutating func ask(_ records: some SharerRecords, now: Now) -> [Effect] {
        let latest = self.giveUp - Self.postPeriod
        let until = min(now.monotonic.advanced(by: Self.consentPeriod), latest)
        let time = now.monotonic.duration(to: until)
        guard time >= Self.consentPeriodMin else { return self.pass(nil, records, now: now) }
        self.consent = .awaited(until: until)
        self.reportAt = now.monotonic.advanced(by: Self.askingPeriod)
        var effects: [Effect] = [.report(.asking, self.receipt)]
        if self.receipt.refusal == nil { effects.append(.ask(self.receipt, within: time)) }
        if self.measurement == nil {
            self.state = .locating
            effects.append(.measure)
        } else {
            self.state = .asking
        }
        return effects
    }

    private mutating func consented(
        _ request: RequestDigest,
        isAllowed: Bool,
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        guard request == self.receipt.digest, case .awaited(let until) = self.consent else { return [] }
        guard isAllowed, self.receipt.refusal == nil else {
            self.consent = .declined(until: until)
            return []
        }
        self.consent = .given(until: until)
        guard case .asking = self.state, let measurement = self.measurement else { return [] }
        return self.answerOrRenew(measurement, records, now: now)
    }

    private mutating func requestEnded(_ request: RequestDigest, _ records: some SharerRecords, now: Now) -> [Effect] {
        guard request == self.receipt.digest else { return [] }
        switch self.state {
        case .measuring, .woken, .locating, .asking, .renewing:
            let isAsked = self.receipt.request.grant.value.asksPerson
            return (isAsked ? [.withdraw(self.receipt)] : []) + self.pass(nil, records, now: now)
        // The reply to the answer will also report the end.
        case .sealing, .answering, .pausing, .ended: return []
        }
    }

    // MARK: Measuring and sealing

    private mutating func measured(_ content: Answer.Content, _ records: some SharerRecords, now: Now) -> [Effect] {
        switch self.state {
        case .measuring, .woken, .locating:
            self.measurement = Measurement(content: content, measured: now.monotonic)
            guard self.consent.until == nil else {
                self.state = .asking
                return []
            }
            return self.answer(content, records, now: now)
        case .renewing(let old, _):
            guard case .fix = content else { return self.answer(old, records, now: now) }
            self.measurement = Measurement(content: content, measured: now.monotonic)
            return self.answer(content, records, now: now)
        case .asking, .sealing, .answering, .pausing, .ended: return []
        }
    }

    /// Answers with a measurement, or measures again if the measurement is old and there is time.
    private mutating func answerOrRenew(
        _ measurement: Measurement,
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        let latest = self.giveUp - Self.postPeriod
        let until = min(now.monotonic.advanced(by: Self.renewalPeriod), latest)
        let isFresh = measurement.measured.duration(to: now.monotonic) < Self.freshPeriod
        guard !isFresh, until > now.monotonic else { return self.answer(measurement.content, records, now: now) }
        self.state = .renewing(measurement.content, until: until)
        return [.measure]
    }

    private mutating func answer(
        _ content: Answer.Content,
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        do throws(SharingError) {
            let said = try self.receipt.permitted(
                content,
                isConsented: self.consent.isGiven,
                records,
                policy: self.policy,
                now: now.wall
            )
            if case .refusal = said, case .given(let until) = self.consent, now.monotonic < until {
                // Reporting it at once would reveal that the person saw the question.
                self.consent = .declined(until: until)
                self.state = .asking
                return []
            }
            self.state = .sealing(said)
            return [.seal(said, self.receipt)]
        } catch {
            return self.pass(error, records, now: now)
        }
    }

    private mutating func sealed(_ answer: [UInt8], _ records: some SharerRecords, now: Now) -> [Effect] {
        guard case .sealing(let said) = self.state else { return [] }
        do {
            let request = self.receipt.request
            switch try records.answered(request, answer, saying: said, policy: self.policy, now: now.wall) {
            case .answer:
                let isRefusal = if case .refusal = said { true } else { false }
                return self.post(answer, isRefusal: isRefusal, records, now: now)
            // Another process has already recorded an answer.
            case .deliver(let kept): return self.post(kept, records, now: now)
            case .replayed: return self.pass(nil, records, now: now)
            case .grantFull, .full: return self.pass(Receipt.tooMany, records, now: now)
            }
        } catch {
            let error = SharingError(.badProfile, "the answer could not be stored, so it was not sent (\(error))")
            return self.pass(error, records, now: now)
        }
    }

    private mutating func unsealable(_ error: SharingError, _ records: some SharerRecords, now: Now) -> [Effect] {
        guard case .sealing = self.state else { return [] }
        return self.pass(error, records, now: now)
    }

    // MARK: Posting

    private mutating func post(
        _ answer: [UInt8],
        isRefusal: Bool = false,
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        let (request, digest) = (self.receipt.request, self.receipt.digest)
        let outgoing = GivenAnswers.Undelivered(
            request: request.id,
            digest: digest,
            grant: request.grant.value.id,
            answer: answer
        )
        return self.post(outgoing, isRefusal: isRefusal, records, now: now)
    }

    private mutating func post(
        _ outgoing: GivenAnswers.Undelivered,
        isRefusal: Bool = false,
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        (self.outgoing, self.isRefusal) = (outgoing, isRefusal)
        return self.attempt(outgoing, Attempts(until: self.giveUp), records, now: now)
    }

    private mutating func attempt(
        _ outgoing: GivenAnswers.Undelivered,
        _ attempts: Attempts,
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        // The grant was revoked while the answer waited: do not send it. Send a refusal, or its requester would wait for
        // nothing.
        guard !records.isVoid(outgoing.grant) || self.isRefusal && !records.isRemoved else {
            records.ended(outgoing, .withheld, now: now.wall)
            records.leave(outgoing.digest)
            return self.next(records, now: now)
        }
        self.state = .answering(attempts)
        return [.post(outgoing, timeout: attempts.timeout(now: now.monotonic))]
    }

    private mutating func came(
        tooLate error: SharingError,
        _ pending: [Verified<Request>],
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        guard case .answering = self.state else { return [] }
        self.failure = self.failure ?? error
        return self.arrived(.declined, pending, records, now: now)
    }

    private mutating func arrived(
        _ end: JournalEntry.End,
        _ pending: [Verified<Request>],
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        guard case .answering = self.state, let outgoing = self.outgoing else { return [] }
        records.ended(outgoing, end, now: now.wall)
        records.leave(outgoing.digest)
        // Requests that need the person come last: the others must not wait for an unrelated answer.
        self.waiting = pending.filter(\.value.isAnsweredAtOnce) + pending.filter { !$0.value.isAnsweredAtOnce }
        return self.next(records, now: now)
    }

    private mutating func rejected(_ error: SharingError, _ records: some SharerRecords, now: Now) -> [Effect] {
        guard case .answering = self.state, let outgoing = self.outgoing else { return [] }
        records.ended(outgoing, .declined, now: now.wall)
        records.leave(outgoing.digest)
        self.failure = self.failure ?? error
        return self.next(records, now: now)
    }

    private mutating func attemptFailed(
        _ error: SharingError,
        _ records: some SharerRecords,
        now: EngineInstant,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard case .answering(var attempts) = self.state, let outgoing = self.outgoing else { return [] }
        switch attempts.attemptFailed(now: now, using: &generator) {
        case .tryAgain(let again):
            self.state = .pausing(attempts, again: again)
            return []
        case .giveUp:
            records.leave(outgoing.digest)
            return self.end(error)
        }
    }

    // MARK: The next one

    /// Leaves a request unanswered for the given reason, and continues with the next one.
    private mutating func pass(_ error: SharingError?, _ records: some SharerRecords, now: Now) -> [Effect] {
        records.leave(self.receipt.digest)
        self.failure = self.failure ?? error
        return self.next(records, now: now)
    }

    /// Continues with the next waiting request, the next stored answer, or the end.
    private mutating func next(_ records: some SharerRecords, now: Now) -> [Effect] {
        guard now.monotonic < self.giveUp else { return self.end(self.failure) }
        while !self.waiting.isEmpty {
            // Skip a request that cannot be answered here (answered before, not ours, a full disk): its push or its deadline handles it.
            let decided = try? Receipt.requestReceived(
                self.waiting.removeFirst(),
                by: self.sharer,
                records,
                policy: self.policy,
                now: now.wall
            )
            if case .answer(let receipt)? = decided { return self.turn(to: receipt, records, now: now) }
        }
        for kept in records.undelivered where self.tried.insert(kept.digest).inserted {
            if records.claim(kept.digest) { return self.post(kept, records, now: now) }
        }
        return self.end(self.failure)
    }

    // MARK: Time

    private mutating func deadlineReached(_ records: some SharerRecords, now: Now) -> [Effect] {
        guard let deadline = self.deadline, now.monotonic >= deadline else { return [] }
        switch self.state {
        case .measuring(let began):
            self.state = .woken(began: began)
            return [.report(.woken, self.receipt)]
        case .woken:
            self.state = .locating
            return [.report(.locating, self.receipt)]
        case .pausing(let attempts, _):
            guard let outgoing = self.outgoing else { return [] }
            return self.attempt(outgoing, attempts, records, now: now)
        case .renewing(let old, _): return self.answer(old, records, now: now)
        case .locating, .asking:
            guard let until = self.consent.until, now.monotonic >= until else {
                self.reportAt = now.monotonic.advanced(by: Self.askingPeriod)
                return [.report(.asking, self.receipt)]
            }
            self.consent = .missing
            return self.answer(.refusal(.notConsented), records, now: now)
        case .sealing, .answering, .ended: return []
        }
    }

    // MARK: The end

    /// Records that the host stops before the end.
    package mutating func abandoned(_ records: some SharerRecords) {
        switch self.state {
        case .measuring, .woken, .locating, .asking, .renewing, .sealing: records.leave(self.receipt.digest)
        case .answering, .pausing: if let outgoing = self.outgoing { records.leave(outgoing.digest) }
        case .ended: return
        }
        self.state = .ended
    }

    private mutating func end(_ error: SharingError?) -> [Effect] {
        self.state = .ended
        return [.end(error)]
    }
}
