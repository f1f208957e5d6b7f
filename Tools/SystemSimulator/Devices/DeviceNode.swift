internal import OrderedCollections
internal import WhereaboutsConditions
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A device: locationd with its core and its disk, the processes of apps, a receiver, and a person.
///
/// Only locationd dies with the node: apps continue, and the next locationd takes them over. The core is the real one;
/// this shell reports events to it and performs its actions (ADR 0029).
final class DeviceNode: Node {
    let plan: Scenario.DevicePlan
    let key: DeviceKey
    let index: Int

    // On disk: locationd's, and the apps' own.
    var files = Files()
    var profiles: [BundleID: Home] = [:]
    /// The apps in which a workout is on.
    var workouts: Set<BundleID> = []
    var removed: Set<BundleID> = [] { didSet { self.bundles = self.installed } }
    var launches: [BundleID: Int] = [:]
    /// The faults of the apps' extensions.
    var misbehaviours: [BundleID: Scenario.Misbehaviour] = [:]

    /// The policy of locationd, with short stays and intervals, because a run lasts only some minutes.
    var policy: Policy = {
        var policy = Policy()
        policy.travel.changeInterval = .seconds(60)
        policy.travel.pause = .seconds(30)
        policy.travel.stayPeriod = .seconds(60)
        policy.stillness.period = .seconds(60)
        policy.fitnessStillness.period = .seconds(60)
        return policy
    }()
    /// Makes the processes; nil: as the plan says.
    var makeProcess: MakeProcess?
    typealias MakeProcess = (BundleID, Principal.Role, Lifecycle.Phase, Lifecycle.LaunchReason, DeviceNode) ->
        SimulatedProcess

    /// locationd's files after each write, if the scenario rolls them back.
    var history = DiskHistory(Files())
    /// The files that were replaced by older ones; nil: none are replaced.
    var taken: Files?

    // In locationd's memory.
    var core: DeviceCore
    var numbers = SnapshotNumbers()
    lazy var alarm = self.newAlarm()
    /// Whether the newest state is on disk.
    var isSaved = true
    var orders: UInt64 = 0
    var nextClient: UInt64 = 0
    var clients: OrderedDictionary<ClientID, SimulatedProcess> = [:]
    var extensions: OrderedDictionary<LaunchID, SimulatedProcess> = [:]
    var prompt: Prompt?
    var management = Management()
    var link = LinkState()
    var orphans = OrphanLimit()

    // Of the machine.
    var apps: OrderedDictionary<BundleID, SimulatedProcess> = [:]
    var receiver: ReceiverModel
    var scanner: ScannerModel
    var switches = PerSensor { _ in SensorSwitch() }
    var habit: Scenario.Habit
    let sealing: ModelSealing
    var random: SeededGenerator

    /// The time a message takes between an app and locationd.
    static let passage = Duration.microseconds(200)

