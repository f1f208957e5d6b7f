package import WhereaboutsVocabulary

/// A live share on the follower's side, from the first answer to the end.
///
/// ```
///            streamLost
///  watching ───────────▶ apart          an end of either side, the time, silence for too long,
///      ▲                   │             a server that does not show it
///      └─────── deadline ──┘             ──────────────────────────────────────────────────▶ ended
/// ```
///
/// Exactly one end is reported, because a live share has an end time. If an update is older than the update before it, the server
/// repeated or reordered it, and the fault is reported. The newest update, sent again on a new stream, is reported once. A missing
/// update shows in the number of the next. If the last updates are missing, silence shows it: each update says how long the next
/// may take. Ignored races: any input after the end, events of an abandoned stream, an early deadline.
package struct Watching: Sendable, Hashable {
    /// The tolerated silence after the answer, while the device's system launches the app.
    ///
    /// Source: our choice; the time of two keepalives.
    package static let handOver: Duration = .seconds(60)
    /// How long after an exceeded silence the live share is given up.
    ///
    /// Source: our choice; longer than a tunnel, or airplane mode over lunch.
    package static let patience: Duration = .seconds(3600)
    /// How long after its time a live share ends for its follower, so that the device's own message can arrive first.
    ///
    /// Source: our choice; the device sends the end at once.
    package static let grace: Duration = .seconds(5)

    /// Where the follower is in the diagram above.
    package enum State: Sendable, Hashable {
        /// A stream of updates is open, or being opened.
        case watching
        /// The stream broke; another is opened at `again`.
        case apart(again: EngineInstant)
        /// The end was reported.
        case ended
    }

    package enum Input: Sendable, Hashable {
        /// An update with a valid signature was opened.
        case opened(Verified<SealedUpdate>, FollowedUpdate)
        /// An update is malformed, forged, or does not open.
        case unreadable(SharingError)
        /// A signed end arrived.
        case ended(Verified<FollowingEnd>)
        /// The server reports the end for this reason, without a signature.
        case closed(FollowingEnd.Reason)
        /// The stream ended or could not be opened; another attempt may succeed.
        case streamLost
        /// The server does not show the following, with this sentence.
        case streamRefused(String)
        /// The follower stopped.
        case stopped
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Open a stream of the updates.
        case watch
        case tell(FollowUpdate)
        /// Sign an end, and post it.
        case post(FollowingEnd.Reason)
        /// Report the end to the follower, and stop everything but the post.
        case end(FollowUpdate)
    }

    package private(set) var state: State = .watching
    private let request: Request
    private let end: EngineInstant
    /// When the silence becomes too long; nil after it was reported.
    private var silentAt: EngineInstant?
    private var lostAt: EngineInstant
    private var heardAt: EngineInstant
    private var newest: FollowedUpdate.Number?
    /// The pauses between attempts to read.
    ///
    /// Source: our choice; at first as short as for other exchanges, and 360 attempts in an hour without the server.
    private var pauses = Backoff(from: Attempts.backoff.shortest, to: .seconds(10))

    /// Starts with a request that was answered with a position.
    ///
    /// - Parameters:
    ///   - request: the request, which asks to follow.
    ///   - now: the time.
    /// - Returns: the machine and its first effects.
    package static func began(_ request: Request, now: Now) -> (machine: Watching, effects: [Effect]) {
        (Watching(request, now: now), [.watch])
    }

    private init(_ request: Request, now: Now) {
        self.request = request
        let left = request.followingEnd.map { now.wall.duration(to: $0) } ?? .zero
        self.end = now.monotonic.advanced(by: max(.zero, left) + Self.grace)
        self.heardAt = now.monotonic
        let silentAt = now.monotonic.advanced(by: Self.handOver)
        self.silentAt = silentAt
        self.lostAt = silentAt.advanced(by: Self.patience)
    }

    /// When to feed ``Input/deadlineReached``, or nil at the end.
    package var deadline: EngineInstant? {
        let bound = min(self.end, self.silentAt ?? self.lostAt)
        return switch self.state {
        case .watching: bound
        case .apart(let again): min(again, bound)
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
        now: EngineInstant,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard self.state != .ended else { return [] }
        return switch input {
        case .opened(let sealed, let update): self.opened(sealed.value, update, now: now)
        case .unreadable(let error): [.tell(.disturbed(error.message))]
        case .ended(let end): self.ended(end.value)
        case .closed(let reason): self.end(reason, "The server says: \(reason.words)")
        case .streamLost: self.streamLost(now: now, using: &generator)
        case .streamRefused(let why): [.post(.byFollower)] + self.end(.lost, why)
        case .stopped: [.post(.byFollower)] + self.end(.byFollower)
        case .deadlineReached: self.deadlineReached(now: now)
        }
    }

    private mutating func opened(_ sealed: SealedUpdate, _ update: FollowedUpdate, now: EngineInstant) -> [Effect] {
        guard sealed.request == self.request.id, sealed.sharer == self.request.grant.value.sharer else {
            return [.tell(.disturbed("The server sent an update of another live share."))]
        }
        self.pauses.reset()
        if let newest, update.number <= newest {
            return update.number == newest ? [] : [.tell(.disturbed("The server sent an old update again."))]
        }
        let missed = update.number.missed(after: self.newest)
        self.newest = update.number
        self.heardAt = now
        let silentAt = now.advanced(by: .seconds(Int64(update.silenceMax)))
        self.silentAt = silentAt
        self.lostAt = silentAt.advanced(by: Self.patience)
        return [.tell(.place(update.place, at: update.time, missed: missed))]
    }

    private mutating func ended(_ end: FollowingEnd) -> [Effect] {
        guard end.isOf(self.request) else {
            return [.tell(.disturbed("The server sent the end of another live share."))]
        }
        return self.end(end.reason)
    }

    private mutating func streamLost(now: EngineInstant, using generator: inout some RandomNumberGenerator) -> [Effect]
    {
        guard case .watching = self.state else { return [] }
        self.state = .apart(again: now.advanced(by: self.pauses.next(using: &generator)))
        return []
    }

    private mutating func deadlineReached(now: EngineInstant) -> [Effect] {
        guard let deadline = self.deadline, now >= deadline else { return [] }
        if now >= self.end { return self.end(.time) }
        var effects: [Effect] = []
        if let silentAt, now >= silentAt {
            self.silentAt = nil
            effects.append(.tell(.silent(self.heardAt.duration(to: now))))
        }
        if self.silentAt == nil, now >= self.lostAt { return effects + [.post(.lost)] + self.end(.lost) }
        if case .apart(let again) = self.state, now >= again {
            self.state = .watching
            effects.append(.watch)
        }
        return effects
    }

    private mutating func end(_ reason: FollowingEnd.Reason, _ words: String? = nil) -> [Effect] {
        self.state = .ended
        return [.end(.ended(reason, words ?? reason.words))]
    }
}
