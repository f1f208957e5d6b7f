internal import LocationEngine
internal import LocationSources
internal import OrderedCollections
internal import PushEngine
internal import Sharing
internal import SharingEngine

/// A device: locationd with its engine and what it keeps on disk, the processes of apps, a receiver, and a person.
///
/// What this node's life ends with is locationd: apps go on without it, and are taken over by the next one.
final class DeviceNode: Node {
    let plan: Scenario.DevicePlan
    let key: DeviceKey
    let index: Int

    // On disk: locationd's, and the apps' own.
    private(set) var snapshot: EngineSnapshot?
    private var snapshotTime = Instant.start
    private(set) var spool: OrderedDictionary<LocationEngine.PushID, Push> = [:]
    private(set) var homes: [BundleID: Home] = [:]
    /// The apps in which a workout is on.
    var workouts: Set<BundleID> = []
    private var removed: Set<BundleID> = []
    private var launches: [BundleID: Int] = [:]
    /// What is wrong with the apps' extensions.
    var misbehaviours: [BundleID: Scenario.Misbehaviour] = [:]

    // In locationd's memory.
    private(set) var engine: Engine
    private var inputs: [Engine.Input] = []
    private var alarm: Instant?
    private var isUnsaved = false
    private var nextClient: UInt64 = 0
    private var clients: OrderedDictionary<ClientID, AppProcess> = [:]
    private(set) var extensions: OrderedDictionary<LaunchID, AppProcess> = [:]
    private(set) var prompt: Prompt?
    var management = Management()
    var link = LinkState()

    // Of the machine.
    private(set) var apps: OrderedDictionary<BundleID, AppProcess> = [:]
    var receiver: Receiver
    var habit: Scenario.Habit
    let sealing: ModelSealing
    var random: SplitMix64

    /// How long a message takes between an app and locationd.
    private static let passage = Duration.microseconds(200)
    private static let savePause = Duration.seconds(2)

    init(_ index: Int, _ world: Simulation) {
        self.index = index
        self.plan = world.scenario.devices[index]
        self.key = DeviceKey(bytes: Names.key(1, index, 0))
        self.receiver = Receiver(device: index, speed: self.plan.speed)
        self.habit = self.plan.habit
        self.random = SplitMix64(seed: world.scenario.seed ^ 0x6465_7600 ^ UInt64(index) << 32)
        self.sealing = ModelSealing(seed: world.scenario.seed ^ UInt64(index))
        self.engine = Engine(
            policy: .init(),
            now: Now(monotonic: .init(sinceStart: .zero), wall: .init(microseconds: 0))
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
            wall: LocationEngine.WallTime(microseconds: self.wallMicroseconds)
        )
    }

    var sharingWall: SharingEngine.WallTime { .init(milliseconds: self.wallMicroseconds / 1000) }

    // MARK: locationd's life

    override func boot() throws {
        let now = self.engineNow
        let manifests = self.bundles.map { ($0, self.plan(of: $0).manifest) }
        let isFirst = self.snapshot == nil
        if let snapshot = self.snapshot {
            self.engine = Engine(
                restoring: snapshot,
                manifests: manifests,
                running: self.apps.map { ($0.key, $0.value.phase) },
                policy: .init(),
                elapsed: self.snapshotTime.duration(to: self.world.now),
                now: now
            )
        } else {
            self.engine = Engine(policy: .init(), now: now)
        }
        // Extensions of an earlier life end with their supervisor.
        for process in self.extensions.values { process.die() }
        self.extensions = [:]
        self.world.auditors.deviceStarted(self)
        for effect in self.engine.start(now: now) { try self.perform(effect) }
        if isFirst { for (bundle, manifest) in manifests { try self.feed(.appInstalled(bundle, manifest)) } }
        try self.feed(.managementChanged(self.management))
        for process in self.apps.values { self.reconnect(process) }
        for push in self.spool.values { try self.feed(.pushRecovered(push)) }
        self.connectSoon()
        self.setAlarm()
    }

    override func lost() {
        self.inputs = []
        self.alarm = nil
        self.isUnsaved = false
        self.prompt = nil
        self.clients = [:]
        for process in self.apps.values { process.client = nil }
        for process in self.extensions.values { process.client = nil }
        self.receiver.switchOff()
        self.linkLost()
    }

