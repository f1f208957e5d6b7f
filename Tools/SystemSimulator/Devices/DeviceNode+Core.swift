internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Reports events to the core of locationd, and performs its actions.
extension DeviceNode {
    /// Reports an event that concerns only the engine.
    func feed(_ input: Engine.Input) throws { try self.feed(.happened(input)) }

    /// Reports an event to the core and performs its effects.
    ///
    /// An event that arrives meanwhile waits in the core.
    func feed(_ event: DeviceCore.Event) throws {
        guard self.core.enqueue(event) else { return }
        while let next = Self.upcoming(&self.core) {
            self.world.auditors.deviceWill(next, self)
            guard let actions = self.core.next(now: self.engineNow) else { break }
            for action in actions { try self.perform(action) }
            self.world.auditors.deviceDid(next, actions, self)
        }
        _ = self.core.next(now: self.engineNow)
        self.alarm.follow(Self.nextDeadline(&self.core))
        try self.readOn()
    }

    /// Gives an order of the person; the auditors check its effect.
    func order(_ order: Order) throws {
        self.orders += 1
        try self.feed(.ordered(order, OrderID(self.orders)))
    }

    // MARK: Reading the core

    // Reading a part of a class's property copies all of a large value. These functions borrow it, as long as they are not inlined.

    typealias Statuses = [(BundleID, AppStatus)]

    /// The state of each installed app that the engine knows.
    var statuses: Statuses { Self.statuses(of: self.bundles, &self.core) }

    func status(of bundle: BundleID) -> AppStatus? { Self.statuses(of: [bundle], &self.core).first?.1 }

    var areServicesOn: Bool { Self.areServicesOn(&self.core) }

    @inline(never) private static func statuses(of bundles: [BundleID], _ core: inout DeviceCore) -> Statuses {
        bundles.compactMap { bundle in core.engine.status(of: bundle).map { (bundle, $0) } }
    }

    @inline(never) private static func areServicesOn(_ core: inout DeviceCore) -> Bool { core.engine.areServicesOn }

    @inline(never) private static func upcoming(_ core: inout DeviceCore) -> DeviceCore.Event? { core.upcoming }

    @inline(never) private static func nextDeadline(_ core: inout DeviceCore) -> EngineInstant? {
        core.nextDeadline?.at
    }

    private func perform(_ action: DeviceCore.Action) throws {
        switch action {
        case .save: try self.save()
        case .keep(let push): try self.keep(push)
        case .acknowledge(let push): try self.acknowledge(push)
        case .forget(let push):
            self.world.auditors.pushes.forgot(push, on: self)
            self.files.spool[push] = nil
            self.copyFiles()
        case .tell(let client, let message): self.tell(client, message)
        case .disconnect(let client): self.cutOff(client)
        case .people(.presentPrompt(let prompt)): self.present(prompt)
        case .people(.withdrawPrompt): self.prompt = nil
        case .process(let order): try self.perform(order)
        case .sensor(let sensor, isOn: true): self.start(sensor)
        case .sensor(let sensor, isOn: false): self.switches[sensor].turnOff()
        case .gateway(let order): try self.perform(order)
        case .note(let note): self.noted(note)
        case .complain(let error): self.world.fail("\(self.id) gave its engine a wrong input: \(error.reason)")
        // Processes are counted by the kernel, no app asks for places, a device has one receiver and no sources to choose among,
        // and the auditors look at what became of orders.
        case .people(.showIndicators), .recordProcesses, .tellPlaces, .lookUp, .answer, .end, .source, .record: break
        }
    }

    private func perform(_ order: DeviceCore.ProcessOrder) throws {
        switch order {
        case .startApp(let bundle, _, let arrival): try self.start(bundle, arrival)
        case .endApp(let bundle): try self.end(bundle, .signalled(15))
        case .killApp(let bundle): try self.end(bundle, .signalled(9))
        case .freeze(let bundle):
            self.trace("stops an app", UInt64(Names.index(of: bundle)))
            self.apps[bundle]?.freeze()
            if let process = self.apps[bundle] { self.world.auditors.stays.froze(process) }
        case .thaw(let bundle):
            self.trace("resumes an app", UInt64(Names.index(of: bundle)))
            self.apps[bundle]?.thaw()
        case .startExtension(let bundle, let launch): self.startExtension(bundle, launch)
        case .killExtension(let launch):
            self.later(.milliseconds(5)) { [unowned self] in try self.endExtension(launch, .signalled(15)) }
        }
    }

