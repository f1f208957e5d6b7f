package import WhereaboutsVocabulary

/// One GeoClue client from `Start` to `Stop`, and its connection with locationd.
///
/// ```
///          started                             granted
///   idle ───────────▶ starting ◀── started ──┬──────────────▶ serving ◀── position ──┐
///    ▲                 │    │ deadline       │                 │  ▲ lost, nowhere    │
///    │      refused    │    ▼                │       refused   │  ▼                  │
///    ├─────────────────┘   asked ────────────┤      ┌──────────┤ interrupted         │
///    └──── deadline, refused ─┘              │      ▼          │  │ deadline         │
///                                            └── resting ◀─────┴──┘ ─────────────────┘
/// ```
/// `stopped` leads to idle from every state, and so does `refused` if locationd had the app since `Start`. A call of
/// `Start` is answered once: by the person's decision, by the reason why no position is available, or at its deadline.
/// Later, `Active` says whether updates arrive. Programs such as `where-am-i` treat "inactive" as switched off by the
/// person, and end. So `Active` stays true when updates are interrupted briefly, by a tunnel or a restart of locationd.
///
/// Harmless races: messages of a closed connection, and deadlines that are early, late or unexpected.
package struct ClientMachine: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// Not started.
        case idle
        /// The call of `Start` waits for an answer.
        case starting(CallID, until: EngineInstant)
        /// The call of `Start` was answered with an error; the prompt stays until this time.
        case asked(until: EngineInstant)
        /// Updates arrive, at most as often as the client wants them.
        case serving(TimeThreshold)
        /// Updates are missing; if none has arrived by this time, the program is notified.
        case interrupted(TimeThreshold, until: EngineInstant)
        /// The client is started, but receives no updates at present.
        case resting
    }

    enum Link: Sendable, Hashable {
        /// No connection exists, and none is needed.
        case closed
        case opening
        /// locationd has reported the app's permission.
        case open(Permission)
        /// locationd cannot be reached; the time of the next attempt.
        case down(retry: EngineInstant)
    }

    /// The timeouts of the machine.
    package struct Configuration: Sendable, Hashable {
        /// How long `Start` waits for a decision; D-Bus libraries give up a call after 25 s.
        package var answerMax: Duration = .seconds(20)
        /// How long the prompt stays after `Start` was answered with an error.
        package var questionMax: Duration = .seconds(300)
        /// How long updates may be missing, in a tunnel or during a restart of locationd, before the program is notified.
        package var silenceMax: Duration = .seconds(60)
        /// The first pause before another attempt to reach locationd.
        package var retryMin: Duration = .milliseconds(250)
        /// The longest pause before another attempt.
        package var retryMax: Duration = .seconds(5)

        /// Creates the timeouts of locationd-geoclue.
        package init() {}
    }

    /// Commands to the host, in their order.
    package enum Action: Sendable, Hashable {
        /// Connect to locationd as the app; install the app if necessary.
        case connect
        /// Connect again as the app, without installing it.
        ///
        /// If the app is missing, a person removed it, and it stays removed until the next `Start`.
        case reconnect
        /// Close the connection, or stop the attempt to make it.
        case disconnect
        case ask
        /// Send the client's wishes to locationd.
        case declare
        /// Answer the call of `Start`: with success, or with an error.
        case answer(CallID, Refusal?)
        /// Notify the program that `Active` changed.
        case activeChanged
        /// Send the program a position.
        case tell(Position)
        /// Forget the positions that the program could still read.
        case forget
    }

    private let configuration: Configuration
    private(set) var state: State = .idle
    private(set) var link: Link = .closed
    private var backoff: Backoff
    /// Whether locationd had the app since the client was started.
    private var wasOpen = false
    /// Why locationd could not be reached the last time, for people.
    private var reason = ""

    package init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.backoff = Backoff(from: configuration.retryMin, to: configuration.retryMax)
    }

    package var isActive: Bool {
        switch self.state {
        case .serving, .interrupted: true
        case .idle, .starting, .asked, .resting: false
        }
    }

    /// Whether the app needs a connection to locationd.
    package var isStarted: Bool { self.state != .idle }

    /// The time at which to call ``deadlineReached(now:)``.
    package var deadline: EngineInstant? {
        var deadline: EngineInstant?
        switch self.state {
        case .starting(_, let until), .asked(let until), .interrupted(_, let until): deadline.lower(to: until)
        case .serving(let threshold): deadline.lower(to: threshold.due)
        case .idle, .resting: break
        }
        if case .down(let retry) = self.link { deadline.lower(to: retry) }
        return deadline
    }

    // MARK: The program

    /// Records that the program called `Start`.
    package mutating func started(_ call: CallID, _ wishes: Wishes, now: EngineInstant) -> [Action] {
        let until = now.advanced(by: self.configuration.answerMax)
        switch self.state {
        case .idle:
            self.state = .starting(call, until: until)
            (self.link, self.wasOpen) = (.opening, false)
            return [.connect]
        case .starting(let earlier, _):
            self.state = .starting(call, until: until)
            return [.answer(earlier, .unavailable("Start was called again"))]
        // The app is permitted, but there is no position yet: an update follows when there is one.
        case .resting where self.link == .open(.granted):
            return [.answer(call, nil)]
        case .asked, .resting:
            self.state = .starting(call, until: until)
            // If a person removed the app meanwhile, install it again, so that the person is asked again.
            if case .open = self.link {} else { self.wasOpen = false }
            return self.settle(wishes, now: now)
        case .serving, .interrupted:
            return [.answer(call, nil)]
        }
    }

    /// Records that the program called `Stop`, deleted its client, or left the bus.
    package mutating func stopped() -> [Action] {
        let before = self
        (self.state, self.link, self.reason) = (.idle, .closed, "")
        switch before.state {
        case .idle: return []
        case .starting(let call, _): return [.answer(call, .unavailable("the client was stopped")), .disconnect]
        case .asked, .resting: return [.disconnect]
        case .serving, .interrupted: return [.disconnect, .activeChanged]
        }
    }

    /// Records changed wishes of the program, or a changed limit of the person's desktop.
    package mutating func wishesChanged(_ wishes: Wishes) -> [Action] {
        switch self.state {
        case .serving(var threshold):
            threshold.interval = .seconds(Int64(wishes.time))
            self.state = .serving(threshold)
            return [.declare]
        case .interrupted(var threshold, let until):
            threshold.interval = .seconds(Int64(wishes.time))
            self.state = .interrupted(threshold, until: until)
            return self.link == .open(.granted) ? [.declare] : []
        case .resting: return self.link == .open(.granted) ? [.declare] : []
        case .idle, .starting, .asked: return []
        }
    }

    // MARK: locationd

    /// Records the app's permission, which locationd reports first on a connection, and again when it changes.
    package mutating func permissionChanged(_ permission: Permission, _ wishes: Wishes, now: EngineInstant) -> [Action]
    {
        guard self.state != .idle, self.link != .open(permission) else { return [] }
        (self.link, self.wasOpen) = (.open(permission), true)
        self.backoff.reset()
        return self.settle(wishes, now: now)
    }

    /// Records that the connection ended or could not be made, and the reason for people.
    package mutating func lost(_ reason: String, now: EngineInstant) -> [Action] {
        guard self.state != .idle else { return [] }
        self.link = .down(retry: now.advanced(by: self.backoff.next()))
        self.reason = reason
        self.interrupt(now: now)
        return []
    }

    /// Records that locationd refused the connection, and the reason for people; a known app was removed by a person.
    package mutating func refused(_ reason: String, now: EngineInstant) -> [Action] {
        guard self.wasOpen else { return self.lost(reason, now: now) }
        let before = self.state
        (self.state, self.link) = (.idle, .closed)
        switch before {
        case .idle: return []
        case .starting(let call, _): return [.answer(call, .appWasRemoved), .disconnect]
        case .asked: return [.disconnect]
        case .serving, .interrupted: return [.disconnect, .activeChanged, .forget]
        case .resting: return [.disconnect, .forget]
        }
    }

    private mutating func interrupt(now: EngineInstant) {
        guard case .serving(let threshold) = self.state else { return }
        self.state = .interrupted(threshold, until: now.advanced(by: self.configuration.silenceMax))
    }

    package mutating func positionReceived(_ position: Position, _ wishes: Wishes, now: EngineInstant) -> [Action] {
        guard self.link == .open(.granted) else { return [] }
        switch self.state {
        case .idle, .starting, .asked: return []
        case .resting:
            self.state = .serving(TimeThreshold(interval: .seconds(Int64(wishes.time)), toldAt: now))
            return [.activeChanged, .tell(position)]
        case .serving(var threshold), .interrupted(var threshold, _):
            let isDue = threshold.offered(position, now: now)
            self.state = .serving(threshold)
            return isDue ? [.tell(position)] : []
        }
    }

    /// Records that locationd has no position.
    package mutating func positionVanished(now: EngineInstant) { self.interrupt(now: now) }

    // MARK: Time

    /// Records that the host's timer fired; the host may call this at any time.
    package mutating func deadlineReached(now: EngineInstant) -> [Action] {
        var actions: [Action] = []
        if case .down(let retry) = self.link, now >= retry {
            self.link = .opening
            actions.append(self.wasOpen ? .reconnect : .connect)
        }
        switch self.state {
        case .starting(let call, let until) where now >= until:
            guard case .open = self.link else {
                let reason = self.reason.isEmpty ? "locationd does not answer" : self.reason
                (self.state, self.link) = (.idle, .closed)
                return [.answer(call, .unavailable(reason)), .disconnect]
            }
            self.state = .asked(until: now.advanced(by: self.configuration.questionMax))
            actions.append(.answer(call, .notAnswered))
        case .asked(let until) where now >= until:
            (self.state, self.link) = (.idle, .closed)
            return [.disconnect]
        case .serving(var threshold):
            if let position = threshold.fallenDue(now: now) { actions.append(.tell(position)) }
            self.state = .serving(threshold)
        case .interrupted(_, let until) where now >= until:
            self.state = .resting
            actions.append(.activeChanged)
        case .idle, .starting, .asked, .interrupted, .resting: break
        }
        return actions
    }

    // MARK: Deciding

    /// Adjusts the state to the app's permission.
    private mutating func settle(_ wishes: Wishes, now: EngineInstant) -> [Action] {
        guard case .open(let permission) = self.link else { return [] }
        switch (self.state, permission) {
        case (.idle, _), (.serving, .granted): return []
        case (.starting(let call, _), .granted):
            self.state = .serving(TimeThreshold(interval: .seconds(Int64(wishes.time))))
            return [.declare, .answer(call, nil), .activeChanged]
        case (.starting(let call, _), .denied), (.starting(let call, _), .off):
            (self.state, self.link) = (.idle, .closed)
            return [.answer(call, permission == .off ? .servicesAreOff : .personSaidNo), .disconnect]
        case (.starting, .undecided), (.asked, .undecided): return [.ask]
        // Keep the connection until the prompt's deadline, so that the next `Start` finds the permission.
        case (.asked, .granted): return []
        case (.asked, .denied), (.asked, .off):
            (self.state, self.link) = (.idle, .closed)
            return [.disconnect]
        case (.interrupted(let threshold, _), .granted):
            self.state = .serving(threshold)
            return [.declare]
        case (.serving, .denied), (.serving, .off), (.serving, .undecided),
            (.interrupted, .denied), (.interrupted, .off), (.interrupted, .undecided):
            self.state = .resting
            return [.activeChanged, .forget]
        case (.resting, .granted):
            self.state = .serving(TimeThreshold(interval: .seconds(Int64(wishes.time))))
            return [.declare, .activeChanged]
        case (.resting, .denied), (.resting, .off), (.resting, .undecided): return [.forget]
        }
    }
}

extension Refusal {
    fileprivate static let personSaidNo = Refusal.accessDenied(
        "this app may not know where the device is; the person changes it with `locationctl settings`"
    )
    fileprivate static let appWasRemoved = Refusal.accessDenied(
        "this app was removed from locationd; the next Start asks about it again"
    )
    fileprivate static let servicesAreOff = Refusal.accessDenied("location services are off")
}
