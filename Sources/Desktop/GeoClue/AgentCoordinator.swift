/// The number of one of locationd's prompts.
package struct PromptNumber: Sendable, Hashable {
    package let rawValue: UInt64

    /// Creates the number of a prompt.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// The agents of the person's desktop (`org.freedesktop.GeoClue2.Agent`), the accuracy that each one allows at most,
/// and the prompt that they show.
///
/// The first answer counts. If an agent fails, the others still show the prompt.
package struct AgentCoordinator: Sendable, Hashable {
    /// The maximum number of agents: a person has one or two desktops.
    package static let agentsMax = 8

    /// The answer to one of locationd's prompts.
    package enum Answer: Sendable, Hashable {
        /// The app may know the position while it is used, precisely or approximately.
        case allow(precisely: Bool)
        /// The app may not know the position.
        case deny
    }

    private struct Agent: Sendable, Hashable {
        let name: String
        /// The highest accuracy that the agent's desktop allows programs; nil: unknown so far.
        var level: AccuracyLevel?
    }

    private var agents: [Agent] = []
    private var prompt: PromptNumber?

    /// Creates a coordinator without agents.
    package init() {}

    package var isEmpty: Bool { self.agents.isEmpty }

    /// Whether a program is an agent.
    package func has(_ name: String) -> Bool { self.agents.contains { $0.name == name } }

    /// The highest accuracy that all agents allow.
    package var cap: AccuracyLevel { self.agents.compactMap(\.level).min() ?? .exact }

    /// Records an agent; false: there are too many.
    package mutating func added(_ name: String) -> Bool {
        if self.has(name) { return true }
        guard self.agents.count < Self.agentsMax else { return false }
        self.agents.append(Agent(name: name))
        return true
    }

    /// Records that a program has left the bus; false: it was not an agent.
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

    /// Records that a prompt needs no answer any more.
    package mutating func promptWithdrawn(_ prompt: PromptNumber) {
        if self.prompt == prompt { self.prompt = nil }
    }

    /// Records an agent's answer, or nil if the agent failed; returns the answer to the prompt, or nil.
    package mutating func answered(_ name: String, _ prompt: PromptNumber, _ level: AccuracyLevel?) -> Answer? {
        guard self.prompt == prompt, self.has(name), let level else { return nil }
        self.prompt = nil
        return level == .none ? .deny : .allow(precisely: level.needsFullAccuracy)
    }
}
