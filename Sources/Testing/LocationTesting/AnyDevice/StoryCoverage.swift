/// How often each trouble, each rule and each call of an app was reached, over all stories of an exploration.
public struct StoryCoverage: Sendable, Hashable {
    /// The number of stories.
    public private(set) var stories = 0
    /// The number of stories in which each trouble happened at least once.
    public private(set) var troubles: [Trouble.Kind: Int] = [:]
    /// The number of stories in which an app could have broken each rule.
    public private(set) var rules: [Rule: Int] = [:]
    /// The number of stories in which a trouble struck an app that awaited each call, such as `CLLocationUpdate.liveUpdates()`.
    public private(set) var awaits: [String: Int] = [:]
    private let wanted: Set<Trouble.Kind>
    private let checked: Set<Rule>

    init(wanted: Set<Trouble.Kind>, checked: Set<Rule>) {
        (self.wanted, self.checked) = (wanted, checked)
    }

    mutating func add(_ story: Story, _ rules: Set<Rule>, _ struck: [StruckAwaits] = []) {
        self.stories += 1
        let calls = struck.flatMap { $0.places.isEmpty ? [Await.otherCall] : $0.places.map(\.call) }
        for call in Set(calls) { self.awaits[call, default: 0] += 1 }
        for kind in Set(story.events.map(\.trouble.kind)) { self.troubles[kind, default: 0] += 1 }
        for rule in rules { self.rules[rule, default: 0] += 1 }
    }

    /// The troubles that were wanted and never happened.
    public var troublesNeverReached: [Trouble.Kind] {
        Trouble.Kind.allCases.filter { self.wanted.contains($0) && self.troubles[$0] == nil }
    }

    /// The rules that were checked and that no app could have broken.
    public var rulesNeverReached: [Rule] {
        Rule.allCases.filter { self.checked.contains($0) && self.rules[$0] == nil }
    }
}

extension StoryCoverage: CustomStringConvertible {
    /// A line with the troubles and rules that were reached, a line with the others, and a line with the awaits that were struck.
    public var description: String {
        let troubles = Trouble.Kind.allCases.compactMap { kind in self.troubles[kind].map { "\(kind) \($0)" } }
        let rules = Rule.allCases.compactMap { rule in self.rules[rule].map { "\(rule) \($0)" } }
        let never = self.troublesNeverReached.map { "\($0)" } + self.rulesNeverReached.map { "\($0)" }
        let awaits = self.awaits.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "Reached in \(self.stories) stories: " + (troubles + rules).joined(separator: ", ")
            + "\nNever reached: " + (never.isEmpty ? "nothing" : never.joined(separator: ", "))
            + (awaits.isEmpty ? "" : "\nAwaits struck: " + awaits.joined(separator: ", "))
    }
}
