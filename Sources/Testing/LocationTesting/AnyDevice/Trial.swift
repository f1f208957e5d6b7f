internal import Synchronization
internal import Testing

/// A run of a test's body on a device with a story: the events that happened, and the failures.
final class Trial: Sendable {
    /// The trial to which the code that runs belongs; nil: none.
    @TaskLocal static var current: Trial?

    /// A story to play on the first device that the body creates.
    struct Plan: Sendable {
        let seed: UInt64
        let source: StoryPlayer.Source
        let trial: Trial
    }

    /// A failure of the body or the device, or a broken rule.
    struct Failure: Sendable {
        /// The part of a failure that is the same in another story: a rule, or a line of the test.
        let identity: String
        let text: String
        let location: SourceLocation?

        init(identity: String, _ text: String, at location: SourceLocation? = nil) {
            (self.identity, self.text, self.location) = (identity, text, location)
        }

        /// A problem that the device found, at a line of the test.
        init(_ text: String, at location: SourceLocation?) {
            let line = location.map { "\($0.fileID):\($0.line) " } ?? ""
            let words = text.prefix { $0 != "\n" }.filter { !$0.isNumber }
            self.init(identity: line + words.prefix(80), text, at: location)
        }

        /// An issue that the body recorded.
        init(_ issue: Issue) {
            let location = issue.sourceLocation
            self.init(identity: location.map { "\($0.fileID):\($0.line)" } ?? "\(issue.kind)", "\(issue)", at: location)
        }
    }

    private struct State {
        var isClaimed = false
        var events: [Story.Event] = []
        var failures: [Failure] = []
        var reached: Set<Rule> = []
        var awaits: [String: Int] = [:]
        var struck: [StruckAwaits] = []
        /// The index of each alternative that was returned, and how many there were to choose from.
        var choices: [(place: Int, count: Int)] = []
        nonisolated(unsafe) var timeline: Timeline?
    }

    private let state = Mutex(State())
    private let seed: UInt64
    private let source: StoryPlayer.Source
    private let rules: Set<Rule>
    /// The index of the alternative that each choice gets, in order; choices beyond the list get 0.
    private let choices: [Int]
    /// Failures beyond this number are dropped.
    private static let failuresMax = 16

    init(seed: UInt64, choices: [Int], _ source: StoryPlayer.Source, rules: Set<Rule>) {
        self.seed = seed
        self.choices = choices
        self.source = source
        self.rules = rules
    }

    /// Claims the story for a device; nil: another device of this run has it.
    func claim() -> Plan? {
        self.state.withLock { state in
            defer { state.isClaimed = true }
            return state.isClaimed ? nil : Plan(seed: self.seed, source: self.source, trial: self)
        }
    }

    // MARK: Reports

    func shows(_ timeline: Timeline) {
        nonisolated(unsafe) let timeline = timeline
        self.state.withLock { unsafe $0.timeline = timeline }
    }

    func happened(_ event: Story.Event) { self.state.withLock { $0.events.append(event) } }

    func reached(_ rules: Set<Rule>) { self.state.withLock { $0.reached.formUnion(rules) } }

    func struck(_ awaits: StruckAwaits) { self.state.withLock { $0.struck.append(awaits) } }

    /// Counts an await of an app; returns the number so far.
    func awaited(_ app: String) -> Int {
        self.state.withLock { state in
            state.awaits[app, default: 0] += 1
            return state.awaits[app, default: 0]
        }
    }

    /// Chooses one of `count` alternatives; returns its index.
    func chooses(of count: Int) -> Int {
        self.state.withLock { state in
            let wanted = state.choices.count < self.choices.count ? self.choices[state.choices.count] : 0
            let place = min(max(wanted, 0), count - 1)
            state.choices.append((place, count))
            return place
        }
    }

    /// Records that a rule was broken; returns whether the rule is checked.
    @discardableResult
    func broke(_ rule: Rule, _ text: String) -> Bool {
        guard self.rules.contains(rule) else { return false }
        self.reached([rule])
        self.fail(Failure(identity: "the rule .\(rule)", text))
        return true
    }

    func fail(_ failure: Failure) {
        self.state.withLock { state in
            if state.failures.count < Self.failuresMax { state.failures.append(failure) }
        }
    }

    // MARK: The result

    /// Whether the body created a device.
    var hasDevice: Bool { self.state.withLock { $0.isClaimed } }
    var failures: [Failure] { self.state.withLock { $0.failures } }
    var reachedRules: Set<Rule> { self.state.withLock { $0.reached } }
    var struck: [StruckAwaits] { self.state.withLock { $0.struck } }
    func awaits(of app: String) -> Int { self.state.withLock { $0.awaits[app, default: 0] } }
    /// The events that happened.
    var story: Story {
        self.state.withLock { Story(seed: self.seed, choices: $0.choices.map(\.place), $0.events) }
    }
    /// The choices of the next run of this seed, counted up like an odometer; nil: every combination was run.
    var nextChoices: [Int]? {
        var choices = self.state.withLock { $0.choices }
        while let last = choices.popLast() {
            if last.place + 1 < last.count { return choices.map(\.place) + [last.place + 1] }
        }
        return nil
    }
    var timeline: String { self.state.withLock { unsafe $0.timeline?.description } ?? "" }
    var fingerprint: String { self.state.withLock { unsafe $0.timeline?.fingerprint } ?? "" }
}

extension DeviceHost {
    /// Plays a story while the test lets time pass.
    func play(_ plan: Trial.Plan) {
        plan.trial.shows(self.timeline)
        self.context.story = StoryPlayer(plan.source, on: self, plan.trial)
    }
}
