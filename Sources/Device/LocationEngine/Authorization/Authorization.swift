/// A person's decision about when an app may know the location, and the open prompt about it.
///
/// ```
///                     wanted, requested               allowOnce
///   notDetermined ────────────────────▶ askingWhenInUse ─────────▶ whenInUseOnce ──lapsed──▶ notDetermined
///                                        │    │     │
///                              dontAllow │    │     │ allowWhileUsing, Always was requested
///                                        ▼    │     ▼
///                                    denied   │   provisionalAlways ──alwaysTried──▶ confirmingAlways
///                             allowWhileUsing ▼                                          │
///                                       whenInUse ──wanted, requested──▶ askingAlways    │
///                                           ▲                                  │         │
///                                           └──────────── keepWhileUsing ──────┴─────────┤
///                                                         changeToAlways ────────────────┴──▶ always
/// ```
/// ``set(to:)`` (Settings) leads from every state to the chosen one. A person is asked for Always once per install
/// (ADR 0017). Ignored races: an answer after the question is gone.
public struct Authorization: Sendable, Hashable {
    /// The state of the person's decision.
    public enum State: Sendable, Hashable {
        /// Never asked, or the decision lapsed.
        case notDetermined
        /// The first question awaits an answer; "while using" becomes provisional Always when Always was requested.
        case askingWhenInUse(forAlways: Bool)
        /// Allowed until the app is no longer in use.
        case whenInUseOnce
        /// Allowed while in use; `alwaysAnswered` once the upgrade was asked for and refused.
        case whenInUse(alwaysAnswered: Bool)
        /// Allowed while in use, with the prompt for Always open.
        case askingAlways
        /// The app reads Always but is served only while in use, until something needs Always.
        case provisionalAlways
        /// Provisional Always, with the confirming prompt open.
        case confirmingAlways
        /// Allowed at any time.
        case always
        /// Refused.
        case denied
    }

    /// The authorization status that an app reads.
    public enum Status: Sendable, Hashable, CaseIterable {
        /// The person has not decided.
        case notDetermined
        /// The device's owner forbids people to decide.
        case restricted
        /// The person refused, or location services are off.
        case denied
        case whenInUse
        case always
    }

    /// The authorization that a `CLLocationManager` requests.
    public enum Request: Sendable, Hashable {
        /// `requestWhenInUseAuthorization`.
        case whenInUse
        /// `requestAlwaysAuthorization`.
        case always
    }

    /// The choices of an app's entry in Settings.
    public enum Setting: Sendable, Hashable, CaseIterable {
        /// Never.
        case never
        case askNextTime
        case whileUsing
        case always
    }

    /// The questions that a person is asked, one at a time.
    public enum Question: Sendable, Hashable {
        /// May the app use the location while it is in use?
        case whenInUse
        /// May the app use the location at any time, too?
        case always
        /// The prompt that asks whether provisional Always may continue.
        case confirmAlways
    }

    private(set) var state: State

    /// Creates the machine of an app without a decision.
    public init() {
        self.state = .notDetermined
    }

    init(restoring state: State) {
        self.state = state
    }

    /// The status that apps read, as far as the person decides it; an open prompt does not change the status.
    public var status: Status {
        switch self.state {
        case .notDetermined, .askingWhenInUse: .notDetermined
        case .whenInUseOnce, .whenInUse, .askingAlways: .whenInUse
        case .provisionalAlways, .confirmingAlways, .always: .always
        case .denied: .denied
        }
    }

    /// The entry in Settings: provisional Always shows as "while using", once as "ask next time".
    public var setting: Setting {
        switch self.state {
        case .notDetermined, .askingWhenInUse, .whenInUseOnce: .askNextTime
        case .whenInUse, .askingAlways, .provisionalAlways, .confirmingAlways: .whileUsing
        case .always: .always
        case .denied: .never
        }
    }

    /// Whether the app is served when it is not in use, as far as the person decides.
    public var servesUnseen: Bool { self.state == .always }

    /// Whether Always was given on trial.
    public var isProvisional: Bool { self.state == .provisionalAlways || self.state == .confirmingAlways }

    /// Whether the decision ends when the app is no longer in use.
    public var isForOnce: Bool { self.state == .whenInUseOnce }

    /// The question that awaits an answer, or nil.
    public var question: Question? {
        switch self.state {
        case .askingWhenInUse: .whenInUse
        case .askingAlways: .always
        case .confirmingAlways: .confirmAlways
        case .notDetermined, .whenInUseOnce, .whenInUse, .provisionalAlways, .always, .denied: nil
        }
    }

    /// Whether Always was requested and refused, or cannot be requested any more.
    public var refusesAlways: Bool {
        switch self.state {
        case .whenInUse(let alwaysAnswered): alwaysAnswered
        // After Allow Once, no further prompts appear (ADR 0017).
        case .denied, .whenInUseOnce: true
        case .notDetermined, .askingWhenInUse, .askingAlways, .provisionalAlways, .confirmingAlways, .always: false
        }
    }

