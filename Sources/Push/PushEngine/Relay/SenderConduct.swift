internal import DequeModule
internal import WhereaboutsVocabulary

/// Tracks one sender's pushes in progress and mistakes, and its wait after too many mistakes.
///
/// ```
///   ┌──────┐ 50 of the last 100 had a token that Apple does not know  ┌─────────┐
///   │ free │ ───────────────────────────────────────────────────────▶ │ waiting │
///   └──────┘ ◀──────────────────────── an hour ────────────────────── └─────────┘
/// ```
///
/// APNs slows down a connection with many errors, and all senders share the relay's connections. The end of a wait is stored, so that
/// the wait survives a restart of the gateway. The outcomes of pushes are not stored: the next process counts mistakes from zero.
struct SenderConduct: Sendable, Hashable {
    /// Where the sender is in the diagram above.
    enum State: Sendable, Hashable {
        /// The sender may send. `ends` are the outcomes of its last pushes, true for a mistake.
        case free(ends: Deque<Bool>)
        /// The sender must not send until then.
        case waiting(until: EngineInstant)
    }

    private(set) var state: State
    private(set) var underWay = 0
    /// When the last check that was not a mistake ended.
    private var checkedAt: EngineInstant?

    /// Creates the conduct of a sender that may send.
    init() {
        self.state = .free(ends: [])
    }

    /// Creates the conduct of a sender that must wait because of an earlier process.
    init(waitingUntil end: EngineInstant) {
        self.state = .waiting(until: end)
    }

    /// Returns why the sender must not send now; nil if it may send.
    func refusal(now: EngineInstant) -> RelayRefusal? {
        if self.waits(now: now) != nil { return .mistakes }
        return self.underWay >= Relay.underWayMax ? .tooManyAtOnce : nil
    }

    /// Returns how long the sender must still wait; nil if it need not wait.
    func waits(now: EngineInstant) -> Duration? {
        switch self.state {
        case .free: nil
        case .waiting(let until): now < until ? now.duration(to: until) : nil
        }
    }

    /// Records a sent push.
    mutating func pushSent() {
        self.underWay += 1
    }

    /// Records a push without an outcome of Apple: it was not sent, or its outcome could not be written.
    mutating func pushForgotten() {
        self.underWay -= 1
    }

    /// Actions returned by ``pushEnded(isMistake:isCheck:now:)``.
    enum OnPushEnded: Sendable, Hashable {
        case ignore
        /// Report that the sender must wait from now on.
        case noteWait
    }

    /// Records the outcome of a push; a mistake is a token that Apple does not know.
    ///
    /// A check uses an unknown token on purpose. One a minute is tolerated; otherwise a monitor would lock out a small sender.
    mutating func pushEnded(isMistake: Bool, isCheck: Bool = false, now: EngineInstant) -> OnPushEnded {
        self.underWay -= 1
        if isMistake, isCheck, self.checkedAt.map({ now >= $0.advanced(by: Relay.checkPause) }) ?? true {
            self.checkedAt = now
            return .ignore
        }
        let (next, action) = self.onEnd(isMistake: isMistake, now: now)
        self.state = next
        return action
    }

    private func onEnd(isMistake: Bool, now: EngineInstant) -> (State, OnPushEnded) {
        var ends: Deque<Bool>
        switch self.state {
        // The push was in progress when the wait began, or is the first one after the wait.
        case .waiting(let until):
            guard now >= until else { return (self.state, .ignore) }
            ends = []
        case .free(let before): ends = before
        }
        if ends.count == Relay.endsRemembered { ends.removeFirst() }
        ends.append(isMistake)
        guard ends.count(where: \.self) >= Relay.mistakesMax else { return (.free(ends: ends), .ignore) }
        return (.waiting(until: now.advanced(by: Relay.wait)), .noteWait)
    }
}
