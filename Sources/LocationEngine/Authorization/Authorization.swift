/// What a person decided about one app, and what they are being asked.
///
/// ```
///                 wanted(≥ whenInUse)             answered(.whileUsing)            wanted(.always)
///  notDetermined ───────────────▶ askingWhenInUse ───────────▶ whenInUse(mayAsk) ──────────▶ askingAlways
///                                        │ refuse                                   allow ╱       ╲ refuse
///                                        ▼                                               ▼         ▼
///                                      denied                                        always   whenInUse(refused)
/// ```
/// ``set(to:)`` (Settings) leads from every state to the one named. A person is asked for Always once per install
/// (ADR 0009). Ignored races: an answer after the prompt is gone.
public struct Authorization: Sendable, Hashable {
    /// Where the person's decision stands.
    public enum State: Sendable, Hashable {
        /// Never asked, or the decision lapsed.
        case notDetermined
        /// The first prompt is before the person.
        case askingWhenInUse
        /// Allowed while in use; `alwaysAnswered` once the upgrade was asked for and refused.
        case whenInUse(alwaysAnswered: Bool)
        /// Allowed while in use; the upgrade prompt is before the person.
        case askingAlways
        /// Allowed at any time.
        case always
        /// Refused.
        case denied
    }

    /// What an app reads as its authorization status.
    public enum Status: Sendable, Hashable, CaseIterable {
        /// The person has not decided.
        case notDetermined
        /// The person refused.
        case denied
        /// Served while in use.
        case whenInUse
        /// Served at any time.
        case always
    }

    /// A question to a person.
    public enum Prompt: Sendable, Hashable {
        /// May the app use the location while it is in use?
        case whenInUse
        /// May the app use the location at any time, too?
        case always
    }

    private(set) var state: State

    /// Creates the machine of an app nobody decided about.
    public init() {
        self.state = .notDetermined
    }

    init(restoring state: State) {
        self.state = state
    }

    /// The status apps see; a question under way changes nothing yet.
    public var status: Status {
        switch self.state {
        case .notDetermined, .askingWhenInUse: .notDetermined
        case .whenInUse, .askingAlways: .whenInUse
        case .always: .always
        case .denied: .denied
        }
    }

    /// The question before the person, or nil.
    public var prompt: Prompt? {
        switch self.state {
        case .askingWhenInUse: .whenInUse
        case .askingAlways: .always
        case .notDetermined, .whenInUse, .always, .denied: nil
        }
    }

    /// Whether Always was asked for and not given.
    public var refusesAlways: Bool {
        switch self.state {
        case .whenInUse(let alwaysAnswered): alwaysAnswered
        case .denied: true
        case .notDetermined, .askingWhenInUse, .askingAlways, .always: false
        }
    }

    /// Actions returned by ``wanted(_:)``.
    public enum OnWanted: Sendable, Hashable {
        /// Put the question to the person.
        case ask(Prompt)
        /// Do nothing; it is decided, or being asked.
        case ignore
    }

    /// Records that an app in the foreground holds a session with this requirement.
    public mutating func wanted(_ requirement: Declaration.Session.Requirement) -> OnWanted {
        let (next, action) = self.onWanted(requirement)
        self.state = next
        return action
    }

    private func onWanted(_ requirement: Declaration.Session.Requirement) -> (State, OnWanted) {
        switch self.state {
        case .notDetermined:
            requirement == .none ? (self.state, .ignore) : (.askingWhenInUse, .ask(.whenInUse))
        case .whenInUse(let alwaysAnswered):
            requirement == .always && !alwaysAnswered ? (.askingAlways, .ask(.always)) : (self.state, .ignore)
        case .askingWhenInUse, .askingAlways, .always, .denied:
            (self.state, .ignore)
        }
    }

    /// Actions returned by ``answered(_:allow:)`` and ``set(to:)``.
    public enum OnDecision: Sendable, Hashable {
        /// The status or the question changed; tell everybody.
        case announce
        /// Do nothing.
        case ignore
    }

    /// Records a person's answer to a prompt; ignored when that question is not before them any more.
    public mutating func answered(_ prompt: Prompt, allow: Bool) -> OnDecision {
        guard self.prompt == prompt else { return .ignore }
        self.state =
            switch prompt {
            case .whenInUse: allow ? .whenInUse(alwaysAnswered: false) : .denied
            case .always: allow ? .always : .whenInUse(alwaysAnswered: true)
            }
        return .announce
    }

    /// Records that a person changed the app's entry in Settings; takes back a question under way.
    public mutating func set(to status: Status) -> OnDecision {
        let next: State =
            switch status {
            case .notDetermined: .notDetermined
            case .denied: .denied
            // Who chose "while using" with the upgrade in view has answered it.
            case .whenInUse: .whenInUse(alwaysAnswered: true)
            case .always: .always
            }
        guard next != self.state else { return .ignore }
        self.state = next
        return .announce
    }
}