    /// A process that goes on finds locationd again, and says all it holds.
    private func reconnect(_ process: AppProcess) {
        process.thaw()
        self.later(.milliseconds(Int.random(in: 10...500, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            try self.connect(process)
        }
    }

    // MARK: Processes

    /// A person or the system starts an app.
    func launch(_ bundle: BundleID, _ phase: Lifecycle.Phase, _ reason: Lifecycle.LaunchReason) {
        // It may have been removed, or opened, since the system decided to.
        guard self.isInstalled(bundle), self.apps[bundle] == nil else { return }
        self.launches[bundle, default: 0] += 1
        let make =
            switch self.plan(of: bundle).kind {
            case .friends: FriendsApp.init
            case .workout: WorkoutApp.init
            case .weather: WeatherApp.init
            }
        let process = make(bundle, .app, phase, reason, self)
        self.apps[bundle] = process
        self.later(.milliseconds(Int.random(in: 5...50, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            try self.connect(process)
        }
    }

    private func launchExtension(_ bundle: BundleID, _ launch: LaunchID) {
        let process = FriendsExtension(bundle, .pushExtension(launch), .background, .push, on: self)
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
        try self.feed(.appUninstalled(bundle))
    }

    private func connect(_ process: AppProcess) throws {
        guard process.client == nil else { return }
        self.nextClient += 1
        let client = ClientID(self.life << 32 | self.nextClient)
        process.client = client
        self.clients[client] = process
        try self.feed(
            .clientConnected(
                client,
                Principal(bundle: process.bundle, role: process.role),
                Lifecycle.Arrival(phase: process.phase, isManaged: true, reason: process.reason)
            )
        )
        process.run {
            process.connected()
            // Once more, in case it holds something already.
            if process.client != nil { self.declared(process) }
        }
    }

    /// A process of an app ends, by itself or by force.
    func end(_ bundle: BundleID, _ end: Engine.ProcessEnd) throws {
        guard let process = self.apps.removeValue(forKey: bundle) else { return }
        process.die()
        if let client = process.client {
            self.clients[client] = nil
            if self.isUp { try self.feed(.clientVanished(client)) }
        }
        if self.isUp { try self.feed(.appExited(bundle, end)) }
    }

    func endExtension(_ launch: LaunchID, _ end: Engine.ProcessEnd) throws {
        guard let process = self.extensions.removeValue(forKey: launch) else { return }
        process.die()
        if let client = process.client {
            self.clients[client] = nil
            if self.isUp { try self.feed(.clientVanished(client)) }
        }
        if self.isUp { try self.feed(.extensionExited(process.bundle, launch, end)) }
    }

    func process(of client: ClientID) -> AppProcess? { self.clients[client] }

    // MARK: What processes say

    func requestAlways(_ process: AppProcess) { self.say(process) { .authorizationRequested($0, .always) } }

    func declared(_ process: AppProcess) { self.say(process) { .clientDeclared($0, process.declaration) } }

    func requestPushToken(_ process: AppProcess) { self.say(process) { .pushTokenRequested($0, request: 1) } }

    func completed(_ push: LocationEngine.PushID, _ process: AppProcess) {
        self.say(process) { .pushCompleted($0, push) }
    }

    /// A process says something; lost when the connection is, since all is said again on the next one.
    private func say(_ process: AppProcess, _ input: @escaping (ClientID) -> Engine.Input) {
        guard let client = process.client else { return }
        self.later(Self.passage) { [unowned self] in
            guard self.clients[client] === process else { return }
            try self.feed(input(client))
        }
    }

    private func tell(_ client: ClientID, _ body: @escaping (AppProcess) -> Void) {
        guard let process = self.clients[client] else { return }
        self.world.later(Self.passage) { process.run { body(process) } }
    }

    // MARK: What apps keep

    func home(of bundle: BundleID) -> Home { self.homes[bundle] ?? Home(identity: Names.sharer(device: -1, app: 0)) }

    /// Remembers a request; false when it was remembered, or cannot be.
    func markSeen(_ request: RequestID, of bundle: BundleID) -> Bool {
        guard !self.isDiskFull else { return false }
        return self.homes[bundle]?.seen.insert(request).inserted ?? false
    }

    /// Draws the time of the next statement where pushes are taken.
    func nextRegistrationTime(of bundle: BundleID) -> SharingEngine.WallTime {
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

    /// Keeps a push before it is acknowledged.
    func save(_ push: Push) throws { try self.write { self.spool[push.id] = push } }

    // MARK: The engine

    /// Feeds the engine one input and does what it says; one that comes meanwhile waits for its end.
    func feed(_ input: Engine.Input) throws {
        self.inputs.append(input)
        guard self.inputs.count == 1 else { return }
        while let next = self.inputs.first {
            try self.handle(next)
            self.inputs.removeFirst()
        }
        self.setAlarm()
    }

    private func handle(_ input: Engine.Input) throws {
        self.world.auditors.deviceWill(input, self)
        var effects: [Engine.Effect] = []
        do throws(Unreachable) {
            effects = try self.engine.handle(input, now: self.engineNow)
        } catch {
            self.world.fail("\(self.id) fed its engine what cannot be: \(error.reason)")
        }
        for effect in effects { try self.perform(effect) }
        self.world.auditors.deviceDid(input, effects, self)
    }

    private func setAlarm() {
        guard let next = self.engine.nextDeadline else { return }
        let due = max(Instant(microseconds: next.sinceStart.microseconds + 1), self.world.now)
        guard self.alarm.map({ due < $0 }) ?? true else { return }
        self.alarm = due
        self.later(self.world.now.duration(to: due)) { [unowned self] in
            guard self.alarm == due else { return }
            self.alarm = nil
            try self.feed(.deadlineReached)
        }
    }

    private func perform(_ effect: Engine.Effect) throws {
        switch effect {
        case .persist: try self.persist()
        case .tell(let client, .state(let state)): self.tell(client) { $0.told(state) }
        case .tell(let client, .update(let update, let stream)):
            if let process = self.clients[client] { self.world.auditors.privacy.given(update, to: process) }
            self.tell(client) { $0.told(update, of: stream) }
        case .tell(let client, .diagnostics(let diagnostics, let session)):
            self.tell(client) { $0.told(diagnostics, of: session) }
        case .tell(_, .requestResult): break
        case .tell(let client, .pushToken(let result, _)): self.tell(client) { $0.told(result) }
        case .tell(let client, .push(let push)): self.tell(client) { $0.received(push) }
        case .tell(let client, .warning): self.tell(client) { $0.warned() }
        case .tell(let client, .finish), .disconnect(let client):
            guard let process = self.clients[client], case .pushExtension(let launch) = process.role else { return }
            self.later(.milliseconds(3)) { [unowned self] in try self.endExtension(launch, .exited(0)) }
        case .people(.presentPrompt(let prompt)): self.present(prompt)
        case .people(.withdrawPrompt): self.prompt = nil
        case .people(.showIndicators): break
        case .process(.launchApp(let bundle, _, let reason)):
            self.later(.milliseconds(5)) { [unowned self] in self.launch(bundle, .background, reason) }
        case .process(.freeze(let bundle)):
            self.trace("stops an app", UInt64(Names.index(of: bundle)))
            self.apps[bundle]?.freeze()
        case .process(.thaw(let bundle)):
            self.trace("lets an app go on", UInt64(Names.index(of: bundle)))
            self.apps[bundle]?.thaw()
        case .sensor(.receiver, isOn: true): self.startReceiver()
        case .sensor(.receiver, isOn: false): self.receiver.switchOff()
        case .process(.launchExtension(let bundle, let launch)): self.launchExtension(bundle, launch)
        case .process(.killExtension(let launch)):
            self.later(.milliseconds(5)) { [unowned self] in try self.endExtension(launch, .signalled(15)) }
        case .gateway(.register(let bundle)): self.register(bundle)
        case .gateway(.unregister(let bundle)): self.unregister(bundle)
        case .gateway(.enable(let bundles)): self.enable(bundles)
        case .forgetPush(let push):
            self.world.auditors.pushes.forgot(push, on: self)
            self.spool[push] = nil
        case .note(let note): self.noted(note)
        }
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

    private func persist() throws {
        let snapshot = self.engine.snapshot(now: self.engineNow.monotonic)
        do {
            try self.write {
                self.snapshot = snapshot
                self.snapshotTime = self.world.now
            }
            self.isUnsaved = false
            self.world.auditors.will.saved(on: self)
        } catch is DiskFull {
            guard !self.isUnsaved else { return }
            self.isUnsaved = true
            self.saveLater()
        }
    }

    private func saveLater() {
        self.later(Self.savePause) { [unowned self] in
            guard self.isUnsaved else { return }
            self.isUnsaved = false
            try self.persist()
        }
    }

    // MARK: The receiver

    private func startReceiver() {
        let session = self.receiver.switchOn()
        self.later(Receiver.startTime) { [unowned self] in
            guard self.receiver.isOn, self.receiver.session == session else { return }
            try self.feed(.sensed(.ready(.receiver)))
        }
        self.later(Receiver.firstFixTime) { [unowned self] in try self.measure(session) }
    }

    private func measure(_ session: UInt64) throws {
        guard self.receiver.isOn, self.receiver.session == session else { return }
        self.later(Receiver.interval) { [unowned self] in try self.measure(session) }
        if let fix = self.receiver.fix(at: self.world.now, wall: self.engineNow.wall) {
            try self.feed(.sensed(.fix(fix)))
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
