internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The processes of apps and extensions: how they start, connect, send messages and end.
extension DeviceNode {
    /// Starts an app, for a person or for the core.
    func start(_ bundle: BundleID, _ arrival: Lifecycle.Arrival) throws {
        guard self.isInstalled(bundle), self.apps[bundle] == nil else {
            return try self.feed(.appNotStarted(bundle, reason: "it is gone, or runs"))
        }
        self.launches[bundle, default: 0] += 1
        let make: MakeProcess =
            switch self.plan(of: bundle).kind {
            case .friends: FriendsApp.init
            case .workout: WorkoutApp.init
            case .weather: WeatherApp.init
            case .compass: CompassApp.init
            case .places: PlacesApp.init
            case .travels: TravelsApp.init
            case .guide: GuideApp.init
            case .doors: DoorsApp.init
            }
        let process = (self.makeProcess ?? make)(bundle, .app, arrival.phase, arrival.reason, self)
        if arrival.reason != .user, self.misbehaviours[bundle] == .silent { process.isSilent = true }
        self.apps[bundle] = process
        self.orphans.processStarted(of: bundle)
        try self.feed(.appStarted(bundle))
        self.later(.milliseconds(Int.random(in: 5...50, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            if self.misbehaviours[bundle] == .fails {
                self.world.census.add("an app fails at its start")
                return try self.end(bundle, .exited(1))
            }
            try self.connect(process)
        }
    }

    func startExtension(_ bundle: BundleID, _ launch: LaunchID) {
        let process = (self.makeProcess ?? FriendsExtension.init)(
            bundle,
            .pushExtension(launch),
            .background,
            .push,
            self
        )
        if self.misbehaviours[bundle] == .silent { process.isSilent = true }
        self.extensions[launch] = process
        self.orphans.processStarted(of: bundle)
        self.later(.milliseconds(Int.random(in: 2...40, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            try self.connect(process)
        }
    }

    /// Removes an app; the removal is on disk before locationd is notified.
    func remove(_ bundle: BundleID) throws {
        self.removed.insert(bundle)
        self.world.auditors.removed(bundle, on: self)
        try self.order(.remove(bundle))
    }

    func connect(_ process: SimulatedProcess) throws {
        guard process.client == nil else { return }
        self.nextClient += 1
        let client = ClientID(self.life << 32 | self.nextClient)
        process.client = client
        self.clients[client] = process
        try self.feed(
            .connectionOpened(client, Principal(bundle: process.bundle, role: process.role), Caller())
        )
        process.run {
            guard !process.isSilent else { return }
            process.connected()
            // Like the client library, declare all that the process holds on every connection, even if that is nothing.
            if process.client != nil { self.declared(process) }
        }
    }

    /// A process of an app ends, by itself or by force.
    func end(_ bundle: BundleID, _ end: Engine.ProcessEnd) throws {
        guard let process = self.apps.removeValue(forKey: bundle) else { return }
        process.die()
        if let client = process.client {
            self.clients[client] = nil
            if self.isUp { try self.feed(.connectionClosed(client)) }
        }
        if self.isUp { try self.feed(.appEnded(bundle, end)) }
    }

    func endExtension(_ launch: LaunchID, _ end: Engine.ProcessEnd) throws {
        guard let process = self.extensions.removeValue(forKey: launch) else { return }
        process.die()
        if let client = process.client {
            self.clients[client] = nil
            if self.isUp { try self.feed(.connectionClosed(client)) }
        }
        if self.isUp { try self.feed(.extensionEnded(launch, end)) }
    }

    func process(of client: ClientID) -> SimulatedProcess? { self.clients[client] }

    // MARK: Messages of processes
    func requestAlways(_ process: SimulatedProcess) { self.say(process) { .authorizationRequest(.always) } }

    func declared(_ process: SimulatedProcess) { self.say(process) { .declaration(process.declaration) } }

    func changed(_ change: MonitorChange, _ process: SimulatedProcess) {
        switch change.kind {
        case .add(let identifier, let condition, _, _):
            self.world.auditors.conditions.added(identifier, condition, by: process)
        case .remove(let identifier): self.world.auditors.conditions.removed(identifier, by: process)
        case .handled: break
        }
        self.world.auditors.beacons.changed(change.kind, by: process)
        self.say(process) { .monitorChange(change) }
    }

    func requestPushToken(_ process: SimulatedProcess) { self.say(process) { .pushTokenRequest(request: 1) } }

    func completed(_ push: PushID, _ process: SimulatedProcess) {
        self.say(process) { .pushCompleted(push) }
    }

    /// A process sends a message; it is lost with the connection, because everything is sent again on the next one.
    private func say(_ process: SimulatedProcess, _ message: @escaping () -> ClientMessage) {
        guard let client = process.client else { return }
        self.later(Self.passage) { [unowned self] in
            guard self.clients[client] === process else { return }
            try self.feed(.messageReceived(message(), from: client))
        }
    }

    func tell(_ client: ClientID, _ body: @escaping (SimulatedProcess) -> Void) {
        guard let process = self.clients[client] else { return }
        self.world.later(Self.passage) { process.run { body(process) } }
    }
}
