internal import Conditions
internal import DeviceCore
internal import LocationEngine
internal import LocationSources
internal import OrderedCollections
internal import PushEngine
internal import Sharing
internal import SharingEngine
internal import Vocabulary

/// A device: locationd with its core and its disk, the processes of apps, a receiver, and a person.
///
/// Only locationd dies with the node: apps go on without it, and are taken over by the next one. The core is the one that
/// ships; this shell reports what happens and performs its actions (ADR 0029).
final class DeviceNode: Node {
    let plan: Scenario.DevicePlan
    let key: DeviceKey
    let index: Int

    // On disk: locationd's, and the apps' own.
    private(set) var snapshot: EngineSnapshot?
    private var snapshotTime = Instant.start
    private(set) var spool: OrderedDictionary<PushID, Push> = [:]
    private(set) var homes: [BundleID: Home] = [:]
    /// The apps in which a workout is on.
    var workouts: Set<BundleID> = []
    private var removed: Set<BundleID> = []
    private var launches: [BundleID: Int] = [:]
    /// The faults of the apps' extensions.
    var misbehaviours: [BundleID: Scenario.Misbehaviour] = [:]

    /// The numbers that locationd decides by; a run is some minutes long, and so are stays and the time between changes.
    var policy: Policy = {
        var policy = Policy()
        policy.travel.changeInterval = .seconds(60)
        policy.travel.pause = .seconds(30)
        policy.travel.stayPeriod = .seconds(60)
        return policy
    }()
    /// Makes the processes; nil: as the plan says.
    var makeProcess: MakeProcess?
    typealias MakeProcess = (BundleID, Principal.Role, Lifecycle.Phase, Lifecycle.LaunchReason, DeviceNode) ->
        SimulatedProcess

    // In locationd's memory.
    private(set) var core: DeviceCore
    private var alarm: Instant?
    /// Whether the disk took the newest state.
    private(set) var isSaved = true
    private var orders: UInt64 = 0
    private var nextClient: UInt64 = 0
    private var clients: OrderedDictionary<ClientID, SimulatedProcess> = [:]
    private(set) var extensions: OrderedDictionary<LaunchID, SimulatedProcess> = [:]
    private(set) var prompt: Prompt?
    var management = Management()
    var link = LinkState()

    // Of the machine.
    private(set) var apps: OrderedDictionary<BundleID, SimulatedProcess> = [:]
    var receiver: ReceiverModel
    private var switches = PerSensor { _ in SensorSwitch() }
    var habit: Scenario.Habit
    let sealing: ModelSealing
    var random: SeededGenerator

    /// The time a message takes between an app and locationd.
    private static let passage = Duration.microseconds(200)

