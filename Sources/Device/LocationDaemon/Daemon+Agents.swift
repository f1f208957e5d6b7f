internal import Foundation
internal import Glibc
internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

private typealias Event = AgentEvent
private typealias Request = AgentRequest

/// Agents show prompts and indicators to people, and return the answers (docs/protocol/agent.md).
///
/// After every input, locationd sends each agent what changed since the agent's last message. So an agent that connects
/// later shows the same as the others, and the first answer removes the prompt from all of them.
extension Daemon {
    /// A connected agent, and the last state that it received.
    struct Agent {
        let connection: PacketConnection
        /// The process that polkit allowed as an agent, and is asked about again at each answer; nil: polkit is not needed.
        let applicant: Applicant?
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

    /// The most connections of each kind to the owner's sockets: agents, tools, and brokers that have not named an app.
    ///
    /// Source: our choice. A person has one or two screens, a tool is connected for milliseconds, and a broker names
    /// the app at once. More connections are a mistake, and each uses a descriptor.
    static let ownersConnectionsMax = 64

    /// The longest purpose, in bytes: it fills a screen.
    static let purposeBytesMax = 1000
    /// The longest name of an app, in bytes: it fills a line.
    static let nameBytesMax = 100
    /// The most bytes of all indicators together; the rest of a packet is spare.
    ///
    /// The indicators of apps that use the location in the background need at most a third, and are never left out.
    private static let indicatorBytesMax = 96 * 1024

    func agentConnected(_ socket: PacketSocket) {
        self.admitOwner(socket) { daemon, reason in
            daemon.turnAwayAgent(socket, reason)
        } admitted: { daemon, applicant in
            daemon.takeAgent(socket, applicant)
        }
    }

    /// Sends an agent the reason for its refusal before any other message, so that the agent does not reconnect.
    private func turnAwayAgent(_ socket: PacketSocket, _ reason: String) {
        if let packet = try? WireMessage.encode(Event.with { $0.refusal.message = reason }) {
            _ = try? socket.send(packet)
        }
    }

    private func takeAgent(_ socket: PacketSocket, _ applicant: Applicant?) {
        guard self.agents.count < Self.ownersConnectionsMax else {
            let reason = "\(Self.ownersConnectionsMax) agents are connected, which is the limit; end one of them"
            return self.turnAwaySurplus(socket, reason) { $0.turnAwayAgent(socket, $1) }
        }
        let key = ObjectIdentifier(socket)
        self.agents[key] = Agent(
            connection: PacketConnection(
                socket,
                queue: self.executor.queue,
                writable: { [weak self] in self?.assumeIsolated { $0.agents[key]?.connection.flush() } },
                event: { [weak self] event in self?.assumeIsolated { $0.agentReceived(event, key) } }
            ),
            applicant: applicant
        )
    }

    private func agentReceived(_ event: PacketConnection.Event, _ key: ObjectIdentifier) {
        guard self.agents[key] != nil else { return }
        guard case .packet(let packet, _) = event, let request = try? WireMessage.decode(Request.self, from: packet)
        else { return self.closeAgent(key) }
        if case .hello = request.body { return self.take(request, key) }
        guard let applicant = self.agents[key]?.applicant else { return self.take(request, key) }
        // Ask again, because a person who has left the seat must not answer for the next one.
        self.askPolkit(about: applicant) { daemon, isAllowed in
            guard daemon.agents[key] != nil, !daemon.isStopping else { return }
            guard !isAllowed else { return daemon.take(request, key) }
            daemon.refusePolkit(applicant)
            daemon.refuse(
                DaemonError("polkit does not allow \(PolkitCoordinator.action) to this agent any more"),
                toAgent: key
            )
            daemon.closeAgent(key)
        }
    }

    private func take(_ request: Request, _ key: ObjectIdentifier) {
        do {
            try self.agentSaid(request, key)
        } catch {
            self.refuse(error, toAgent: key)
        }
    }

    private func closeAgent(_ key: ObjectIdentifier) {
        self.agents.removeValue(forKey: key)?.connection.close()
    }

