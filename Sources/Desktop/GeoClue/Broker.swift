package import WhereaboutsVocabulary

/// All decisions of GeoClue: which programs get clients, their properties, and which positions they receive.
///
/// The host reports calls from the bus and messages from locationd, and performs the effects in their order. Each client has its own
/// ``ClientMachine``; this type limits the number of clients, keeps programs apart, and decides which objects each program sees.
///
/// It serves only programs of its own user: locationd runs as that user, whose person answers only for themselves.
package struct Broker: Sendable, Hashable {
    package struct Configuration: Sendable, Hashable {
        /// The maximum number of clients of one program; all tabs of a browser share one client.
        package var clientsOfPeerMax = 8
        /// The maximum number of clients of all programs.
        package var clientsMax = 64
        /// The maximum number of apps with a claimed identity, so that invented names cannot fill locationd's list.
        package var claimedMax = 16
        /// The maximum number of claimed identities of one program, so that a lying program leaves some for others.
        package var claimedOfProgramMax = 8
        /// The maximum number of GeoClue apps, of locationd's 128: names of units and sandboxes can be invented, too.
        package var appsMax = 64
        /// The timeouts of a client.
        package var client = ClientMachine.Configuration()

        /// Creates the configuration of locationd-geoclue.
        package init() {}
    }

    /// A client and its objects.
    struct Client: Sendable, Hashable {
        let number: ClientNumber
        let owner: String
        var wishes = Wishes()
        var machine: ClientMachine
        /// The permission of the client's app, according to locationd; nil: unknown so far.
        var permission: Permission?
        /// The app that the program was identified as at its last `Start`.
        var asker: Asker?
        /// The last positions, at most two, which the program can read.
        var locations: [Location] = []
        var nextLocation: UInt64 = 0

        struct Location: Sendable, Hashable {
            let number: UInt64
            let position: Position
        }

        var path: String { ObjectPath.client(self.number).text }
        /// The path of the client's newest position; "/" if there is none.
        var locationPath: String {
            self.locations.last.map { ObjectPath.location(self.number, $0.number).text } ?? "/"
        }
    }

    private let configuration: Configuration
    /// The user whose programs are served.
    let user: UInt32
    /// The clients in the order of their numbers.
    private(set) var clients: [Client] = []
    private var nextClient: UInt64 = 1
    /// The GeoClue apps that locationd has, or that it is about to install.
    private var known: KnownApps
    /// The agents of the person's desktop, and their prompt.
    private(set) var agents = AgentCoordinator()
    private(set) var isLocationdThere = false

    /// Creates a broker for a user's programs.
    package init(user: UInt32, _ configuration: Configuration = Configuration()) {
        self.user = user
        self.configuration = configuration
        self.known = KnownApps(configuration)
    }

    /// The time at which to call ``deadlineReached(now:)``.
    package var deadline: EngineInstant? {
        var deadline: EngineInstant?
        for client in self.clients { deadline.lower(to: client.machine.deadline) }
        return deadline
    }

    // MARK: Calls

    package mutating func called(_ call: BusCall, now: EngineInstant) -> [Effect] {
        guard call.peer.user == self.user else {
            return [
                .answer(call.id, .refused(.accessDenied("GeoClue serves only programs of the user \(self.user) here")))
            ]
        }
        guard let path = ObjectPath(call.path) else { return [.answer(call.id, .refused(.unknownObject))] }
        switch call.method {
        case .get(let interface, let property):
            return [.answer(call.id, self.value(path, interface, property, for: call.peer.name))]
        case .getAll(let interface): return [.answer(call.id, self.values(path, interface, for: call.peer.name))]
        case .set(let interface, let property, let value):
            return self.set(path, interface, property, value, call)
        case .getClient, .createClient, .deleteClient, .addAgent:
            guard path == .manager else { return [.answer(call.id, .refused(.unknownMethod))] }
            return self.managerCalled(call)
        case .start(let facts):
            guard let place = self.place(path, of: call.peer.name) else {
                return [.answer(call.id, .refused(.unknownObject))]
            }
            return self.start(place, facts, call.id, now: now)
        case .stop:
            guard let place = self.place(path, of: call.peer.name) else {
                return [.answer(call.id, .refused(.unknownObject))]
            }
            return self.apply(place) { $0.machine.stopped() } + [.answer(call.id, .done)]
        }
    }

    private mutating func managerCalled(_ call: BusCall) -> [Effect] {
        switch call.method {
        case .getClient:
            if let own = self.clients.first(where: { $0.owner == call.peer.name }) {
                return [.answer(call.id, .path(own.path))]
            }
            return self.makeClient(call)
        case .createClient: return self.makeClient(call)
        case .deleteClient(let path):
            guard let place = ObjectPath(path).flatMap({ self.place($0, of: call.peer.name) }) else {
                return [.answer(call.id, .refused(.unknownObject))]
            }
            return self.remove(place) + [.answer(call.id, .done)]
        case .addAgent(_, let facts):
            // A sandboxed program must not answer for the person who confined it, and no program may answer its own prompt.
            guard facts.flatpakInfo == nil, facts.executable != nil,
                !self.clients.contains(where: { $0.owner == call.peer.name })
            else { return [.answer(call.id, .refused(.accessDenied("this program may not be an agent")))] }
            guard self.agents.added(call.peer.name) else {
                return [
                    .answer(
                        call.id,
                        .refused(.limitsExceeded("at most \(AgentCoordinator.agentsMax) agents are allowed"))
                    )
                ]
            }
            return [.answer(call.id, .done), .meet(agent: call.peer.name), .watchPrompts(true)]
        case .start, .stop, .get, .getAll, .set: return []
        }
    }

    private mutating func makeClient(_ call: BusCall) -> [Effect] {
        let count = self.clients.count { $0.owner == call.peer.name }
        guard count < self.configuration.clientsOfPeerMax, self.clients.count < self.configuration.clientsMax,
            !self.agents.has(call.peer.name)
        else {
            let words =
                "a program has \(self.configuration.clientsOfPeerMax) clients at most, all together "
                + "\(self.configuration.clientsMax), and one that answers for people has none"
            return [.answer(call.id, .refused(.limitsExceeded(words)))]
        }
        let client = Client(
            number: ClientNumber(self.nextClient),
            owner: call.peer.name,
            machine: ClientMachine(self.configuration.client)
        )
        self.nextClient += 1
        self.clients.append(client)
        return [.answer(call.id, .path(client.path))]
    }

    private mutating func start(_ place: Int, _ facts: ProcessFacts, _ call: CallID, now: EngineInstant) -> [Effect] {
        let wishes = self.clients[place].wishes
        guard let asker = Asker(facts, claimed: wishes.desktopID, user: self.user) else {
            let words = "this app is unknown; it must set DesktopId to the name of its .desktop file"
            return [.answer(call, .refused(.accessDenied(words)))]
        }
        if let words = self.known.admit(asker) {
            return [.answer(call, .refused(.limitsExceeded(words + "; `locationctl uninstall` makes room"))), .recount]
        }
        guard self.agents.cap > .none else {
            return [.answer(call, .refused(.accessDenied("the person's desktop has location services off")))]
        }
        var effects: [Effect] = []
        // Another program uses the connection now, and must not inherit permissions.
        if let before = self.clients[place].asker, before != asker {
            effects = self.apply(place) { client in
                client.locations = []
                return client.machine.stopped()
            }
        }
        self.clients[place].asker = asker
        return effects + self.apply(place) { $0.machine.started(call, $0.wishes, now: now) }
    }

    // MARK: Programs and locationd

    /// Records that a program left the bus.
    package mutating func vanished(_ name: String, now: EngineInstant) -> [Effect] {
        var effects: [Effect] = []
        while let place = self.clients.firstIndex(where: { $0.owner == name }) { effects += self.remove(place) }
        let before = self.agents.cap
        if self.agents.removed(name) {
            if self.agents.isEmpty { effects.append(.watchPrompts(false)) }
            effects += self.capChanged(from: before, now: now)
        }
        return effects
    }

    /// Records an app's permission, as reported by locationd.
    package mutating func permissionChanged(
        _ permission: Permission,
        of number: ClientNumber,
        now: EngineInstant
    ) -> [Effect] {
        let isOff = self.agents.cap == .none
        return self.apply(number) { client in
            client.permission = permission
            return client.machine.permissionChanged(isOff ? .off : permission, client.wishes, now: now)
        }
    }

    /// Records a position for a client.
    package mutating func positionReceived(
        _ position: Position,
        for number: ClientNumber,
        now: EngineInstant
    ) -> [Effect] {
        self.apply(number) { $0.machine.positionReceived(position, $0.wishes, now: now) }
    }

    /// Records that locationd has no position for a client.
    package mutating func positionVanished(for number: ClientNumber, now: EngineInstant) {
        guard let place = self.clients.firstIndex(where: { $0.number == number }) else { return }
        self.clients[place].machine.positionVanished(now: now)
    }

    /// Records that the connection of a client ended or could not be made, and the reason.
    package mutating func lost(_ number: ClientNumber, _ reason: String, now: EngineInstant) -> [Effect] {
        self.apply(number) { client in
            client.permission = nil
            return client.machine.lost(reason, now: now)
        }
    }

    /// Records that locationd refused a connection for a client's app, and the reason.
    package mutating func refused(_ number: ClientNumber, _ reason: String, now: EngineInstant) -> [Effect] {
        self.apply(number) { client in
            client.permission = nil
            return client.machine.refused(reason, now: now)
        }
    }

    /// Records locationd's list of apps; GeoClue apps of an earlier broker count, too.
    package mutating func appsSeen(_ apps: [InstalledApp]) -> [Effect] {
        let asking = self.clients.filter { $0.machine.isStarted }.compactMap { $0.asker?.bundle }
        return self.known.seen(apps, asking: Set(asking)).map { .forget($0) }
    }

    /// Records whether locationd can be reached.
    package mutating func locationdSeen(_ isThere: Bool) -> [Effect] {
        guard isThere != self.isLocationdThere else { return [] }
        self.isLocationdThere = isThere
        return [self.managerChanged("AvailableAccuracyLevel", .number(self.availableLevel))]
    }

    /// Records that the host's timer fired; the host may call this at any time.
    package mutating func deadlineReached(now: EngineInstant) -> [Effect] {
        var effects: [Effect] = []
        for number in self.clients.map(\.number) {
            effects += self.apply(number) { $0.machine.deadlineReached(now: now) }
        }
        return effects
    }

    // MARK: Agents

    /// Records the highest accuracy that an agent's desktop allows programs.
    package mutating func agentAllowed(_ name: String, _ level: UInt32, now: EngineInstant) -> [Effect] {
        let before = self.agents.cap
        self.agents.allowed(name, AccuracyLevel(number: level))
        return self.capChanged(from: before, now: now)
    }

    /// Records that locationd shows a prompt about an app.
    ///
    /// GeoClue's agents show the name of a desktop ID. For an app that only claims its ID, this name would mislead people.
    package mutating func promptShown(_ prompt: PromptNumber, _ bundle: String) -> [Effect] {
        guard let client = self.clients.first(where: { $0.asker?.bundle == bundle && $0.machine.isStarted }),
            let asker = client.asker, asker.isKnown
        else { return [] }
        return self.agents.promptShown(prompt).map { agent in
            .authorize(
                agent: agent,
                prompt,
                desktopID: asker.desktopID,
                min(AccuracyLevel(number: client.wishes.level), self.agents.cap)
            )
        }
    }

    /// Records that locationd withdrew a prompt.
    package mutating func promptWithdrawn(_ prompt: PromptNumber) { self.agents.promptWithdrawn(prompt) }

    /// Records an agent's answer; nil: the agent failed.
    package mutating func agentAnswered(
        _ name: String,
        _ prompt: PromptNumber,
        _ level: AccuracyLevel?
    ) -> [Effect] {
        self.agents.answered(name, prompt, level).map { [.answerPrompt(prompt, $0)] } ?? []
    }

    /// Whether a program is an agent.
    package func isAgent(_ name: String) -> Bool { self.agents.has(name) }

    /// Applies the desktop's limit to all clients: a limit of 0 stops them, and a higher limit resumes them.
    private mutating func capChanged(from before: AccuracyLevel, now: EngineInstant) -> [Effect] {
        let cap = self.agents.cap
        guard cap != before else { return [] }
        var effects = [self.managerChanged("AvailableAccuracyLevel", .number(self.availableLevel))]
        for number in self.clients.map(\.number) {
            effects += self.apply(number) { client in
                guard let permission = client.permission else { return [] }
                let said = cap == .none ? Permission.off : permission
                let actions = client.machine.permissionChanged(said, client.wishes, now: now)
                return actions.isEmpty ? client.machine.wishesChanged(client.wishes) : actions
            }
            if cap == .none { effects.append(.withdraw(number)) }
        }
        return effects
    }

    // MARK: Clients

    /// The index of a program's client; nil also for another program's client, so that programs cannot find out about others.
    func place(_ path: ObjectPath, of name: String) -> Int? {
        guard case .client(let number) = path else { return nil }
        return self.clients.firstIndex { $0.number == number && $0.owner == name }
    }

    private mutating func remove(_ place: Int) -> [Effect] {
        let effects = self.apply(place) { $0.machine.stopped() }
        self.clients.remove(at: place)
        return effects
    }

    private mutating func apply(
        _ number: ClientNumber,
        _ change: (inout Client) -> [ClientMachine.Action]
    ) -> [Effect] {
        guard let place = self.clients.firstIndex(where: { $0.number == number }) else { return [] }
        return self.apply(place, change)
    }

    /// Changes a client, and converts its machine's actions into effects.
    mutating func apply(_ place: Int, _ change: (inout Client) -> [ClientMachine.Action]) -> [Effect] {
        let wasInUse = self.isInUse
        let actions = change(&self.clients[place])
        var effects: [Effect] = []
        for action in actions { effects += self.perform(action, place) }
        if self.isInUse != wasInUse { effects.append(self.managerChanged("InUse", .flag(self.isInUse))) }
        return effects
    }

    private mutating func perform(_ action: ClientMachine.Action, _ place: Int) -> [Effect] {
        let client = self.clients[place]
        switch action {
        case .connect: return client.asker.map { [.connect(client.number, $0)] } ?? []
        case .reconnect: return client.asker.map { [.reconnect(client.number, $0)] } ?? []
        case .disconnect:
            // If a limit is reached, read the list of apps again, to remove apps without a person's decision.
            let isFull = client.asker.map { self.known.isFull(for: $0) } ?? false
            return [.disconnect(client.number)] + (isFull ? [.recount] : [])
        case .ask: return [.ask(client.number)]
        case .declare: return [.declare(client.number, client.wishes.service(under: self.agents.cap))]
        case .answer(let call, let refusal): return [.answer(call, refusal.map { .refused($0) } ?? .done)]
        case .activeChanged: return [self.clientChanged(client, "Active", .flag(client.machine.isActive))]
        case .forget:
            guard !client.locations.isEmpty else { return [] }
            self.clients[place].locations = []
            return [self.clientChanged(client, "Location", .path("/"))]
        case .tell(let position):
            let old = client.locationPath
            let location = Client.Location(number: client.nextLocation, position: position)
            self.clients[place].nextLocation += 1
            // The signal reports the previous location as the old one.
            self.clients[place].locations = client.locations.suffix(1) + [location]
            let new = self.clients[place].locationPath
            return [
                self.clientChanged(client, "Location", .path(new)),
                .updated(to: client.owner, client: client.path, old: old, new: new),
            ]
        }
    }

    private func clientChanged(_ client: Client, _ property: String, _ value: BusValue) -> Effect {
        .changed(
            to: client.owner,
            path: client.path,
            interface: GeoClueInterface.client,
            [.init(name: property, value: value)]
        )
    }

    private func managerChanged(_ property: String, _ value: BusValue) -> Effect {
        .changed(
            to: nil,
            path: ObjectPath.manager.text,
            interface: GeoClueInterface.manager,
            [.init(name: property, value: value)]
        )
    }
}
