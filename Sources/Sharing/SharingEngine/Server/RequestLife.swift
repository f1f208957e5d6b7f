internal import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The life of one accepted request: for each input it is restored from the store, changed, and stored again.
///
/// ```
///  requestVerified ──▶ accepted ──pushAccepted──▶ pushed ──woken──▶ woken ──locating──▶ locating
///                        │  ▲ │                     │                 │                    │
///              deadline, │  └─┘ push again          ├─ answerReceived ┴────────────────────┤──▶ answered
///              rejected  ▼                          ▼ deadline                             ▼ deadline
///                   unreachable, failed          unreachable, expired               failed, expired
/// ```
///
/// A request that arrives while the device is being woken for another one begins as `waiting`, because that push serves it, too.
/// `waiting` leads to the same states as `accepted`, and to `accepted` itself when that push brought no answer to the request.
///
/// If the device asks its person, `accepted`, `pushed` and `woken` lead to `asking`, which ends as `locating` does. Its time limit begins
/// again then, because a person needs longer than a receiver.
///
/// When sharing is paused, a request for which no device has responded ends at once as `unreachable`. When a person removes a
/// device, each request of which that device was notified ends in the same way.
///
/// Exactly one final state is reached, because every other state has a deadline. A device may report and answer before the
/// reply of the push service arrives, so the arrows of `pushed` also leave `accepted`. Ignored races: any input after the
/// final state, progress to an earlier state, a second `pushAccepted`, an early or late deadline.
public struct RequestLife: Sendable, Hashable {
    /// Where the request is in the diagram above.
    public enum State: Sendable, Hashable {
        /// The request is stored. A push that is on its way to the device also serves it; at `nextPush` it gets a push
        /// of its own.
        case waiting(nextPush: WallTime, giveUp: WallTime)
        /// Stored; a push is in progress, and is sent again at `nextPush`.
        case accepted(nextPush: WallTime, giveUp: WallTime)
        /// The push service accepted the push; the device must answer by `giveUp`.
        case pushed(giveUp: WallTime)
        /// The device was woken; it must answer by `giveUp`.
        case woken(giveUp: WallTime)
        /// The device is measuring; it must answer by `giveUp`.
        case locating(giveUp: WallTime)
        /// The device waits for its person's answer; it must answer by `giveUp`.
        case asking(giveUp: WallTime)
        /// The sealed answer is stored.
        case answered
        /// The device never reported.
        case unreachable
        /// The request's own time ran out.
        case expired
        /// The device reported but did not answer, or the push could not be made.
        case failed
        /// The occurrence came too soon, and nothing was pushed.
        case skipped
    }

    /// A command to the host, which stores the machine itself first and then executes these in order.
    public enum Effect: Sendable, Hashable {
        /// Send a location push that carries the request to the sharer's device.
        case sendPush
        /// Charge a push to the device's budget, for a request without one so far.
        case payPush(WallTime)
        /// Send the state to the readers of the request's events.
        case announce(RequestState)
        case storeAnswer([UInt8])
        /// Record that the device's token accepts no pushes.
        case pauseDevice
    }

    /// The state in the diagram above.
    public private(set) var state: State
    /// The states so far, oldest first; at most six, since no state comes twice.
    public private(set) var history: [RequestState]
    /// When the request expires.
    public let expires: WallTime
    private let policy: SharingPolicy

    /// Restores a request from the store.
    public init(restoring state: State, history: [RequestState], expires: WallTime, policy: SharingPolicy) {
        self.state = state
        self.history = history
        self.expires = expires
        self.policy = policy
    }

    /// Whether another push also answers the request.
    package var isWaiting: Bool {
        if case .waiting = self.state { true } else { false }
    }

    /// Whether the request ended without an answer.
    package var hasEndedUnanswered: Bool { self.deadline == nil && self.state != .answered }