    init(_ index: Int, _ world: Simulation) {
        self.index = index
        self.plan = world.scenario.devices[index]
        self.key = DeviceKey(bytes: Names.key(1, index, 0))
        self.receiver = ReceiverModel(
            device: index,
            speed: self.plan.speed,
            rests: self.plan.rests == true,
            strays: self.plan.strays == true
        )
        self.scanner = ScannerModel(self.plan.beacons)
        self.habit = self.plan.habit
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x6465_7600 ^ UInt64(index) << 32)
        self.sealing = ModelSealing(seed: world.scenario.seed ^ UInt64(index))
        self.core = DeviceCore(
            Engine(policy: .init(), now: Now(monotonic: .init(sinceStart: .zero), wall: .init(microseconds: 0)))
        )
        super.init(.device(index), world)
        for app in self.plan.apps.indices {
            self.profiles[Names.bundle(app)] = Home(device: index, app: app)
        }
        self.bundles = self.installed
    }

    /// The installed apps, in the order of the plan.
    private(set) var bundles: [BundleID] = []
    private var installed: [BundleID] { self.plan.apps.indices.map(Names.bundle).filter(self.isInstalled) }
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

    /// A snapshot is a separate file: after its rename it may be there although the `fsync` of its directory failed.
    override var mayLeaveUnsynced: Bool { true }

    override func boot() throws {
        // Extensions of an earlier life end with their supervisor.
        for process in self.extensions.values { process.die() }
        self.extensions = [:]
        try self.readNumbers()
        let now = self.engineNow
        let manifests = self.bundles.map { ($0, self.plan(of: $0).manifest) }
        let isFirst = self.files.snapshot == nil
        let engine =
            self.files.snapshot.map { snapshot in
                Engine(
                    restoring: snapshot,
                    manifests: manifests,
                    running: self.apps.map { ($0.key, $0.value.phase) },
                    policy: self.policy,
                    elapsed: self.files.snapshotTime.duration(to: self.world.now),
                    now: now
                )
            } ?? Engine(policy: self.policy, now: now)
        self.core = DeviceCore(engine)
        self.world.auditors.deviceStarted(self)
        if isFirst { for (bundle, manifest) in manifests { try self.feed(.appInstalled(bundle, manifest)) } }
        try self.feed(
            .begun(
                DeviceCore.Beginning(
                    management: self.management,
                    processes: self.apps.map { .init(bundle: $0.key, phase: $0.value.phase) },
                    pushes: Array(self.files.spool.values)
                )
            )
        )
        if self.scanner.isThere { try self.feed(.sensed(.ready(.scanner))) }
        for process in self.apps.values { self.reconnect(process) }
        try self.startLink()
    }

    private func newAlarm() -> Alarm {
        Alarm(self) { [unowned self] in try self.feed(DeviceCore.Event.deadlineReached) }
    }

    override func lost() {
        self.alarm = self.newAlarm()
        self.prompt = nil
        self.clients = [:]
        self.orphans = OrphanLimit()
        for process in self.apps.values { process.client = nil }
        for process in self.extensions.values { process.client = nil }
        for sensor in Sensor.allCases { self.switches[sensor].turnOff() }
        self.linkLost()
    }

    override func rollBack(by span: Duration) { self.putAll(from: span) }

    /// A surviving process connects to locationd again, and declares all that it holds.
    func reconnect(_ process: SimulatedProcess) {
        self.later(.milliseconds(Int.random(in: 10...500, using: &self.random))) { [unowned self] in
            guard process.isAlive else { return }
            try self.connect(process)
        }
    }

    // MARK: Files of apps

    func profile(of bundle: BundleID) -> Home { self.profiles[bundle] ?? Home(device: -1, app: 0) }

    /// Stores the answers that an app has given.
    func save(_ answers: GivenAnswers, of bundle: BundleID) throws {
        guard !self.isDiskFull else { throw DiskFull() }
        self.profiles[bundle]?.answers = answers
    }

    /// Adds a line to the journal of an app.
    func journal(_ entry: JournalEntry, of bundle: BundleID) throws {
        guard !self.isDiskFull else { throw DiskFull() }
        self.profiles[bundle]?.journal.append(entry)
    }

    /// Stores the uses of grants that an app has answered under.
    func save(_ uses: GrantUses, of bundle: BundleID) throws {
        guard !self.isDiskFull else { throw DiskFull() }
        self.profiles[bundle]?.uses = uses
    }

    /// Stores a schedule or a live share, which the app finds at its next check.
    func begin(_ following: Signed<Request>, of bundle: BundleID) throws {
        guard !self.isDiskFull else { throw DiskFull() }
        let id = following.value.firstID
        guard following.value.followMinutes != nil else {
            self.profiles[bundle]?.schedules[id] = following.occurrence(0)
            return
        }
        guard self.profiles[bundle]?.followings[id] == nil else { return }
        self.profiles[bundle]?.followings[id] = Home.Followed(request: following)
        self.world.census.add("a following begins")
        if let app = self.apps[bundle] as? FriendsApp { app.later(Following.look) { app.lookWhoFollows() } }
    }

    /// Counts a run of the app for a live share; nil if the disk is full.
    func nextRun(of following: RequestID, of bundle: BundleID) -> UInt32? {
        guard !self.isDiskFull else { return nil }
        self.profiles[bundle]?.followings[following]?.runs += 1
        return self.profiles[bundle]?.followings[following]?.runs
    }

    /// Ends a live share on the device, with a line in the journal; false if it had ended, or the disk is full.
    func end(_ following: RequestID, _ reason: FollowingEnd.Reason, of bundle: BundleID) -> Bool {
        guard !self.isDiskFull, let known = self.profile(of: bundle).followings[following], known.end == nil else {
            return false
        }
        self.profiles[bundle]?.followings[following]?.end = reason
        let request = known.request.value
        try? self.journal(JournalEntry(reason, of: request, at: self.sharingWall), of: bundle)
        self.world.auditors.followings.ended(request, by: self.profile(of: bundle))
        return true
    }

    /// Returns the time for the device's next registration, and stores it.
    func nextRegistrationTime(of bundle: BundleID, after others: [WallTime] = []) -> WallTime {
        let last = self.profile(of: bundle).registered
        let time = Registration.time(after: (others + (last.map { [$0] } ?? [])).max(), now: self.sharingWall)
        self.profiles[bundle]?.registered = time
        return time
    }

    /// Revokes a grant on the device; false if the disk is full.
    func record(revocationOf grant: GrantID, by bundle: BundleID) -> Bool {
        guard !self.isDiskFull else { return false }
        self.profiles[bundle]?.revoked.insert(grant)
        return true
    }
}
