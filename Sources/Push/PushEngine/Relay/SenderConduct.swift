internal import DequeModule
internal import WhereaboutsVocabulary

/// The conduct of one sender: its pushes in progress, and its wait after mistakes.
///
/// ```
///   ┌──────┐ 50 of the last 100 had a token that Apple does not know  ┌─────────┐
///   │ free │ ───────────────────────────────────────────────────────▶ │ waiting │
///   └──────┘ ◀──────────────────────── an hour ────────────────────── └─────────┘
/// ```
///
/// APNs slows a connection down on which errors pile up, and all senders share the relay's. A wait outlives the gateway's process,
/// whose store has its end; the ends of pushes do not: the next process counts mistakes again.
struct SenderConduct: Sendable, Hashable {
    /// Where the sender is in the diagram above.
    enum State: Sendable, Hashable {
        /// It may send; the outcomes of its last pushes, true for a mistake.
        case free(ends: Deque<Bool>)
        /// It may not send until then.
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

    /// Creates the conduct of a sender that waits since an earlier process.
    init(waitingUntil end: EngineInstant) {
        self.state = .waiting(until: end)
    }

    /// Returns why it may not send now; nil: it may.
    func refusal(now: EngineInstant) -> RelayRefusal? {
        if self.waits(now: now) != nil { return .mistakes }
        return self.underWay >= Relay.underWayMax ? .tooManyAtOnce : nil
    }

    /// Returns how long it still waits; nil: it does not.
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
        /// Note that it waits from now on.
        case noteWait
    }

    /// Records the outcome of a push; a mistake is a token that Apple does not know.
    ///
    /// A check uses an unknown token on purpose. An occasional one is no mistake, or a monitor would lock out a sender with few pushes.
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
        // Pushes that were in progress when the wait began, or the first ones after it.
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