    /// When to call ``deadlineReached(wakeEnd:now:)``, or nil when the request is final.
    public var deadline: WallTime? {
        switch self.state {
        case .waiting(let nextPush, let giveUp), .accepted(let nextPush, let giveUp):
            min(nextPush, giveUp, self.expires)
        case .pushed(let giveUp), .woken(let giveUp), .locating(let giveUp), .asking(let giveUp):
            min(giveUp, self.expires)
        case .answered, .unreachable, .expired, .failed, .skipped: nil
        }
    }

    /// Records that the push service accepted the push.
    public mutating func pushAccepted(now: WallTime) -> [Effect] {
        guard case .accepted = self.state else { return [] }
        self.state = .pushed(giveUp: now.advanced(by: self.policy.allowance))
        return self.pushTaken(now: now)
    }

    /// Records that the push service accepted the push of another request, which also answers this one.
    public mutating func wakeAccepted(now: WallTime) -> [Effect] {
        guard case .waiting = self.state else { return [] }
        return self.pushTaken(now: now)
    }

    /// Requesters see the same states for their own push and a shared one: they must not learn about other requesters.
    private mutating func pushTaken(now: WallTime) -> [Effect] {
        guard !self.history.contains(where: { $0.kind == .pushed }) else { return [] }
        return self.announce(RequestState(.pushed, at: now, reason: "The push service accepted the push."))
    }

    /// Records that the device received the request in the reply to another answer; it has a moment to answer before a
    /// push is sent.
    public mutating func handedOver(now: WallTime) {
        guard case .waiting(_, let giveUp) = self.state else { return }
        self.state = .waiting(
            nextPush: now.advanced(by: self.policy.pushRetry),
            giveUp: max(giveUp, now.advanced(by: self.policy.allowance))
        )
    }

    /// Records that the shared push failed.
    public mutating func wakeFailed(now: WallTime) {
        guard case .waiting(let nextPush, let giveUp) = self.state else { return }
        self.state = .waiting(nextPush: min(nextPush, now), giveUp: giveUp)
    }

    /// Records that the push service did not accept the push.
    public mutating func pushRejected(_ rejection: PushRejection, now: WallTime) -> [Effect] {
        guard case .accepted(_, let giveUp) = self.state else { return [] }
        switch rejection {
        case .unregistered:
            return self.enter(.unreachable, Self.paused(at: now)) + [.pauseDevice]
        case .tokenRefused(let reason):
            return self.notReached("the push service does not know its token (\(reason.rawValue))", now: now)
        case .notNow(let reason): return self.notReached(reason, now: now)
        case .temporary:
            self.state = .accepted(nextPush: now.advanced(by: self.policy.pushRetry), giveUp: giveUp)
            return []
        case .permanent(let reason):
            return self.enter(
                .failed,
                RequestState(.failed, at: now, reason: "The server's push was rejected: \(reason).")
            )
        }
    }

    /// Records a signed progress report of the device.
    public mutating func deviceReported(_ progress: DeviceProgress, now: WallTime) -> [Effect] {
        let giveUp: WallTime
        switch (self.state, progress) {
        case (.waiting, _), (.accepted, _), (.pushed, .asking), (.woken, .asking):
            giveUp = now.advanced(by: self.policy.allowance)
        case (.pushed(let set), .woken), (.pushed(let set), .locating), (.woken(let set), .locating): giveUp = set
        case (.woken, .woken), (.locating, _), (.asking, _), (.answered, _), (.unreachable, _), (.expired, _),
            (.failed, _), (.skipped, _):
            return []
        }
        return switch progress {
        case .woken:
            self.enter(.woken(giveUp: giveUp), RequestState(.woken, at: now, reason: "The device was woken."))
        case .locating:
            self.enter(.locating(giveUp: giveUp), RequestState(.locating, at: now, reason: "The device is measuring."))
        case .asking:
            self.enter(
                .asking(giveUp: giveUp),
                RequestState(.asking, at: now, reason: "Waiting for their consent.")
            )
        }
    }

    /// Records the signed answer, with a valid signature.
    public mutating func answerReceived(_ answer: [UInt8], now: WallTime) -> [Effect] {
        guard self.deadline != nil else { return [] }
        return [.storeAnswer(answer)]
            + self.enter(.answered, RequestState(.answered, at: now, reason: "The device answered."))
    }

