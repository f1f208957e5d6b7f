package import WhereaboutsVocabulary

/// One request on the requester's side, from its posting to its final state.
///
/// ```
///            attemptFailed, busy                              streamLost
///          ┌───────────────────────▶ pausing      following ─────────────────▶ apart
///       posting ◀───────────────────────┘             ▲ │  ◀────────────────────┘
///          │                 deadline                 │ │            deadline
///          └────────────── accepted ──────────────────┘ └─ told answered ─▶ opening
///
///   every state ── deadline of the question, an error that a retry cannot fix, a final state ──▶ ended
/// ```
///
/// Exactly one final state is reported, because every other state has a deadline, which is never later than the request's own. A
/// state that a new stream repeats is reported once. Ignored races: any input after the end, results of an abandoned
/// stream or attempt, an early deadline.
package struct Asking: Sendable, Hashable {
    /// Where the request is in the diagram above.
    package enum State: Sendable, Hashable {
        /// The request is being posted to the server.
        case posting(Attempts)
        /// The server was not reached, or was busy; the request is posted again at `again`.
        case pausing(Attempts, again: EngineInstant)
        /// The server has the request, and a stream of its states is open or being opened.
        case following
        /// The server has the request, but the stream broke; another is opened at `again`.
        case apart(again: EngineInstant)
        /// The device's answer is here, still sealed.
        case opening(RequestState)
        /// The final state was reported.
        case ended
    }

    /// The server's reply to the request.
    package enum Reply: Sendable, Hashable {
        /// The request is on the server's disk.
        case accepted
        /// The server refuses the request with this sentence, at this time of its clock; it names no rule, or
        /// ``Refusal/unknownDevice``.
        case refused(String, rule: Refusal? = nil, serverTime: WallTime?)
        /// The server accepts the request only later, with this sentence.
        case tooSoon(String, until: WallTime?)
        /// The server is busy, and says so with this sentence.
        case busy(String)
        /// The server rejects the request, with this sentence.
        case rejected(String)
    }

    package enum Input: Sendable, Hashable {
        /// The server replied to the post.
        case replied(Reply)
        /// The post got no reply in time, with this sentence.
        case attemptFailed(String)
        /// The stream sent a state, and with `answered` the signed answer.
        case told(RequestState, answer: [UInt8]?)
        /// The stream ended or could not be opened; another attempt may succeed.
        case streamLost
        /// The server does not show the request's states, with this sentence.
        case streamRefused(String)
        /// The answer's signature is valid, and it was opened.
        case opened(Verified<SealedAnswer>, Answer)
        /// The answer is malformed, forged, or does not open.
        case unreadable(SharingError)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Post the signed request, and report the result within this time.
        case post(timeout: Duration)
        /// Open a stream of the request's states.
        case follow
        /// Verify and open this signed answer.
        case open([UInt8])
        /// Show the requester why the server has not accepted the request yet; the post is repeated.
        case explain(String)
        case tell(RequestUpdate)
        /// Report the final state to the requester, and stop.
        case end(RequestUpdate)
    }

    package private(set) var state: State
    private let request: Request
    private let policy: SharingPolicy
    /// The server's address, for people.
    private let server: String
    private let begun: EngineInstant
    private let patience: Duration
    /// The reason why the last attempt to post failed; nil if it did not.
    private var failure: String?
    private var pauses = Attempts.backoff
    // Looked up by kind, never iterated.
    private var told: Set<RequestState.Kind> = []

    /// Starts to ask.
    ///
    /// - Parameters:
    ///   - request: the request, which its author signs.
    ///   - server: the server's address, for people.
    ///   - patience: how long to wait in all; greater than zero.
    ///   - policy: the numbers that the server presumably decides by.
    ///   - now: the time.
    /// - Returns: the machine and its first effects.
    package static func began(
        _ request: Request,
        server: String,
        patience: Duration,
        policy: SharingPolicy = SharingPolicy(),
        now: EngineInstant
    ) -> (machine: Asking, effects: [Effect]) {
        let machine = Asking(request, server: server, patience: patience, policy: policy, now: now)
        return (machine, [machine.post(Attempts(now: now), now: now)])
    }

    private init(_ request: Request, server: String, patience: Duration, policy: SharingPolicy, now: EngineInstant) {
        self.state = .posting(Attempts(now: now))
        self.request = request
        self.policy = policy
        self.server = server
        self.begun = now
        self.patience = patience
    }

    private var giveUp: EngineInstant { self.begun.advanced(by: self.patience) }

    /// When to feed ``Input/deadlineReached``, or nil at the end.
    package var deadline: EngineInstant? {
        switch self.state {
        case .posting, .following, .opening: self.giveUp
        case .pausing(_, let again), .apart(let again): min(again, self.giveUp)
        case .ended: nil
        }
    }

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - now: the time.
    ///   - generator: draws the lengths of the pauses.
    /// - Returns: the effects, to be carried out in this order.
    package mutating func handle(
        _ input: Input,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch input {
        case .replied(let reply): self.replied(reply, now: now, using: &generator)
        case .attemptFailed(let why): self.attemptFailed(why, now: now, using: &generator)
        case .told(let state, let answer): self.told(state, answer: answer, now: now)
        case .streamLost: self.streamLost(now: now, using: &generator)
        case .streamRefused(let why): self.streamRefused(why, now: now)
        case .opened(let sealed, let answer): self.opened(sealed.value, answer, now: now)
        case .unreadable(let error): self.unreadable(error, now: now)
        case .deadlineReached: self.deadlineReached(now: now)
        }
    }

    // MARK: Posting

    private mutating func replied(
        _ reply: Reply,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard case .posting = self.state else { return [] }
        switch reply {
        case .accepted:
            self.failure = nil
            self.state = .following
            return [.follow]
        case .refused(_, let rule?, _):
            return self.end(self.update(RequestState(.refused, at: now.wall, rule: rule), now: now))
        case .refused(let why, nil, let serverTime): return self.refused(why, serverTime, now: now)
        case .tooSoon(let why, let until): return self.end(.tooSoon, why, at: until, now: now)
        case .busy(let why): return self.attemptFailed(why, now: now, using: &generator)
        case .rejected(let why): return self.end(.failed, why, now: now)
        }
    }

    /// Ends with the rule that the request breaks, as far as its author can find out from the grant and the server's
    /// clock.
    private mutating func refused(_ why: String, _ serverTime: WallTime?, now: Now) -> [Effect] {
        if let clock = self.clockFault(serverTime, now: now.wall) { return self.end(.refused, clock, now: now) }
        // Use our own clock: the server sends whole seconds, and a grant issued within this second would not be valid yet.
        let refusal = self.request.refusal(isRevoked: false, policy: self.policy, now: now.wall)
        guard let refusal else { return self.end(.refused, why, now: now) }
        guard refusal == .outsideHours, let hours = self.request.grant.value.hours else {
            return self.end(self.update(RequestState(.refused, at: now.wall, rule: refusal), now: now))
        }
        return self.end(self.update(RequestState(.tooSoon, at: hours.opening(from: now.wall), rule: refusal), now: now))
    }

    private func clockFault(_ serverTime: WallTime?, now: WallTime) -> String? {
        guard let serverTime else { return nil }
        let ahead = serverTime.duration(to: now)
        guard ahead > self.policy.clockSkewMax || ahead < .zero - self.policy.clockSkewMax else { return nil }
        let (seconds, way) = (abs(ahead.components.seconds), ahead > .zero ? "ahead of" : "behind")
        return "Your clock is \(seconds) s \(way) the server's; set it, and ask again."
    }

    private mutating func attemptFailed(
        _ why: String,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard case .posting(var attempts) = self.state else { return [] }
        switch attempts.attemptFailed(now: now.monotonic, using: &generator) {
        case .tryAgain(let again):
            self.state = .pausing(attempts, again: again)
            // Report a reason once, however many attempts fail for it.
            guard why != self.failure else { return [] }
            self.failure = why
            return [.explain(why)]
        case .giveUp: return self.end(.failed, why, now: now)
        }
    }

    private func post(_ attempts: Attempts, now: EngineInstant) -> Effect {
        .post(timeout: min(attempts.timeout(now: now), now.duration(to: self.giveUp)))
    }

    // MARK: Following

    private mutating func told(_ state: RequestState, answer: [UInt8]?, now: Now) -> [Effect] {
        guard case .following = self.state, self.told.insert(state.kind).inserted else { return [] }
        self.pauses.reset()
        guard state.kind.isFinal else { return [.tell(self.update(state, now: now))] }
        guard state.kind == .answered else { return self.end(self.update(state, now: now)) }
        guard let answer else {
            return self.end(.failed, "The server reports an answer but does not send it; ask again.", now: now)
        }
        self.state = .opening(state)
        return [.open(answer)]
    }

    private mutating func streamLost(now: Now, using generator: inout some RandomNumberGenerator) -> [Effect] {
        // A lost connection loses no state: the server sends all of them again.
        guard case .following = self.state else { return [] }
        self.state = .apart(again: now.monotonic.advanced(by: self.pauses.next(using: &generator)))
        return []
    }

    private mutating func streamRefused(_ why: String, now: Now) -> [Effect] {
        guard case .following = self.state else { return [] }
        return self.end(.failed, why, now: now)
    }

    // MARK: Opening

    private mutating func opened(_ sealed: SealedAnswer, _ answer: Answer, now: Now) -> [Effect] {
        guard case .opening(let told) = self.state else { return [] }
        guard sealed.sharer == self.request.grant.value.sharer, sealed.request == self.request.id else {
            return self.end(.failed, "The answer is not from the sharer, or not to this request; ask again.", now: now)
        }
        return self.end(self.update(RequestState(answer.content, told: told), answer, now: now))
    }

    private mutating func unreadable(_ error: SharingError, now: Now) -> [Effect] {
        guard case .opening = self.state else { return [] }
        return self.end(.failed, error.message, now: now)
    }

    // MARK: Time

    private mutating func deadlineReached(now: Now) -> [Effect] {
        guard let deadline = self.deadline, now.monotonic >= deadline else { return [] }
        guard now.monotonic < self.giveUp else {
            let words = "No final state came from \(self.server) within \(self.patience)"
            return self.end(.expired, self.failure.map { "\(words): \($0)" } ?? "\(words).", now: now)
        }
        switch self.state {
        case .pausing(let attempts, _):
            self.state = .posting(attempts)
            return [self.post(attempts, now: now.monotonic)]
        case .apart:
            self.state = .following
            return [.follow]
        case .posting, .following, .opening, .ended: return []
        }
    }

    // MARK: The end

    private mutating func end(
        _ kind: RequestState.Kind,
        _ reason: String,
        at time: WallTime? = nil,
        now: Now
    ) -> [Effect] {
        self.end(self.update(RequestState(kind, at: time ?? now.wall, reason: reason), now: now))
    }

    private mutating func end(_ update: RequestUpdate) -> [Effect] {
        self.state = .ended
        return [.end(update)]
    }

    private func update(_ state: RequestState, _ answer: Answer? = nil, now: Now) -> RequestUpdate {
        RequestUpdate(state: state, elapsed: self.begun.duration(to: now.monotonic), answer: answer)
    }
}
