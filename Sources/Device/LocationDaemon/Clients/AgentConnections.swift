internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The connected agents, and the state that each one shows.
///
/// Each agent receives what changed since its last message. So an agent that connects later shows the same as the others, and the first
/// answer removes the prompt from all of them. Used only on the daemon's queue.
final class AgentConnections {
    /// A connected agent, and the last state that it received.
    private struct Agent {
        let connection: PacketConnection
        /// The process that polkit allowed as an agent, and is asked about again at each answer; nil: polkit is not needed.
        let applicant: PolkitChecks.Applicant?
        /// The languages of the agent's person, preferred first; nil: the agent has not sent `Hello`, and receives nothing yet.
        var languages: [String]?
        var prompt: PromptID?
        var indicators: Indicators?
        var phases: [AppPhase]?
    }

    /// The indicators of apps that are not in the foreground.
    struct Indicators: Hashable {
        var shown: [Engine.Indicator]
        /// The number of live activities that are missing from `shown`.
        var leftOut: Int
    }

    /// An app and the state of its process.
    struct AppPhase: Hashable {
        let bundle: BundleID
        let process: AppStatus.Process
    }

    /// The longest purpose, in bytes: it fills a screen.
    static let purposeBytesMax = 1000
    /// The longest name of an app, in bytes: it fills a line.
    static let nameBytesMax = 100
    private let bounds: BoundLog
    private let reach: Reach<AgentConnections>
    private var agents: [ObjectIdentifier: Agent] = [:]
    /// Whether agents may show an outdated state.
    var mayDiffer = false

    init(bounds: BoundLog, reach: Reach<AgentConnections>) {
        self.bounds = bounds
        self.reach = reach
    }

    var count: Int { self.agents.count }

    /// The number of agents that show something to a person.
    var greetedCount: Int { self.agents.values.count { $0.languages != nil } }

    func holds(_ key: ObjectIdentifier) -> Bool { self.agents[key] != nil }

    /// The agent's process, if polkit must authorize each answer of the agent; otherwise nil.
    func applicant(of key: ObjectIdentifier) -> PolkitChecks.Applicant? { self.agents[key]?.applicant }

    /// Adds a connection, whose events `received` gets on the daemon's queue.
    func add(
        _ socket: PacketSocket,
        _ applicant: PolkitChecks.Applicant?,
        received: @escaping @Sendable (PacketConnection.Event, ObjectIdentifier) -> Void
    ) {
        let key = ObjectIdentifier(socket)
        self.agents[key] = Agent(
            connection: PacketConnection(
                socket,
                queue: self.reach.daemon.queue,
                writable: { [reach] in reach { $0.agents[key]?.connection.flush() } },
                event: { event in received(event, key) }
            ),
            applicant: applicant
        )
    }

    /// Forgets what the agent last received, so that it receives everything again in the new languages.
    func greeted(_ key: ObjectIdentifier, in languages: [String]) {
        guard let agent = self.agents[key] else { return }
        self.agents[key] = Agent(connection: agent.connection, applicant: agent.applicant, languages: languages)
        self.mayDiffer = true
    }

    func close(_ key: ObjectIdentifier) { self.agents.removeValue(forKey: key)?.connection.close() }

    func closeAll() { for agent in self.agents.values { agent.connection.close() } }

    func refuse(_ error: DaemonError, to key: ObjectIdentifier) {
        self.tell(key, .with { $0.refusal = .with { $0.message = error.description.cut(toBytes: Daemon.wordsMax) } })
    }

    /// Sends every agent the changes since the last state that it received.
    ///
    /// - Parameters:
    ///   - engine: the state.
    ///   - bundles: the names and texts of apps.
    func tellChanges(of engine: Engine, _ bundles: BundleStore) {
        guard self.mayDiffer else { return }
        self.mayDiffer = false
        guard !self.agents.isEmpty else { return }
        let prompt = engine.currentPrompt
        var activities = 0
        let phases = bundles.apps.keys.sorted().map { bundle in
            let status = engine.status(of: bundle)
            activities += status?.liveActivities.count ?? 0
            return AppPhase(bundle: bundle, process: status?.process ?? .notRunning)
        }
        let shown = engine.indicators
        let indicators = Indicators(shown: shown, leftOut: activities - shown.count(where: \.isLiveActivity))
        for (key, agent) in self.agents {
            guard let languages = agent.languages else { continue }
            let words = AgentWords(bundles: bundles, languages: languages)
            if agent.phases != phases {
                self.agents[key]?.phases = phases
                self.tell(key, .with { $0.apps = words.apps(phases) })
            }
            if agent.indicators != indicators {
                self.agents[key]?.indicators = indicators
                let shown = words.indicators(indicators)
                self.bounds.count(.indicatorsLeftOut, times: Int(shown.leftOut))
                self.tell(key, .with { $0.indicators = shown })
            }
            if agent.prompt != prompt?.id {
                self.agents[key]?.prompt = prompt?.id
                if let gone = agent.prompt {
                    self.tell(key, .with { $0.withdrawal = .with { $0.prompt = gone.rawValue } })
                }
                if let prompt { self.tell(key, .with { $0.prompt = words.prompt(prompt) }) }
            }
        }
    }

    private func tell(_ key: ObjectIdentifier, _ event: AgentEvent) {
        guard let agent = self.agents[key], let packet = self.bounds.packet(event) else { return }
        if !agent.connection.send(packet) {
            self.bounds.warn(.readersCutOff, "an agent does not read and was disconnected")
            self.close(key)
        }
    }
}

extension Engine.Indicator {
    var isLiveActivity: Bool { if case .liveActivity = self.kind { true } else { false } }
}