    /// Records that the requester no longer waits for the answer.
    public mutating func requesterLeft(now: WallTime) -> [Effect] {
        guard self.deadline != nil else { return [] }
        return self.enter(
            .expired,
            RequestState(.expired, at: now, reason: "The requester withdrew the request.")
        )
    }

    /// Records that sharing is paused: a device that has not reported yet no longer accepts the push.
    public mutating func devicePaused(now: WallTime) -> [Effect] {
        switch self.state {
        case .waiting, .accepted, .pushed: self.enter(.unreachable, Self.paused(at: now))
        case .woken, .locating, .asking, .answered, .unreachable, .expired, .failed, .skipped: []
        }
    }

    /// Records that the person removed the device that may have been notified of the request.
    public mutating func deviceRemoved(now: WallTime) -> [Effect] {
        guard self.deadline != nil else { return [] }
        let reason = "The device that was asked was removed. Ask again."
        return self.enter(.unreachable, RequestState(.unreachable, at: now, reason: reason))
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    ///
    /// - Parameters:
    ///   - wakeEnd: until when another push serves the request, if one is in progress.
    ///   - now: the time.
    /// - Returns: what to do.
    public mutating func deadlineReached(wakeEnd: WallTime? = nil, now: WallTime) -> [Effect] {
        guard let deadline = self.deadline, now >= deadline else { return [] }
        guard now < self.expires else {
            return self.enter(
                .expired,
                RequestState(.expired, at: now, reason: "The request expired before the device answered.")
            )
        }
        switch self.state {
        case .waiting(_, let giveUp) where now < giveUp:
            if let wakeEnd {
                self.state = .waiting(nextPush: wakeEnd, giveUp: giveUp)
                return []
            }
            self.state = .accepted(
                nextPush: now.advanced(by: self.policy.pushRetry),
                giveUp: now.advanced(by: self.policy.allowance)
            )
            return [.payPush(now), .sendPush]
        case .waiting:
            return self.enter(.unreachable, Self.notHeardOf(at: now))
        case .accepted(_, let giveUp) where now < giveUp:
            self.state = .accepted(nextPush: now.advanced(by: self.policy.pushRetry), giveUp: giveUp)
            return [.sendPush]
        case .accepted:
            return self.enter(
                .unreachable,
                RequestState(.unreachable, at: now, reason: "The push service could not be reached.")
            )
        case .pushed:
            return self.enter(.unreachable, Self.notHeardOf(at: now))
        case .woken:
            return self.enter(
                .failed,
                RequestState(.failed, at: now, reason: "The device was woken but did not answer in time.")
            )
        case .locating:
            return self.enter(
                .failed,
                RequestState(.failed, at: now, reason: "The device was measuring but had no fix in time.")
            )
        case .asking:
            return self.enter(
                .failed,
                RequestState(.failed, at: now, reason: "The device asked its person but did not answer in time.")
            )
        case .answered, .unreachable, .expired, .failed, .skipped:
            return []
        }
    }

    private mutating func notReached(_ reason: String, now: WallTime) -> [Effect] {
        self.enter(
            .unreachable,
            RequestState(.unreachable, at: now, reason: "The device was not reached: \(reason).")
        )
    }

    private mutating func enter(_ state: State, _ announced: RequestState) -> [Effect] {
        self.state = state
        return self.announce(announced)
    }

    private mutating func announce(_ state: RequestState) -> [Effect] {
        self.history.append(state)
        return [.announce(state)]
    }

    private static func notHeardOf(at now: WallTime) -> RequestState {
        RequestState(
            .unreachable,
            at: now,
            reason: "No response: the device may be off, offline, not unlocked since it started, or over its push "
                + "limit; or its app must be opened."
        )
    }

    static func paused(at now: WallTime) -> RequestState {
        RequestState(.unreachable, at: now, reason: "Sharing is paused on the device: it receives no location pushes.")
    }
}
