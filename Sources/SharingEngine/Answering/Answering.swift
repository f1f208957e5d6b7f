package import Vocabulary

/// One push on a sharer's device: one measurement, then the answer to the push's request and to those that wait behind it.
///
/// ```
///              300 ms: say so         2 s: say so
///  measuring ─────────────────▶ woken ────────────▶ locating              attemptFailed
///      └───────────────────────────┴───────────────────┘             ┌───────────────────▶ pausing
///                      │ measured                                    │                       │
///                      └─────────────────────────────────────▶ answering ◀───────────────────┘
///                                                              │  │  ▲         deadline
///                                                              │  └──┘ delivered or rejected: one waits
///                                                              ▼
///                                                  ended: none waits, given up
/// ```
///
/// A refusal takes the same course: one that came at once, and never after a report, would tell the server what it is.
///
/// A device that has its fix within 300 ms tells nothing on the way, so that the whole exchange is one connection and one
/// request; the answer's own timings say the rest. The reports are sent beside the measuring and nothing waits for them: one
/// that is lost costs the requester a line.
///
/// A request that waits is remembered only when it is its turn, so that a device that dies on the way leaves the rest to their
/// own pushes. Ignored races: a fix after the end, words of an attempt that was given up, an early deadline.
package struct Answering: Sendable, Hashable {
    /// How long after the push the requester is told that the device heard of it, unless the answer is there.
    ///
    /// Source: our choice; a recent fix is at hand within some milliseconds, and a person waits that long without a word.
    package static let quietPeriod: Duration = .milliseconds(300)
    /// How long after the push the requester is told that the device is measuring, unless the answer is there.
    ///
    /// Source: our choice; a receiver that has its satellites measures once a second, one that searches takes half a minute.
    package static let searchPeriod: Duration = .seconds(2)

    /// Where the device is in the diagram above.
    package enum State: Sendable, Hashable {
        /// A fix is awaited; the requester has heard nothing.
        case measuring(began: EngineInstant)
        /// A fix is awaited; the requester knows that the device heard of the request.
        case woken(began: EngineInstant)
        /// A fix is awaited; the requester knows that it takes longer.
        case locating
        /// An answer is sealed and on its way to the server.
        case answering(Attempts)
        /// The server was not reached with the answer; it is posted again at `again`.
        case pausing(Attempts, again: EngineInstant)
        /// Nothing more is answered.
        case ended
    }

    /// A fact from outside.
    package enum Input: Sendable, Hashable {
        /// A fix came, or the reason why there is none.
        case measured(Answer.Content)
        /// The server has the answer, and these are the other requests that wait for the device, oldest first.
        case delivered(pending: [Verified<Request>])
        /// The server was not reached with the answer.
        case attemptFailed(SharingError)
        /// The server does not take the answer.
        case rejected(SharingError)
        /// The host's timer fired; legal at every time.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Get a fix, and say what came of it.
        case measure
        /// Tell the server how far the device is with the request; nothing waits for it.
        case report(DeviceProgress, Receipt)
        /// Seal this answer to the request, sign it, and keep it for ``post(timeout:)``.
        case seal(Answer.Content, Receipt)
        /// Post the answer that was sealed last, and say what came of it within this time.
        case post(timeout: Duration)
        /// Drop whatever is under way; with an error, an answer was not delivered.
        case end(SharingError?)
    }

    /// Where the device is.
    package private(set) var state: State
    /// The request whose turn it is.
    private var receipt: Receipt
    private let sharer: PublicIdentity
    private let policy: SharingPolicy
    /// The measurement, the same for every request; nil until there is one.
    private var content: Answer.Content?
    /// The requests that wait for the device, as the server told them last.
    private var waiting: [Verified<Request>] = []
    /// Why an answer was not taken; the others are given all the same.
    private var failure: SharingError?

    /// Begins with the request that the push carried.
    ///
    /// - Parameters:
    ///   - receipt: the request.
    ///   - records: the device's records.
    ///   - policy: the numbers to decide by.
    ///   - now: the time.
    /// - Returns: the machine and its first effects.
    package static func began(
        _ receipt: Receipt,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        now: Now
    ) -> (machine: Answering, effects: [Effect]) {
        var machine = Answering(receipt, policy: policy, now: now.monotonic)
        let effects = machine.turn(to: receipt, records, now: now)
        return (machine, effects)
    }

    private init(_ receipt: Receipt, policy: SharingPolicy, now: EngineInstant) {
        self.state = .measuring(began: now)
        self.receipt = receipt
        self.sharer = receipt.request.grant.value.sharer
        self.policy = policy
    }

    /// When to feed ``Input/deadlineReached``, or nil while nothing depends on time: whoever measures has a bound of its own.
    package var deadline: EngineInstant? {
        switch self.state {
        case .measuring(let began): began.advanced(by: Self.quietPeriod)
        case .woken(let began): began.advanced(by: Self.searchPeriod)
        case .pausing(_, let again): again
        case .locating, .answering, .ended: nil
        }
    }

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - records: the device's records.
    ///   - now: the time.
    ///   - generator: where the pauses come from.
    /// - Returns: the effects, to be carried out in this order.
    package mutating func handle(
        _ input: Input,
        _ records: some SharerRecords,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch input {
        case .measured(let content): self.measured(content, records, now: now)
        case .delivered(let pending): self.delivered(pending, records, now: now)
        case .attemptFailed(let error): self.attemptFailed(error, now: now.monotonic, using: &generator)
        case .rejected(let error): self.rejected(error, records, now: now)
        case .deadlineReached: self.deadlineReached(now: now.monotonic)
        }
    }

    private mutating func turn(to receipt: Receipt, _ records: some SharerRecords, now: Now) -> [Effect] {
        self.receipt = receipt
        if let content = self.content { return self.answer(content, records, now: now) }
        self.state = .measuring(began: now.monotonic)
        return [.measure]
    }

    private mutating func measured(_ content: Answer.Content, _ records: some SharerRecords, now: Now) -> [Effect] {
        switch self.state {
        case .measuring, .woken, .locating:
            self.content = content
            return self.answer(content, records, now: now)
        case .answering, .pausing, .ended: return []
        }
    }

    private mutating func answer(
        _ content: Answer.Content,
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        do throws(SharingError) {
            let said = try self.receipt.permitted(content, records, policy: self.policy, now: now.wall)
            let attempts = Attempts(now: now.monotonic)
            self.state = .answering(attempts)
            return [.seal(said, self.receipt), .post(timeout: attempts.timeout(now: now.monotonic))]
        } catch {
            return self.end(error)
        }
    }

    private mutating func delivered(
        _ pending: [Verified<Request>],
        _ records: some SharerRecords,
        now: Now
    ) -> [Effect] {
        guard case .answering = self.state else { return [] }
        self.waiting = pending
        return self.next(records, now: now)
    }

    /// Turns to the next request that waits, or to the end.
    private mutating func next(_ records: some SharerRecords, now: Now) -> [Effect] {
        while !self.waiting.isEmpty {
            // A request that is not answered here (seen before, not ours, a full disk) is left to its push or its deadline.
            let decided = try? Receipt.requestReceived(
                self.waiting.removeFirst(),
                by: self.sharer,
                records,
                policy: self.policy,
                now: now.wall
            )
            if case .answer(let receipt)? = decided { return self.turn(to: receipt, records, now: now) }
        }
        return self.end(self.failure)
    }

    private mutating func attemptFailed(
        _ error: SharingError,
        now: EngineInstant,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard case .answering(var attempts) = self.state else { return [] }
        switch attempts.attemptFailed(now: now, using: &generator) {
        case .tryAgain(let again):
            self.state = .pausing(attempts, again: again)
            return []
        case .giveUp: return self.end(error)
        }
    }

    private mutating func rejected(_ error: SharingError, _ records: some SharerRecords, now: Now) -> [Effect] {
        guard case .answering = self.state else { return [] }
        self.failure = self.failure ?? error
        return self.next(records, now: now)
    }

    private mutating func deadlineReached(now: EngineInstant) -> [Effect] {
        guard let deadline = self.deadline, now >= deadline else { return [] }
        switch self.state {
        case .measuring(let began):
            self.state = .woken(began: began)
            return [.report(.woken, self.receipt)]
        case .woken:
            self.state = .locating
            return [.report(.locating, self.receipt)]
        case .pausing(let attempts, _):
            self.state = .answering(attempts)
            return [.post(timeout: attempts.timeout(now: now))]
        case .locating, .answering, .ended: return []
        }
    }

    private mutating func end(_ error: SharingError?) -> [Effect] {
        self.state = .ended
        return [.end(error)]
    }
}
