internal import Foundation
internal import Glibc
package import Logging
internal import SwiftProtobuf
internal import WhereaboutsGeoClue
internal import WhereaboutsHostSupport
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Provides GeoClue's name on the system bus with positions from locationd: the shell around ``Broker``.
///
/// **One thread.** Its loop reads the bus, passes each message to the broker, performs the effects, and waits for the bus, locationd or a
/// deadline. Nothing blocks except the question to the bus which process a program is. It is asked once for each program, and given up
/// after five seconds.
///
/// **State.** `broker`: every decision. `links`: the connections of started clients to locationd. `calls`: the unanswered calls.
/// `agentCalls`: the unanswered calls to agents. `peers`: the processes and users of the programs on the bus.
package final class GeoClueService {
    private static let name = "org.freedesktop.GeoClue2"
    private static let agentPath = "/org/freedesktop/GeoClue2/Agent"
    /// The maximum number of programs whose process is cached; when there are more, the cache is emptied.
    private static let peersMax = 256
    /// The maximum number of bus messages in one pass of the loop; then locationd's packets are read, to delay no position.
    private static let messagesPerPass = 64

    /// A question to an agent.
    fileprivate enum AgentCall {
        case level(String)
        case authorization(String, PromptNumber)
    }

    private let bus: SystemBus
    private let runtime: String
    private let logger: Logger
    private let desktopFiles: DesktopFiles
    private var broker: Broker
    private var links: [ClientNumber: AppLink] = [:]
    private var calls: [CallID: BusMessage] = [:]
    private var agentCalls: [UInt64: AgentCall] = [:]
    private var peers: [String: (pid: Int32, user: UInt32)] = [:]
    /// The bundles that are installed in this locationd.
    private var installed: [String: AskerBundle] = [:]
    private var nextCall: UInt64 = 0
    /// The connection that shows whether locationd can be reached.
    private let presence: LocationdLine
    /// The last logged state of the connection to locationd; nil: nothing was logged.
    private var saidPresence: LocationdLine.State?
    /// The connection that receives prompts; nil: there are no agents.
    private var prompts: LocationdLine?

    /// Connects to the system bus, and requests GeoClue's name.
    ///
    /// - Parameters:
    ///   - runtime: the directory of locationd's sockets; nil: the default.
    ///   - environment: the environment variables that name the folders of `.desktop` files.
    ///   - logger: the log for the device's owner.
    /// - Throws: an error that says what is wrong, if the bus cannot be reached or refuses the name.
    package init(runtime: String?, environment: [String: String], logger: Logger) throws {
        self.runtime = runtime ?? SocketPaths.directory
        self.logger = logger
        self.desktopFiles = DesktopFiles(environment: environment)
        self.broker = Broker(user: geteuid())
        self.presence = try LocationdLine(
            SocketPaths.control(in: self.runtime),
            saying: WireControlRequest.with { $0.settings = .init() },
            now: .sinceBoot()
        ) { packet in
            guard case .failure(let failure)? = try? WireMessage.decode(WireControlReply.self, from: packet).body else {
                return nil
            }
            return failure.message
        }
        self.bus = try SystemBus()
        try self.bus.match("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'")
        try self.bus.match(
            "type='signal',interface='org.freedesktop.DBus.Properties',path='\(Self.agentPath)'"
        )
        try self.bus.takeName(Self.name)
    }

    /// Serves until the bus connection ends.
    ///
    /// - Throws: an error that says why it ended.
    package func run() throws -> Never {
        while true {
            let isIdle = try self.letBusWork()
            self.letTimePass()
            self.sayPresence()
            try self.wait(atOnce: !isIdle)
        }
    }

    // MARK: The loop

    /// Handles messages of the bus; returns whether all are handled.
    private func letBusWork() throws -> Bool {
        for _ in 0..<Self.messagesPerPass {
            switch try self.bus.process() {
            case .idle: return true
            case .worked: continue
            case .message(let message): self.received(message)
            }
        }
        return false
    }

    private func letTimePass() {
        let now = EngineInstant.sinceBoot()
        self.presence.deadlineReached(now)
        self.prompts?.deadlineReached(now)
        for (number, link) in self.links { self.take(link.deadlineReached(now), number) }
        self.perform(self.broker.deadlineReached(now: now))
    }

    private func wait(atOnce: Bool) throws {
        let numbers = self.links.keys.sorted()
        var descriptors = [self.bus.descriptor, self.presence.descriptor, self.prompts?.descriptor ?? -1]
        descriptors += numbers.map { self.links[$0]?.descriptor ?? -1 }
        var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        waiting[0].events = self.bus.events
        if unsafe poll(&waiting, nfds_t(waiting.count), atOnce ? 0 : self.patience) < 0, errno != EINTR {
            throw BusError("cannot wait: \(unsafe String(cString: strerror(errno)))")
        }
        let now = EngineInstant.sinceBoot()
        if waiting[1].revents != 0 { self.takePresence(now) }
        if waiting[2].revents != 0 { self.takePrompts(now) }
        for (place, number) in numbers.enumerated() where waiting[place + 3].revents != 0 {
            guard let link = self.links[number] else { continue }
            self.take(link.receive(now), number)
        }
    }

    /// How long `poll` may wait, in milliseconds; -1: without limit.
    private var patience: Int32 {
        var deadline = self.broker.deadline
        deadline.lower(to: self.presence.deadline)
        deadline.lower(to: self.prompts?.deadline)
        for link in self.links.values { deadline.lower(to: link.deadline) }
        let own = deadline.map { deadline in
            Int32(min(max(0, (EngineInstant.sinceBoot().duration(to: deadline) / .milliseconds(1)).rounded(.up)), 2e9))
        }
        return [own, self.bus.patience].compactMap(\.self).min() ?? -1
    }

    // MARK: locationd

    private func takePresence(_ now: EngineInstant) {
        for news in self.presence.receive(now) {
            switch news {
            case .packet(let packet):
                let reply = try? WireMessage.decode(WireControlReply.self, from: packet)
                // Ignore other replies, which answer removals.
                guard case .settings(let settings)? = reply?.body else { continue }
                self.perform(self.broker.appsSeen(settings.apps.map(InstalledApp.init)))
                self.perform(self.broker.locationdSeen(settings.locationServices))
            case .lost:
                // A locationd that starts later may have other apps.
                self.installed = [:]
                self.perform(self.broker.locationdSeen(false))
            }
        }
    }

    /// Logs each change of the connection to locationd once.
    private func sayPresence() {
        guard let state = self.presence.state, state != self.saidPresence else { return }
        switch state {
        case .served where self.saidPresence == nil: self.logger.debug("connected to locationd")
        case .served: self.logger.info("connected to locationd again")
        case .refused(let reason):
            self.logger.warning(
                "locationd refuses locationd-geoclue, so programs that use GeoClue get no position",
                metadata: ["socket": "\(self.presence.path)", "reason": "\(reason)"]
            )
        case .away:
            self.logger.warning(
                "locationd cannot be reached, so programs that use GeoClue get no position; start it, or name its directory with --runtime",
                metadata: ["socket": "\(self.presence.path)"]
            )
        }
        self.saidPresence = state
    }

    private func takePrompts(_ now: EngineInstant) {
        for case .packet(let packet) in self.prompts?.receive(now) ?? [] {
            switch (try? WireMessage.decode(AgentEvent.self, from: packet))?.body {
            case .prompt(let prompt) where prompt.question == .whenInUse:
                self.perform(self.broker.promptShown(PromptNumber(prompt.id), prompt.bundle))
            case .withdrawal(let withdrawal): self.broker.promptWithdrawn(PromptNumber(withdrawal.prompt))
            default: break
            }
        }
    }

    private func take(_ news: [AppLink.News], _ number: ClientNumber) {
        for news in news {
            let now = EngineInstant.sinceBoot()
            switch news {
            case .installed:
                if let link = self.links[number] { self.installed[link.identifier] = link.bundle }
            case .permission(let permission):
                self.perform(self.broker.permissionChanged(permission, of: number, now: now))
            case .position(let position): self.perform(self.broker.positionReceived(position, for: number, now: now))
            case .nowhere: self.broker.positionVanished(for: number, now: now)
            case .lost(let reason):
                self.ended(number, reason)
                self.perform(self.broker.lost(number, reason, now: now))
            case .refused(let reason):
                self.ended(number, reason)
                self.perform(self.broker.refused(number, reason, now: now))
            }
        }
    }

    private func ended(_ number: ClientNumber, _ reason: String) {
        self.logger.debug("a connection with locationd ended", metadata: ["reason": "\(reason)"])
        // A person may have removed the app from locationd. Forget it, so that the next `Start` installs it again.
        if let link = self.links.removeValue(forKey: number) { self.installed[link.identifier] = nil }
    }

    // MARK: Effects

    private func perform(_ effects: [Broker.Effect]) {
        for effect in effects {
            do {
                try self.perform(effect)
            } catch {
                self.logger.warning("a message was not sent", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func perform(_ effect: Broker.Effect) throws {
        switch effect {
        case .answer(let call, let answer): try self.answer(call, answer)
        case .connect(let number, let asker): self.connect(number, asker, installs: true)
        case .reconnect(let number, let asker): self.connect(number, asker, installs: false)
        case .disconnect(let number):
            // If a connection ends while its app requests positions, locationd assumes that the app crashed and may
            // return.
            self.links.removeValue(forKey: number)?.withdraw()
        case .ask(let number): self.links[number]?.ask()
        case .declare(let number, let service): self.links[number]?.declare(service)
        case .withdraw(let number): self.links[number]?.withdraw()
        case .updated(let name, let client, let old, let new):
            let signal = try self.bus.makeSignal(client, GeoClueInterface.client, "LocationUpdated", to: name)
            try signal.append(.path(old))
            try signal.append(.path(new))
            try self.bus.send(signal)
        case .changed(let name, let path, let interface, let entries):
            let signal = try self.bus.makeSignal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged", to: name)
            try signal.append(.text(interface))
            try signal.append(entries)
            try signal.appendNoTexts()
            try self.bus.send(signal)
        case .meet(let agent):
            let call = try self.bus.makeCall(agent, Self.agentPath, "org.freedesktop.DBus.Properties", "Get")
            try call.append(.text(GeoClueInterface.agent))
            try call.append(.text("MaxAccuracyLevel"))
            self.agentCalls[try self.bus.call(call)] = .level(agent)
        case .watchPrompts(let watches): try self.watchPrompts(watches)
        case .authorize(let agent, let prompt, let desktopID, let level):
            let call = try self.bus.makeCall(agent, Self.agentPath, GeoClueInterface.agent, "AuthorizeApp")
            try call.append(.text(desktopID))
            try call.append(.number(level.rawValue))
            self.agentCalls[try self.bus.call(call)] = .authorization(agent, prompt)
        case .forget(let bundle):
            self.installed[bundle] = nil
            self.presence.send(WireControlRequest.with { $0.uninstall.bundle = bundle })
        case .recount: self.presence.send(WireControlRequest.with { $0.settings = .init() })
        case .answerPrompt(let prompt, let answer):
            self.prompts?.send(
                AgentRequest.with {
                    $0.answer.prompt = prompt.rawValue
                    switch answer {
                    case .allow(let precisely):
                        $0.answer.choice = .allowWhileUsing
                        $0.answer.approximate = !precisely
                    case .deny: $0.answer.choice = .dontAllow
                    }
                }
            )
        }
    }

    private func connect(_ number: ClientNumber, _ asker: Asker, installs: Bool) {
        let bundle = AskerBundle(asker, self.desktopFiles.entry(of: asker))
        let link = AppLink(runtime: self.runtime, asker: asker, bundle: bundle)
        self.links[number] = link
        let isInstalled = !installs || self.installed[asker.bundle] == bundle
        self.take(link.start(isInstalled: isInstalled, now: .sinceBoot()), number)
    }

    private func watchPrompts(_ watches: Bool) throws {
        guard watches else {
            self.prompts = nil
            return
        }
        guard self.prompts == nil else { return }
        let hello = AgentRequest.with { $0.hello.version = 1 }
        self.prompts = try LocationdLine(
            SocketPaths.agent(in: self.runtime),
            saying: hello,
            now: .sinceBoot()
        ) { packet in
            guard case .refusal(let refusal)? = try? WireMessage.decode(AgentEvent.self, from: packet).body else {
                return nil
            }
            return refusal.message
        }
    }

    private func answer(_ id: CallID, _ answer: BusAnswer) throws {
        guard let call = self.calls.removeValue(forKey: id), call.expectsReply else { return }
        if case .refused(let refusal) = answer { return try self.bus.send(self.bus.makeError(refusal, to: call)) }
        let reply = try self.bus.makeReply(to: call)
        switch answer {
        case .done, .refused: break
        case .path(let path): try reply.append(.path(path))
        case .value(let value): try reply.appendVariant(value)
        case .values(let entries): try reply.append(entries)
        }
        try self.bus.send(reply)
    }

    // MARK: The bus

    private func received(_ message: BusMessage) {
        switch message.kind {
        case .call: self.called(message)
        case .signal: self.signalled(message)
        case .reply, .error:
            guard let call = message.replyCookie.flatMap({ self.agentCalls.removeValue(forKey: $0) }) else { return }
            self.agentAnswered(call, message)
        case nil: break
        }
    }

    private func signalled(_ signal: BusMessage) {
        switch signal.member {
        case "NameOwnerChanged":
            guard signal.sender == "org.freedesktop.DBus", let name = signal.readText(), signal.readText() != nil,
                signal.readText() == ""
            else { return }
            self.peers[name] = nil
            self.agentCalls = self.agentCalls.filter { !$0.value.isOf(name) }
            self.perform(self.broker.vanished(name, now: .sinceBoot()))
        case "PropertiesChanged" where self.broker.isAgent(signal.sender):
            self.perform([.meet(agent: signal.sender)])
        default: break
        }
    }

    private func agentAnswered(_ call: AgentCall, _ message: BusMessage) {
        switch call {
        case .level(let agent):
            guard message.kind == .reply, case .number(let level)? = message.readVariant() else { return }
            self.perform(self.broker.agentAllowed(agent, level, now: .sinceBoot()))
        case .authorization(let agent, let prompt):
            var level: AccuracyLevel?
            if message.kind == .reply, let isAuthorized = message.readFlag(), let number = message.readNumber() {
                level = isAuthorized ? AccuracyLevel(number: number) : AccuracyLevel.none
            }
            self.perform(self.broker.agentAnswered(agent, prompt, level))
        }
    }

    private func called(_ message: BusMessage) {
        let id = CallID(self.nextCall)
        self.nextCall += 1
        self.calls[id] = message
        if message.member == "Introspect", message.interface == "org.freedesktop.DBus.Introspectable" {
            return self.introspected(message, id)
        }
        guard let process = self.process(of: message.sender) else {
            // The caller has left the bus, so an answer is not needed.
            self.calls[id] = nil
            return
        }
        let method: BusCall.Method
        do throws(Refusal) {
            method = try Self.method(of: message, process.pid)
        } catch {
            return self.perform([.answer(id, .refused(error))])
        }
        let peer = BusPeer(name: message.sender, user: process.user)
        self.perform(self.broker.called(BusCall(id, from: peer, on: message.path, method), now: .sinceBoot()))
    }

    private func introspected(_ message: BusMessage, _ id: CallID) {
        self.calls[id] = nil
        do {
            let reply = try self.bus.makeReply(to: message)
            try reply.append(.text(Introspection.text(of: ObjectPath(message.path))))
            try self.bus.send(reply)
        } catch {
            self.logger.warning("a message was not sent", metadata: ["reason": "\(error)"])
        }
    }

    private func process(of name: String) -> (pid: Int32, user: UInt32)? {
        if let known = self.peers[name] { return known }
        guard let process = self.bus.process(of: name) else { return nil }
        if self.peers.count >= Self.peersMax { self.peers = [:] }
        self.peers[name] = process
        return process
    }

    /// Reads the method of a call and its arguments.
    ///
    /// - Throws: the refusal of an unknown method, or of arguments that the method does not have.
    private static func method(of message: BusMessage, _ pid: Int32) throws(Refusal) -> BusCall.Method {
        let method: BusCall.Method?
        let arguments: String
        switch (message.interface, message.member) {
        case (GeoClueInterface.manager, "GetClient"), ("", "GetClient"): (method, arguments) = (.getClient, "")
        case (GeoClueInterface.manager, "CreateClient"), ("", "CreateClient"): (method, arguments) = (.createClient, "")
        case (GeoClueInterface.manager, "DeleteClient"), ("", "DeleteClient"):
            (method, arguments) = (message.readText(UInt8(ascii: "o")).map { .deleteClient($0) }, "o")
        case (GeoClueInterface.manager, "AddAgent"), ("", "AddAgent"):
            (method, arguments) = (message.readText().map { .addAgent($0, ProcessFacts(of: pid)) }, "s")
        case (GeoClueInterface.client, "Start"), ("", "Start"):
            (method, arguments) = (.start(ProcessFacts(of: pid)), "")
        case (GeoClueInterface.client, "Stop"), ("", "Stop"): (method, arguments) = (.stop, "")
        case ("org.freedesktop.DBus.Properties", "Get"), ("", "Get"):
            let texts = message.readTexts(2)
            (method, arguments) = (texts.map { .get(interface: $0[0], property: $0[1]) }, "ss")
        case ("org.freedesktop.DBus.Properties", "GetAll"), ("", "GetAll"):
            (method, arguments) = (message.readText().map { .getAll(interface: $0) }, "s")
        case ("org.freedesktop.DBus.Properties", "Set"), ("", "Set"):
            let texts = message.readTexts(2)
            (method, arguments) = (
                texts.map { .set(interface: $0[0], property: $0[1], message.readVariant()) }, "ssv"
            )
        default: throw .unknownMethod
        }
        guard let method, message.isRead else {
            let words = arguments.isEmpty ? "no arguments" : "arguments of the signature \(arguments)"
            throw .invalidArguments("\(message.member) has \(words)")
        }
        return method
    }
}

extension GeoClueService.AgentCall {
    /// Whether this is a call to the agent with this name.
    fileprivate func isOf(_ name: String) -> Bool {
        switch self {
        case .level(let agent), .authorization(let agent, _): agent == name
        }
    }
}

extension InstalledApp {
    /// Creates an app from its settings; Allow Once and approximate access also count as decisions.
    fileprivate init(_ app: WireAppSettings) {
        let isDecided = app.location != .askNextTime || app.allowedOnce || !app.precise
        self.init(bundle: app.bundle, isDecided: isDecided)
    }
}