    /// Cuts a connection; its process continues, and reconnects.
    private func cutOff(_ client: ClientID) {
        guard let process = self.clients.removeValue(forKey: client) else { return }
        process.client = nil
        process.wasCut = true
        self.reconnect(process)
    }

    private func tell(_ client: ClientID, _ message: Engine.Message) {
        switch message {
        case .state(let state):
            self.world.auditors.order.told(state, to: client, self)
            self.tell(client) { $0.told(state) }
        case .update(let update, let stream):
            if let process = self.clients[client] {
                self.world.auditors.order.given(update, to: client, of: process)
                self.world.auditors.told(update, on: stream, to: process)
            }
            self.tell(client) { $0.told(update, of: stream) }
        case .diagnostics(let diagnostics, let session): self.tell(client) { $0.told(diagnostics, of: session) }
        case .monitor(let news, let monitor):
            if let process = self.clients[client] { self.audit(news, to: process) }
            self.tell(client) { $0.told(news, of: monitor) }
        case .requestResult: break
        case .pushToken(let result, _): self.tell(client) { $0.told(result) }
        case .push(let push): self.tell(client) { $0.received(push) }
        case .warning: self.tell(client) { $0.warned() }
        case .finish:
            guard let process = self.clients[client], case .pushExtension(let launch) = process.role else { return }
            self.later(.milliseconds(3)) { [unowned self] in try self.endExtension(launch, .exited(0)) }
        }
    }

    private func audit(_ news: MonitorNews, to process: SimulatedProcess) {
        guard case .event(let event) = news else { return }
        self.world.auditors.privacy.given(event, to: process)
        self.world.auditors.conditions.told(event, to: process)
        self.world.auditors.beacons.told(event, to: process)
    }

    private func noted(_ note: Note) {
        self.world.auditors.pushes.noted(note, on: self)
        self.world.auditors.sessions.noted(note, on: self)
        self.world.census.add(note.name)
        switch note {
        case .pushReceived(let push, _): self.trace("receives a push", push.low)
        case .pushHanded(let push, _): self.trace("hands a push", push.low)
        case .pushCompleted(let push, _): self.trace("completes a push", push.low)
        case .pushRefused(let push, _, _): self.trace("refuses a push", push.low)
        case .authorizationChanged(let bundle, _): self.trace("authorization changes", UInt64(Names.index(of: bundle)))
        case .appLaunched(let bundle, _): self.trace("launches an app", UInt64(Names.index(of: bundle)))
        case .sessionsDropped(let bundle, let count):
            self.trace("drops sessions", UInt64(Names.index(of: bundle)), UInt64(count))
        default: break
        }
    }

    private func save() throws {
        self.isSaved = false
        let snapshot = self.core.engine.snapshot(now: self.engineNow.monotonic)
        do {
            try self.write {
                self.files.snapshot = snapshot
                self.files.snapshotTime = self.world.now
                self.files.number = self.numbers.next
            }
        } catch let refusal as DiskFull {
            if refusal.mayBeThere { self.world.auditors.will.mayBeSaved(on: self) }
            return try self.feed(.stateNotSaved(reason: "the disk is full"))
        } catch {
            // A death during the write: the disk may have the old or the new state.
            self.world.auditors.will.mayBeSaved(on: self)
            throw error
        }
        self.isSaved = true
        _ = self.numbers.kept(self.files.number)
        self.files.lastNumber = self.files.number
        self.copyFiles()
        self.world.auditors.will.saved(on: self)
        try self.feed(.stateSaved)
    }

    // MARK: Pushes
    private func keep(_ push: Push) throws {
        do {
            try self.write { self.files.spool[push.id] = push }
            self.copyFiles()
            try self.feed(.pushKept(push.id))
        } catch is DiskFull {
            self.trace("cannot save a push", push.id.low)
            try self.feed(.pushNotKept(push.id, reason: "the disk is full"))
        }
    }

    // MARK: The person

    private func present(_ prompt: Prompt) {
        self.prompt = prompt
        let reaction = Duration.milliseconds(Int.random(in: 1000...8000, using: &self.random))
        self.later(reaction) { [unowned self] in
            guard self.prompt?.id == prompt.id, let answer = self.habit.answer(to: prompt.question) else { return }
            self.trace("answers a question", UInt64(Names.index(of: prompt.bundle)))
            try self.feed(.promptAnswered(prompt.id, answer))
        }
    }
}