    private func agentSaid(_ request: Request, _ key: ObjectIdentifier) throws(DaemonError) {
        switch request.body {
        case .hello(let hello):
            guard hello.version == 1 else {
                throw DaemonError("this locationd speaks version 1 of the agent protocol, not \(hello.version)")
            }
            // Forget what the agent last received, so that it receives everything again in the new languages.
            guard let agent = self.agents[key] else { return }
            self.agents[key] = Agent(
                connection: agent.connection,
                applicant: agent.applicant,
                languages: hello.languages
            )
            self.tellAgents()
        case .answer(let answer): try self.answered(answer)
        case .setPhase(let order):
            if let refusal = self.refusalOfProcess(BundleID(order.bundle)) { throw refusal }
            switch order.phase {
            case .foreground: self.show(BundleID(order.bundle), .foreground, key)
            case .background: self.show(BundleID(order.bundle), .background, key)
            case .suspended, .notRunning, .UNRECOGNIZED:
                throw DaemonError("an app's phase can be set to FOREGROUND or BACKGROUND")
            }
        case .dismissActivity(let order):
            let bundle = BundleID(order.bundle)
            guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
            let shown = Engine.Indicator(bundle: bundle, kind: .liveActivity(title: order.title))
            guard self.core.engine.indicators.contains(shown) else {
                throw DaemonError(
                    "\(bundle) shows no live activity \"\(order.title.shown(bytesMax: Self.nameBytesMax))\""
                )
            }
            self.feed(.activityDismissed(bundle, title: order.title))
        case .displayLit: self.feed(.displayLit)
        case nil: throw DaemonError("this locationd does not know the request; the agent may be newer than it")
        }
    }

    private func show(_ bundle: BundleID, _ phase: Lifecycle.Phase, _ key: ObjectIdentifier) {
        self.carryOut(.show(bundle, phase)) { result in
            if let failure = self.failure(result, of: .show(bundle, phase)) { self.refuse(failure, toAgent: key) }
        }
    }

    private func refuse(_ error: DaemonError, toAgent key: ObjectIdentifier) {
        self.tell(key, .with { $0.refusal = .with { $0.message = error.description.cut(toBytes: Self.wordsMax) } })
    }

    private func answered(_ answer: AgentAnswer) throws(DaemonError) {
        guard let prompt = self.core.engine.currentPrompt, prompt.id.rawValue == answer.prompt else {
            throw DaemonError("the prompt \(answer.prompt) was answered or taken back meanwhile")
        }
        let choices = prompt.question.choices
        guard choices.contains(answer.choice), let said = Prompt.Answer(answer) else {
            throw DaemonError(
                "the prompt \(answer.prompt) has the choices \(choices.map(\.name).joined(separator: ", "))"
            )
        }
        self.feed(.promptAnswered(prompt.id, said))
    }

    // MARK: Telling

    /// Sends every agent the changes since the last state that it received.
    func tellAgents() {
        guard !self.agents.isEmpty else { return }
        let prompt = self.core.engine.currentPrompt
        var activities = 0
        let phases = self.bundles.apps.keys.sorted().map { bundle in
            let status = self.core.engine.status(of: bundle)
            activities += status?.liveActivities.count ?? 0
            return AppPhase(bundle: bundle, process: status?.process ?? .notRunning)
        }
        let shown = self.core.engine.indicators
        let indicators = Indicators(shown: shown, leftOut: activities - shown.count(where: \.isLiveActivity))
        for (key, agent) in self.agents {
            guard let languages = agent.languages else { continue }
            if agent.phases != phases {
                self.agents[key]?.phases = phases
                self.tell(key, .with { $0.apps = self.apps(phases, languages) })
            }
            if agent.indicators != indicators {
                self.agents[key]?.indicators = indicators
                self.tell(key, .with { $0.indicators = self.indicators(indicators, languages) })
            }
            if agent.prompt != prompt?.id {
                self.agents[key]?.prompt = prompt?.id
                if let gone = agent.prompt {
                    self.tell(key, .with { $0.withdrawal = .with { $0.prompt = gone.rawValue } })
                }
                if let prompt { self.tell(key, .with { $0.prompt = self.prompt(prompt, languages) }) }
            }
        }
    }

    private func tell(_ key: ObjectIdentifier, _ event: Event) {
        guard let agent = self.agents[key], let packet = self.bounds.packet(event) else { return }
        if !agent.connection.send(packet) {
            self.bounds.warn(.readersCutOff, "an agent does not read and was disconnected")
            self.closeAgent(key)
        }
    }

