internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

private typealias Event = AgentEvent
private typealias Request = AgentRequest

/// Agents show prompts and indicators to people, and return the answers (docs/protocol/agent.md).
///
/// ``AgentConnections`` keeps what each agent shows.
extension Daemon {
    /// The maximum number of agents, of tools, and of brokers without an app, that are connected to the owner's sockets.
    ///
    /// Source: our choice. A person has one or two screens, a tool is connected for milliseconds, and a broker names
    /// the app at once. More connections are a mistake, and each uses a descriptor.
    static let ownersConnectionsMax = 64

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
        self.agents.add(socket, applicant) { [weak self] event, key in
            self?.assumeIsolated { $0.agentReceived(event, key) }
        }
    }

    private func agentReceived(_ event: PacketConnection.Event, _ key: ObjectIdentifier) {
        guard self.agents.holds(key) else { return }
        guard case .packet(let packet, _) = event, let request = try? WireMessage.decode(Request.self, from: packet)
        else { return self.agents.close(key) }
        if case .hello = request.body { return self.take(request, key) }
        guard let applicant = self.agents.applicant(of: key) else { return self.take(request, key) }
        // Ask again, because a person who has left the seat must not answer for the next one.
        self.askPolkit(about: applicant) { daemon, isAllowed in
            guard daemon.agents.holds(key), !daemon.isStopping else { return }
            guard !isAllowed else { return daemon.take(request, key) }
            daemon.refusePolkit(applicant)
            daemon.agents.refuse(
                DaemonError("polkit does not allow \(PolkitCoordinator.action) to this agent any more"),
                to: key
            )
            daemon.agents.close(key)
        }
    }

    private func take(_ request: Request, _ key: ObjectIdentifier) {
        do {
            try self.agentSaid(request, key)
        } catch {
            self.agents.refuse(error, to: key)
        }
    }

    private func agentSaid(_ request: Request, _ key: ObjectIdentifier) throws(DaemonError) {
        switch request.body {
        case .hello(let hello):
            guard hello.version == 1 else {
                throw DaemonError("this locationd speaks version 1 of the agent protocol, not \(hello.version)")
            }
            self.agents.greeted(key, in: hello.languages)
            self.agents.tellChanges(of: self.core.engine, self.bundles)
        case .answer(let answer):
            let prompt = self.core.engine.currentPrompt
            let said = try Prompt.Answer(answer, to: prompt)
            if let prompt { self.feed(.promptAnswered(prompt.id, said)) }
        case .setPhase(let order):
            if let refusal = self.orderErrors.refusalOfProcess(BundleID(order.bundle)) { throw refusal }
            switch order.phase {
            case .foreground: self.show(BundleID(order.bundle), .foreground, key)
            case .background: self.show(BundleID(order.bundle), .background, key)
            case .suspended, .notRunning, .UNRECOGNIZED:
                throw DaemonError("an app's phase can be set to FOREGROUND or BACKGROUND")
            }
        case .dismissActivity(let order):
            let bundle = BundleID(order.bundle)
            guard self.bundles.apps[bundle] != nil else { throw self.orderErrors.unknown(bundle) }
            let shown = Engine.Indicator(bundle: bundle, kind: .liveActivity(title: order.title))
            guard self.core.engine.indicators.contains(shown) else {
                throw DaemonError(
                    "\(bundle) shows no live activity \"\(order.title.shown(bytesMax: AgentConnections.nameBytesMax))\""
                )
            }
            self.feed(.activityDismissed(bundle, title: order.title))
        case .displayLit: self.feed(.displayLit)
        case nil: throw DaemonError("this locationd does not know the request; the agent may be newer than it")
        }
    }

    private func show(_ bundle: BundleID, _ phase: Lifecycle.Phase, _ key: ObjectIdentifier) {
        self.carryOut(.show(bundle, phase)) { result in
            if let failure = self.orderErrors.failure(result, of: .show(bundle, phase)) {
                self.agents.refuse(failure, to: key)
            }
        }
    }
}