    init(_ index: Int, _ world: Simulation) {
        self.index = index
        self.plan = world.scenario.devices[index]
        self.key = DeviceKey(bytes: Names.key(1, index, 0))
        self.receiver = ReceiverModel(device: index, speed: self.plan.speed, rests: self.plan.rests == true)
        self.habit = self.plan.habit
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x6465_7600 ^ UInt64(index) << 32)
        self.sealing = ModelSealing(seed: world.scenario.seed ^ UInt64(index))
        self.core = DeviceCore(
            Engine(policy: .init(), now: Now(monotonic: .init(sinceStart: .zero), wall: .init(microseconds: 0)))
        )
        super.init(.device(index), world)
        for app in self.plan.apps.indices {
            self.homes[Names.bundle(app)] = Home(identity: Names.sharer(device: index, app: app))
        }
    }

    /// The installed apps.
    var bundles: [BundleID] { self.plan.apps.indices.map(Names.bundle).filter(self.isInstalled) }
    func isInstalled(_ bundle: BundleID) -> Bool { !self.removed.contains(bundle) }
    func launchCount(of bundle: BundleID) -> Int { self.launches[bundle] ?? 0 }
    func plan(of bundle: BundleID) -> Scenario.AppPlan { self.plan.apps[Names.index(of: bundle)] }

    // MARK: Clocks

    var engineNow: Now {
        Now(
            monotonic: EngineInstant(sinceStart: .microseconds(self.world.now.microseconds)),
            wall: WallTime(microseconds: self.wallMicroseconds)
        )
    }

    var sharingWall: WallTime { .init(milliseconds: self.wallMicroseconds / 1000) }

    // MARK: locationd's life

    /// A snapshot is a file of its own: renamed, it may be there though the `fsync` of its directory failed.
    override var mayLeaveUnsynced: Bool { true }

    override func boot() throws {
        let now = self.engineNow
        let manifests = self.bundles.map { ($0, self.plan(of: $0).manifest) }
        let isFirst = self.snapshot == nil
        let engine =
            self.snapshot.map { snapshot in
                Engine(
                    restoring: snapshot,
                    manifests: manifests,
                    running: self.apps.map { ($0.key, $0.value.phase) },
                    policy: self.policy,
                    elapsed: self.snapshotTime.duration(to: self.world.now),
                    now: now
                )
            } ?? Engine(policy: self.policy, now: now)
        self.core = DeviceCore(engine)
        // Extensions of an earlier life end with their supervisor.
        for process in self.extensions.values { process.die() }
        self.extensions = [:]
        self.world.auditors.deviceStarted(self)
        if isFirst { for (bundle, manifest) in manifests { try self.feed(.appInstalled(bundle, manifest)) } }
        try self.feed(
            .begun(
                DeviceCore.Beginning(
                    management: self.management,
                    processes: self.apps.map { .init(bundle: $0.key, phase: $0.value.phase) },
                    pushes: Array(self.spool.values)
                )
            )
        )
        for process in self.apps.values { self.reconnect(process) }
        try self.startLink()
    }

    override func lost() {
        self.alarm = nil
        self.prompt = nil
        self.clients = [:]
        for process in self.apps.values { process.client = nil }
        for process in self.extensions.values { process.client = nil }
        for sensor in Sensor.allCases { self.switches[sensor].turnOff() }
        self.linkLost()
    }

    /// A process that goes on finds locationd again, and says all it holds.
    private func reconnect(_ process: SimulatedProcess) {
        self.later(.milliseconds(Int.random(in: 10...500, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            try self.connect(process)
        }
    }

    // MARK: Processes

    /// Starts an app, for a person or for the core.
    private func start(_ bundle: BundleID, _ arrival: Lifecycle.Arrival) throws {
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
            }
        let process = (self.makeProcess ?? make)(bundle, .app, arrival.phase, arrival.reason, self)
        if arrival.reason != .user, self.misbehaviours[bundle] == .silent { process.isSilent = true }
        self.apps[bundle] = process
        try self.feed(.appStarted(bundle))
        self.later(.milliseconds(Int.random(in: 5...50, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            try self.connect(process)
        }
    }

    private func startExtension(_ bundle: BundleID, _ launch: LaunchID) {
        let process = (self.makeProcess ?? FriendsExtension.init)(
            bundle,
            .pushExtension(launch),
            .background,
            .push,
            self
        )
        if self.misbehaviours[bundle] == .silent { process.isSilent = true }
        self.extensions[launch] = process
        self.later(.milliseconds(Int.random(in: 2...40, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            try self.connect(process)
        }
    }

    /// Removes an app; that it is gone is on disk before locationd is told.
    func remove(_ bundle: BundleID) throws {
        self.removed.insert(bundle)
        self.world.auditors.removed(bundle, on: self)
        try self.order(.remove(bundle))
    }

    private func connect(_ process: SimulatedProcess) throws {
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
            // All it holds, as the client library says it on every connection, even when that is nothing.
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
        if case .add(let identifier, let condition, _, _) = change.kind {
            self.world.auditors.conditions.added(identifier, condition, by: process)
        }
        self.say(process) { .monitorChange(change) }
    }

    func requestPushToken(_ process: SimulatedProcess) { self.say(process) { .pushTokenRequest(request: 1) } }

    func completed(_ push: PushID, _ process: SimulatedProcess) {
        self.say(process) { .pushCompleted(push) }
    }

    /// A process says something; lost when the connection is, since all is said again on the next one.
    private func say(_ process: SimulatedProcess, _ message: @escaping () -> ClientMessage) {
        guard let client = process.client else { return }
        self.later(Self.passage) { [unowned self] in
            guard self.clients[client] === process else { return }
            try self.feed(.messageReceived(message(), from: client))
        }
    }

    private func tell(_ client: ClientID, _ body: @escaping (SimulatedProcess) -> Void) {
        guard let process = self.clients[client] else { return }
        self.world.later(Self.passage) { process.run { body(process) } }
    }

    // MARK: Files of apps

    func home(of bundle: BundleID) -> Home { self.homes[bundle] ?? Home(identity: Names.sharer(device: -1, app: 0)) }

    /// Keeps the answers that an app has given.
    func save(_ answers: GivenAnswers, of bundle: BundleID) throws {
        guard !self.isDiskFull else { throw DiskFull() }
        self.homes[bundle]?.answers = answers
    }

    /// Adds a line to the journal of an app.
    func journal(_ entry: JournalEntry, of bundle: BundleID) throws {
        guard !self.isDiskFull else { throw DiskFull() }
        self.homes[bundle]?.journal.append(entry)
    }

    /// Keeps the uses of grants that an app has answered under.
    func save(_ uses: GrantUses, of bundle: BundleID) throws {
        guard !self.isDiskFull else { throw DiskFull() }
        self.homes[bundle]?.uses = uses
    }

    /// Draws the time of the next statement where pushes are taken.
    func nextRegistrationTime(of bundle: BundleID) -> WallTime {
        let time = Registration.time(after: self.home(of: bundle).registered, now: self.sharingWall)
        self.homes[bundle]?.registered = time
        return time
    }

    /// Takes a grant back on the device; false when the disk takes nothing.
    func record(revocationOf grant: GrantID, by bundle: BundleID) -> Bool {
        guard !self.isDiskFull else { return false }
        self.homes[bundle]?.revoked.insert(grant)
        return true
    }

    // MARK: Pushes

    private func keep(_ push: Push) throws {
        do {
            try self.write { self.spool[push.id] = push }
            try self.feed(.pushKept(push.id))
        } catch is DiskFull {
            self.trace("cannot save a push", push.id.low)
            try self.feed(.pushNotKept(push.id, reason: "the disk is full"))
        }
    }

    // MARK: The core

    /// Reports a fact of which only the engine has to know.
    func feed(_ input: Engine.Input) throws { try self.feed(.happened(input)) }

    /// Reports an event to the core and does what it says; one that comes meanwhile waits in the core for its turn.
    func feed(_ event: DeviceCore.Event) throws {
        guard self.core.enqueue(event) else { return }
        while let next = self.core.upcoming {
            self.world.auditors.deviceWill(next, self)
            guard let actions = self.core.next(now: self.engineNow) else { break }
            for action in actions { try self.perform(action) }
            self.world.auditors.deviceDid(next, actions, self)
        }
        _ = self.core.next(now: self.engineNow)
        self.setAlarm()
        try self.readOn()
    }

    /// Orders something in the name of the person; the auditors see whether it has its effect.
    func order(_ order: Order) throws {
        self.orders += 1
        try self.feed(.ordered(order, OrderID(self.orders)))
    }

    private func setAlarm() {
        guard let next = self.core.nextDeadline else { return }
        let due = max(Instant(microseconds: next.sinceStart.microseconds + 1), self.world.now)
        guard self.alarm.map({ due < $0 }) ?? true else { return }
        self.alarm = due
        self.later(self.world.now.duration(to: due)) { [unowned self] in
            guard self.alarm == due else { return }
            self.alarm = nil
            try self.feed(DeviceCore.Event.deadlineReached)
        }
    }

    private func perform(_ action: DeviceCore.Action) throws {
        switch action {
        case .save: try self.save()
        case .keep(let push): try self.keep(push)
        case .acknowledge(let push): try self.acknowledge(push)
        case .forget(let push):
            self.world.auditors.pushes.forgot(push, on: self)
            self.spool[push] = nil
        case .tell(let client, let message): self.tell(client, message)
        case .disconnect(let client): self.cutOff(client)
        case .people(.presentPrompt(let prompt)): self.present(prompt)
        case .people(.withdrawPrompt): self.prompt = nil
        case .process(let order): try self.perform(order)
        case .sensor(let sensor, isOn: true): self.start(sensor)
        case .sensor(let sensor, isOn: false): self.switches[sensor].turnOff()
        case .gateway(let order): try self.perform(order)
        case .note(let note): self.noted(note)
        case .complain(let error): self.world.fail("\(self.id) fed its engine what cannot be: \(error.reason)")
        // Processes are counted by the kernel, no app asks for places, and the auditors look at what became of orders.
        case .people(.showIndicators), .recordProcesses, .tellPlaces, .lookUp, .answer, .end: break
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
        case .thaw(let bundle):
            self.trace("lets an app go on", UInt64(Names.index(of: bundle)))
            self.apps[bundle]?.thaw()
        case .startExtension(let bundle, let launch): self.startExtension(bundle, launch)
        case .killExtension(let launch):
            self.later(.milliseconds(5)) { [unowned self] in try self.endExtension(launch, .signalled(15)) }
        }
    }

    /// Cuts a connection; its process goes on, and comes back.
    private func cutOff(_ client: ClientID) {
        guard let process = self.clients.removeValue(forKey: client) else { return }
        process.client = nil
        process.wasCut = true
        self.reconnect(process)
    }

    private func tell(_ client: ClientID, _ message: Engine.Message) {
        switch message {
        case .state(let state): self.tell(client) { $0.told(state) }
        case .update(let update, let stream):
            if let process = self.clients[client] {
                self.world.auditors.privacy.given(update, on: stream, to: process)
                self.world.auditors.travel.told(update, on: stream, to: process)
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
    }

    private func noted(_ note: Note) {
        self.world.auditors.pushes.noted(note, on: self)
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
                self.snapshot = snapshot
                self.snapshotTime = self.world.now
            }
        } catch let refusal as DiskFull {
            if refusal.mayBeThere { self.world.auditors.will.mayBeSaved(on: self) }
            return try self.feed(.stateNotSaved(reason: "the disk is full"))
        } catch {
            // A death in the write of an older change: its disk may have either.
            self.world.auditors.will.mayBeSaved(on: self)
            throw error
        }
        self.isSaved = true
        self.world.auditors.will.saved(on: self)
        try self.feed(.stateSaved)
    }

    // MARK: Sensors

    private func start(_ sensor: Sensor) {
        let session = self.switches[sensor].turnOn()
        self.later(sensor.startTime) { [unowned self] in
            guard self.switches[sensor].isOn, self.switches[sensor].session == session else { return }
            try self.feed(.sensed(.ready(sensor)))
        }
        self.later(sensor.firstTime) { [unowned self] in try self.measure(sensor, session) }
    }

    private func measure(_ sensor: Sensor, _ session: UInt64) throws {
        guard self.switches[sensor].isOn, self.switches[sensor].session == session else { return }
        self.later(sensor.interval) { [unowned self] in try self.measure(sensor, session) }
        if let element = self.measurement(of: sensor) { try self.feed(.sensed(.measured(element))) }
    }

    private func measurement(of sensor: Sensor) -> Update.Element? {
        switch sensor {
        case .receiver: self.receiver.fix(at: self.world.now, wall: self.engineNow.wall).map { .fix($0) }
        case .compass: .heading(Compass.heading(at: self.world.now, wall: self.engineNow.wall))
        // Nobody asks for beacons, which simulated devices do not hear.
        case .scanner: nil
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