    private func prompt(_ prompt: Prompt, _ languages: [String]) -> AgentPrompt {
        let texts = self.bundles.apps[prompt.bundle]?.bundle.texts(in: languages)
        let purpose: String?
        switch prompt.question {
        case .whenInUse: purpose = texts?.text(InfoPlistKey.whenInUse)
        case .always, .confirmAlways: purpose = texts?.text(InfoPlistKey.always)
        case .fullAccuracy(let key): purpose = texts?.purpose(key)
        }
        return .with {
            $0.id = prompt.id.rawValue
            $0.bundle = prompt.bundle.rawValue
            $0.appName = self.appName(prompt.bundle, languages)
            $0.purpose = (purpose ?? "").shown(bytesMax: Self.purposeBytesMax)
            $0.choices = prompt.question.choices
            switch prompt.question {
            case .whenInUse(let offersPrecise):
                $0.question = .whenInUse
                $0.offersPrecise = offersPrecise
            case .always: $0.question = .always
            case .confirmAlways: $0.question = .confirmAlways
            case .fullAccuracy: $0.question = .fullAccuracy
            }
        }
    }

    private func indicators(_ indicators: Indicators, _ languages: [String]) -> AgentIndicators {
        let all = indicators.shown.filter { !$0.isLiveActivity } + indicators.shown.filter(\.isLiveActivity)
        var room = Self.indicatorBytesMax
        var leftOut = indicators.leftOut
        var shown: [AgentIndicator] = []
        for indicator in all {
            let wire = AgentIndicator.with {
                $0.bundle = indicator.bundle.rawValue
                $0.appName = self.appName(indicator.bundle, languages)
                switch indicator.kind {
                case .liveActivity(let title): $0.title = title
                case .sharingStopped: $0.sharingStopped = true
                case .locationInBackground: break
                }
            }
            // 16 bytes cover the tag and length that protobuf writes before each text.
            room -= wire.bundle.utf8.count + wire.appName.utf8.count + wire.title.utf8.count + 16
            if room >= 0 { shown.append(wire) } else { leftOut += 1 }
        }
        self.bounds.count(.indicatorsLeftOut, times: leftOut)
        return .with {
            $0.indicators = shown
            $0.leftOut = UInt32(clamping: leftOut)
        }
    }

    private func apps(_ phases: [AppPhase], _ languages: [String]) -> AgentApps {
        .with {
            $0.apps = phases.map { app in
                .with {
                    $0.bundle = app.bundle.rawValue
                    $0.appName = self.appName(app.bundle, languages)
                    $0.phase =
                        switch app.process {
                        case .foreground: .foreground
                        // A headless app is not visible either, so agents see it as a background app.
                        case .background, .headless: .background
                        case .suspended: .suspended
                        case .notRunning: .notRunning
                        }
                }
            }
        }
    }

    private func appName(_ bundle: BundleID, _ languages: [String]) -> String {
        let name = self.bundles.apps[bundle]?.bundle.texts(in: languages).name ?? bundle.rawValue
        return name.shown(bytesMax: Self.nameBytesMax)
    }
}

extension Engine.Indicator {
    fileprivate var isLiveActivity: Bool { if case .liveActivity = self.kind { true } else { false } }
}

extension Prompt.Question {
    /// The answers a person can choose from, in the order of Apple's alerts.
    fileprivate var choices: [AgentChoice] {
        switch self {
        case .whenInUse: [.allowOnce, .allowWhileUsing, .dontAllow]
        case .always, .confirmAlways: [.keepWhileUsing, .changeToAlways]
        case .fullAccuracy: [.allowFullAccuracy, .denyFullAccuracy]
        }
    }
}

extension AgentChoice {
    /// The name in the schema.
    fileprivate var name: String {
        switch self {
        case .unspecified: "UNSPECIFIED"
        case .dontAllow: "DONT_ALLOW"
        case .allowOnce: "ALLOW_ONCE"
        case .allowWhileUsing: "ALLOW_WHILE_USING"
        case .keepWhileUsing: "KEEP_WHILE_USING"
        case .changeToAlways: "CHANGE_TO_ALWAYS"
        case .allowFullAccuracy: "ALLOW_FULL_ACCURACY"
        case .denyFullAccuracy: "DENY_FULL_ACCURACY"
        case .UNRECOGNIZED(let number): "\(number)"
        }
    }
}

extension Prompt.Answer {
    fileprivate init?(_ answer: AgentAnswer) {
        switch answer.choice {
        case .dontAllow: self = .dontAllow
        case .allowOnce: self = .allowOnce(precise: !answer.approximate)
        case .allowWhileUsing: self = .allowWhileUsing(precise: !answer.approximate)
        case .keepWhileUsing: self = .keepWhileUsing
        case .changeToAlways: self = .changeToAlways
        case .allowFullAccuracy: self = .allowFullAccuracy
        case .denyFullAccuracy: self = .denyFullAccuracy
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}
