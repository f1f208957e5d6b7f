/// The number of a prompt of locationd's.
package struct PromptNumber: Sendable, Hashable {
    package let rawValue: UInt64

    /// Creates the number of a prompt.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// The agents of the person's desktop (`org.freedesktop.GeoClue2.Agent`), the most that each allows, and the prompt
/// that they show.
///
/// The first answer counts, and a failed agent leaves the prompt to the others.
package struct AgentCoordinator: Sendable, Hashable {
    /// The most agents: a person has one or two desktops.
    package static let agentsMax = 8

    /// The answer to a prompt of locationd's.
    package enum Answer: Sendable, Hashable {
        /// The app may know, exactly or roughly, while it is used.
        case allow(precisely: Bool)
        /// The app may not know the position.
        case deny
    }

    private struct Agent: Sendable, Hashable {
        let name: String
        /// The most that its desktop allows all programs; nil: unknown so far.
        var level: AccuracyLevel?
    }

    private var agents: [Agent] = []
    private var prompt: PromptNumber?

    /// Creates a coordinator without agents.
    package init() {}

    package var isEmpty: Bool { self.agents.isEmpty }

    /// Whether a program is an agent.
    package func has(_ name: String) -> Bool { self.agents.contains { $0.name == name } }

    /// The most that all of them allow.
    package var cap: AccuracyLevel { self.agents.compactMap(\.level).min() ?? .exact }

    /// Records an agent; false: the limit is reached.
    package mutating func added(_ name: String) -> Bool {
        if self.has(name) { return true }
        guard self.agents.count < Self.agentsMax else { return false }
        self.agents.append(Agent(name: name))
        return true
    }

    /// Records that a program is gone; false: it was not an agent.
    package mutating func removed(_ name: String) -> Bool {
        let count = self.agents.count
        self.agents.removeAll { $0.name == name }
        return self.agents.count < count
    }

    /// Records an agent's limit.
    package mutating func allowed(_ name: String, _ level: AccuracyLevel) {
        guard let place = self.agents.firstIndex(where: { $0.name == name }) else { return }
        self.agents[place].level = level
    }

    /// Records a prompt, and returns the agents to ask.
    package mutating func promptShown(_ prompt: PromptNumber) -> [String] {
        self.prompt = prompt
        return self.agents.map(\.name)
    }

    /// Records that it is not to be answered any more.
    package mutating func promptWithdrawn(_ prompt: PromptNumber) {
        if self.prompt == prompt { self.prompt = nil }
    }

    /// Records an agent's answer, nil if it failed; returns the answer to the prompt, or nil.
    package mutating func answered(_ name: String, _ prompt: PromptNumber, _ level: AccuracyLevel?) -> Answer? {
        guard self.prompt == prompt, self.has(name), let level else { return nil }
        self.prompt = nil
        return level == .none ? .deny : .allow(precisely: level.needsFullAccuracy)
    }
}
