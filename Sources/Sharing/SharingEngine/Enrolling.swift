package import WhereaboutsVocabulary

/// Keeps the server informed about a sharer's app: its push token, or that sharing is paused.
///
/// ```
///           denied, notInUse                                  failed
///          ┌────────────────▶ telling paused ──────┐   ┌──────────────────▶ waiting
///       quiet                                      ├───┤                       │ deadline
///          └────────────────▶ fetching ──▶ telling ┘   └─▶ told ── deadline ───┘ (from the start)
///                 allowed               token
///
///   every state ── another permission ──▶ the same from the start, once the exchange under way is over
/// ```
///
/// It never gives up: otherwise the app would end its session, and the device would silently refuse each later push. Only one
/// exchange is in progress at a time, so that an older message never arrives after a newer one. Ignored races: an early
/// deadline, the result of an exchange that was not requested.
package struct Enrolling: Sendable, Hashable {
    /// The shortest wait before a retry.
    ///
    /// Source: our choice; a person may be looking at the app when it fails for the first time.
    package static let pauseMin: Duration = .seconds(1)
    /// The longest wait before a retry.
    ///
    /// Source: our choice; after an outage of a day, all sharers are registered again within some minutes.
    package static let pauseMax: Duration = .seconds(300)
    /// The time after which the app registers again.
    ///
    /// A gateway or server whose database was lost or restored from a backup has no registration, or an old one, and cannot tell the
    /// device. Friends are refused for at most this long.
    ///
    /// Source: our choice; one commit each 15 minutes, so that 10,000 devices cost the server 11 a second.
    package static let renewal: Duration = .seconds(900)

    /// The state that the server must have.
    private enum Wish: Sendable, Hashable {
        case shared
        /// Sharing is paused; the person sees this status once the server has stored it.
        case paused(SharingStatus)
    }

    /// Where the app is in the diagram above.
    package enum State: Sendable, Hashable {
        /// Nothing must be sent to the server.
        case quiet
        /// The device's token is being asked for.
        case fetching
        /// The token is being sent, empty while sharing is paused.
        case telling
        /// The exchange failed; it starts again at `again`.
        case waiting(again: EngineInstant)
        /// The server has stored the state; the app sends it again at `again`.
        case told(again: EngineInstant)
    }

    package enum Input: Sendable, Hashable {
        /// The system reported the app's permission.
        case permission(SharingPermission)
        /// The device has this token.
        case token([UInt8])
        /// The server has stored the token, or the pause.
        case heard
        /// There is no token, or the server was not reached or refused it.
        case failed(SharingError)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Request the device's token from the system, and report the result.
        case fetchToken
        /// Send the server the token, empty while sharing is paused, and report the result.
        case tell([UInt8])
        /// Show the person the state of sharing.
        case show(SharingStatus)
    }

    package private(set) var state: State = .quiet
    private var wish: Wish?
    /// The request that is in progress.
    private var underWay: Wish?
    private var pauses = Backoff(from: Self.pauseMin, to: Self.pauseMax)
    /// The last status shown to the person, which is not repeated.
    private var shown: SharingStatus?

    /// Creates the machine of an app with unknown permission.
    package init() {}

    /// When to feed ``Input/deadlineReached``, or nil while nothing depends on time; an exchange has its own time limit.
    package var deadline: EngineInstant? {
        switch self.state {
        case .waiting(let again), .told(let again): again
        case .quiet, .fetching, .telling: nil
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
        switch input {
        case .permission(let permission): self.permitted(permission)
        case .token(let token): self.tokenCame(token)
        case .heard: self.heard(now: now)
        case .failed(let error): self.failed(error, now: now, using: &generator)
        case .deadlineReached: self.deadlineReached(now: now)
        }
    }

    private mutating func permitted(_ permission: SharingPermission) -> [Effect] {
        switch permission {
        case .undecided: return self.show(.undecided)
        // The device refuses every push until the app is opened. Tell the person at once, because they can open it without the server.
        case .notInUse: return self.show(.notInUse) + self.wish(for: .paused(.notInUse))
        case .denied: return self.wish(for: .paused(.paused))
        case .allowed: return self.wish(for: .shared)
        }
    }

    private mutating func wish(for wish: Wish) -> [Effect] {
        self.wish = wish
        self.pauses.reset()
        switch self.state {
        // The exchange in progress ends soon. Its result is ignored, and the new state is sent then.
        case .fetching, .telling: return []
        case .quiet, .waiting, .told: return self.begin()
        }
    }

    private mutating func tokenCame(_ token: [UInt8]) -> [Effect] {
        guard case .fetching = self.state else { return [] }
        guard self.wish == self.underWay else { return self.begin() }
        self.state = .telling
        return [.tell(token)]
    }

    private mutating func heard(now: EngineInstant) -> [Effect] {
        guard case .telling = self.state else { return [] }
        self.pauses.reset()
        guard self.wish == self.underWay else { return self.begin() }
        self.state = .told(again: now.advanced(by: Self.renewal))
        switch self.wish {
        case .shared: return self.show(.shared)
        case .paused(let status): return self.show(status)
        case nil: return []
        }
    }

    private mutating func failed(
        _ error: SharingError,
        now: EngineInstant,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch self.state {
        case .quiet, .waiting, .told: return []
        case .fetching, .telling: break
        }
        guard self.wish == self.underWay else { return self.begin() }
        self.state = .waiting(again: now.advanced(by: self.pauses.next(using: &generator)))
        return self.show(.failing(error.message))
    }

    private mutating func deadlineReached(now: EngineInstant) -> [Effect] {
        guard let deadline = self.deadline, now >= deadline else { return [] }
        return self.begin()
    }

    /// Starts to send the requested state to the server.
    private mutating func begin() -> [Effect] {
        self.underWay = self.wish
        switch self.wish {
        case .shared:
            self.state = .fetching
            return [.fetchToken]
        case .paused:
            self.state = .telling
            return [.tell([])]
        case nil:
            self.state = .quiet
            return []
        }
    }

    private mutating func show(_ status: SharingStatus) -> [Effect] {
        guard self.shown != status else { return [] }
        self.shown = status
        return [.show(status)]
    }
}