    /// Actions returned by ``wanted(_:)``, ``requested(_:)`` and ``alwaysTried()``.
    public enum OnWanted: Sendable, Hashable {
        /// Ask the person when that is possible.
        case ask(Question)
        /// Do nothing: the person has decided or is being asked.
        case ignore
    }

    /// Records that an app in the foreground holds a session with this requirement.
    public mutating func wanted(_ requirement: Declaration.Session.Requirement) -> OnWanted {
        let next: State
        switch (self.state, requirement) {
        case (.notDetermined, .whenInUse), (.notDetermined, .always): next = .askingWhenInUse(forAlways: false)
        case (.whenInUse(alwaysAnswered: false), .always): next = .askingAlways
        case (.notDetermined, .none), (.whenInUse, _), (.askingWhenInUse, _), (.whenInUseOnce, _), (.askingAlways, _),
            (.provisionalAlways, _), (.confirmingAlways, _), (.always, _), (.denied, _):
            return .ignore
        }
        return self.ask(next)
    }

    /// Records that a manager of an app in the foreground requests authorization.
    public mutating func requested(_ request: Request) -> OnWanted {
        let next: State
        switch (self.state, request) {
        case (.notDetermined, .whenInUse): next = .askingWhenInUse(forAlways: false)
        case (.notDetermined, .always): next = .askingWhenInUse(forAlways: true)
        case (.whenInUse(alwaysAnswered: false), .always): next = .askingAlways
        case (.whenInUse, _), (.askingWhenInUse, _), (.whenInUseOnce, _), (.askingAlways, _), (.provisionalAlways, _),
            (.confirmingAlways, _), (.always, _), (.denied, _):
            return .ignore
        }
        return self.ask(next)
    }

    /// Records that confirmed Always would let the app receive something; asks the person once.
    public mutating func alwaysTried() -> OnWanted {
        guard self.state == .provisionalAlways else { return .ignore }
        return self.ask(.confirmingAlways)
    }

    private mutating func ask(_ next: State) -> OnWanted {
        self.state = next
        return self.question.map { .ask($0) } ?? .ignore
    }

    /// Actions returned by ``answered(_:with:)``, ``set(to:)``, ``lapsed()`` and ``withdrawn()``.
    public enum OnDecision: Sendable, Hashable {
        /// The decision or the prompt changed; notify everyone.
        case announce
        case ignore
    }

    /// Records a person's answer; ignored when the prompt is not open, or has no such choice.
    public mutating func answered(_ question: Question, with answer: Prompt.Answer) -> OnDecision {
        guard self.question == question else { return .ignore }
        let next: State
        switch (self.state, answer) {
        case (.askingWhenInUse, .dontAllow): next = .denied
        case (.askingWhenInUse, .allowOnce): next = .whenInUseOnce
        case (.askingWhenInUse(forAlways: true), .allowWhileUsing): next = .provisionalAlways
        case (.askingWhenInUse(forAlways: false), .allowWhileUsing): next = .whenInUse(alwaysAnswered: false)
        case (.askingAlways, .keepWhileUsing), (.confirmingAlways, .keepWhileUsing):
            next = .whenInUse(alwaysAnswered: true)
        case (.askingAlways, .changeToAlways), (.confirmingAlways, .changeToAlways): next = .always
        case (.askingWhenInUse, _), (.askingAlways, _), (.confirmingAlways, _), (.notDetermined, _),
            (.whenInUseOnce, _), (.whenInUse, _), (.provisionalAlways, _), (.always, _), (.denied, _):
            return .ignore
        }
        self.state = next
        return .announce
    }

    /// Records a person's change in Settings, which withdraws an open prompt.
    public mutating func set(to setting: Setting) -> OnDecision {
        let next: State =
            switch setting {
            case .askNextTime: .notDetermined
            case .never: .denied
            // Settings shows Always beside "while using": this choice refuses it, so no prompt offers it again.
            case .whileUsing: .whenInUse(alwaysAnswered: true)
            case .always: .always
            }
        return self.become(next)
    }

    /// Records that the app is no longer in use.
    public mutating func lapsed() -> OnDecision {
        self.isForOnce ? self.become(.notDetermined) : .ignore
    }

    /// Records that the prompt cannot be answered now; it may appear again.
    public mutating func withdrawn() -> OnDecision {
        switch self.state {
        case .askingWhenInUse: self.become(.notDetermined)
        case .askingAlways: self.become(.whenInUse(alwaysAnswered: false))
        case .confirmingAlways: self.become(.provisionalAlways)
        case .notDetermined, .whenInUseOnce, .whenInUse, .provisionalAlways, .always, .denied: .ignore
        }
    }

    private mutating func become(_ next: State) -> OnDecision {
        guard next != self.state else { return .ignore }
        self.state = next
        return .announce
    }
}
