public import WhereaboutsVocabulary

/// The root of the device's decisions: owns the machines, orders their effects, combines their deadlines.
///
/// Each input passes through the same steps:
///
/// ```
///   input ──▶ settle ──▶ ask ──▶ deliver ──▶ tell ──▶ persist
///     │         │         │         │          │         │
///     │         │         │         │          │         └ save, if anything that survives a restart changed
///     │         │         │         │          └ people their indicators, the gateway its topics
///     │         │         │         └ check what each client may receive, send it, report diagnostics, run the sensors
///     │         │         └ open and withdraw questions, put one before a person
///     │         └ end decisions when an app is no longer in use, begin claims when it is shown
///     └ one machine, or a few, record a fact
/// ```
///
/// The order follows from dependence. A question depends on decisions that lapsed, so asking comes after settling; the
/// reasons why a stream receives nothing name the open question, so delivery comes after asking; sensors run for
/// streams that may be served, so they come after the reasons. The order of *effects* differs in one point:
/// ``Effect/persist`` moves before every effect that is visible outside, so that no client learns a decision that a
/// crash undoes. Only preparations stay before it: they inform nobody, and use the time of the write (ADR 0012).
///
/// The input itself reports nothing. After it, the engine compares the state with what each client last received, and sends
/// the difference: diagnostics are a pure function of the state (ADR 0007). It checks only apps that changed. That is safe
/// by construction (ADR 0029): an app, with its connections, can be changed only through ``Apps``, which marks it; facts for
/// all apps mark all of them where they are stored; and the elements of all streams come from one value, ``Supply``, which
/// is compared as a whole. ``looksAtEverything`` turns the marks off, and a test compares random runs with and without them.
///
/// A measurement that can cause only elements takes a shorter path (``deliverNewest(of:_:now:)``).
public struct Engine: Sendable, Hashable {
    @Boxed var policy: Policy
    /// The rules of the device's owner.
    var management = Management() { didSet { self.apps.markAll() } }
    /// Whether the person has location services on.
    var servicesOn = true { didSet { self.apps.markAll() } }
    var apps = Apps()
    /// The app of each connection; looked up only, never iterated.
    var owners: [ClientID: BundleID] = [:]
    var promptQueue = PromptQueue()
    var sensors: PerSensor<SensorPower>
    /// The offset between the receiver's clock and the device's clock.
    public private(set) var receiverClock: ReceiverClock
    /// The position estimated from the fixes of all receivers.
    private var estimator: FixEstimator
    /// How many fixes were refused since the host started.
    public private(set) var refusedFixes = FixDoubtCounts()
    /// Whether each sensor is known, or assumed, to exist.
    private(set) var sensorsShown = PerSensor { $0.isAssumed } { didSet { self.apps.markAll() } }
    var reduced: ReducedAccuracy
    /// The stillness of the device for each live configuration, in the order of the configurations.
    var stillness: [StationaryPause]
    var budget: PushBudget { didSet { self.isBudgetNew = true } }
    /// Whether the budget changed since the gateway last received its topics.
    private var isBudgetNew = true
    /// The newest measurement of each sensor, while it counts as current.
    var newest = PerSensor<Update.Element?> { _ in nil }
    /// The watched circles of all apps.
    var watch: ConditionWatch
    var beacons: BeaconWatch
    /// The beacons in range, while an app ranges.
    var ranging: BeaconRanging
    /// Finds significant changes and visits, while an app wants them.
    var travels: TravelWatch
    /// Rates fixes for ``watch`` and ``travels``.
    var witness: EvidenceFilter
    /// Whether the host's disk accepts the state.
    public internal(set) var isStorageAvailable = true { didSet { self.apps.markAll() } }
    /// The number of the last added condition; numbers are unique.
    var conditions: UInt64 = 0
    /// The number of the last reported event of a condition; numbers are unique.
    var conditionEvents: UInt64 = 0
    /// The supply that clients last received.
    var offered = Supply()
    /// The last pushes that the budget accepted, oldest first; at most ``recentPushesMax``.
    var recentPushes: [PushID] = []
    /// The apps whose token the gateway has not yet confirmed as unregistered, oldest first; at most ``goneTopicsMax``.
    var goneTopics: [BundleID] = []
    /// The records of apps that were missing or unreadable when the host started; at most ``absentAppsMax``.
    var absent: [EngineSnapshot.AppRecord] = []
    /// The topics that the gateway last received; nil before the first list.
    private var enabledTopics: [BundleID]?
    /// The indicators that people saw last.
    private(set) var shownIndicators: [Indicator] = []
    /// From when the next approximate place is needed; nil when no app wants a place, or one is needed now.
    var nextPlace: EngineInstant?
    /// Whether a stream or an approximate place needed the receiver at the last check.
    var isReceiverNeeded = false
    /// The last reported needed accuracy.
    var neededAccuracy = NeededAccuracy.best
    /// The last saved durable state, without the apps; nil: the state must be saved.
    var saved: Durable?
    /// Whether every app is examined after every input, for a test that compares the results, and for the benchmark.
    package var looksAtEverything = false
    private var launches: UInt64 = 0

    /// How many pushes are remembered to recognise repeats: more than the budget allows in a day, 360.
    static let recentPushesMax = 512

    /// How many tokens may wait to be unregistered: the gateway issues no more to a device.
    static let goneTopicsMax = 256

    /// How many records of absent apps are kept, the newest ones.
    static let absentAppsMax = 128

    /// Creates the engine of a device without apps.
    public init(policy: Policy, now: Now) {
        self._policy = Boxed(policy)
        self.sensors = PerSensor { _ in SensorPower(policy: policy) }
        self.receiverClock = ReceiverClock(policy: policy)
        self.estimator = FixEstimator(policy: policy)
        self.reduced = ReducedAccuracy(policy: policy)
        self.stillness = LiveConfiguration.allCases.map {
            StationaryPause(rule: policy.stillness(of: $0), patience: policy.departurePatience)
        }
        self.budget = PushBudget(policy: policy, now: now.monotonic)
        self.watch = ConditionWatch(policy: policy)
        self.beacons = BeaconWatch(policy: policy.beacons)
        self.ranging = BeaconRanging(policy: policy.beacons)
        self.travels = TravelWatch(policy: policy)
        self.witness = EvidenceFilter(policy: policy.beliefs)
        self.saved = self.durable
    }

    /// The instant to feed ``Input/deadlineReached`` at, and why, or nil when nothing is pending.
    public var nextDeadline: Deadline<DeadlineReason>? {
        var earliest: Deadline<DeadlineReason>?
        earliest.lower(to: self.budget.deadline, .pushBudget)
        for sensor in Sensor.allCases { earliest.lower(to: self.sensors[sensor].deadline, .sensor) }
        earliest.lower(to: self.nextPlace, .approximatePlace)
        earliest.lower(to: self.watch.deadline, .conditions)
        earliest.lower(to: self.witness.deadline, .evidence)
        earliest.lower(to: self.travels.deadline, .travels)
        earliest.lower(to: self.ranging.deadline, .ranging)
        for position in self.apps.indices {
            guard let deadline = self.apps[position].deadline else { continue }
            earliest.lower(to: deadline.at, deadline.reason)
        }
        return earliest
    }

    /// Whether ``Input/deadlineReached`` would change anything.
    public func isDue(now: EngineInstant) -> Bool { self.nextDeadline.map { now >= $0.at } ?? false }

    /// Whether the app is installed.
    public func isInstalled(_ bundle: BundleID) -> Bool { self.apps.position(of: bundle) != nil }

    /// Whether the client is connected.
    public func knows(_ client: ClientID) -> Bool { self.owners[client] != nil }

    /// Starts the engine: the host executes these effects before it feeds the first input.
    public mutating func start(now: Now) -> [Effect] {
        var effects: [Effect] = self.goneTopics.map { .gateway(.unregister($0)) }
        for position in self.apps.indices where self.apps[position].registration.isMonitoring {
            effects.append(.gateway(.register(self.apps[position].bundle)))
        }
        for position in self.apps.indices where self.apps[position].monitors.lost > 0 {
            let app = self.apps[position]
            effects.append(.note(.conditionsLost(app.bundle, count: app.monitors.lost)))
        }
        let changed = self.reconcile(&effects, now: now)
        // No snapshot was saved yet, so the first input saves one.
        if self.recordChanges(of: changed) { self.saved = nil }
        return effects
    }

    /// Applies one input.
    ///
    /// - Returns: the effects, to be executed in this order.
    /// - Throws: ``Unreachable`` when the host broke the contract; the engine is unchanged.
    public mutating func handle(_ input: Input, now: Now) throws(Unreachable) -> [Effect] {
        var effects: [Effect] = []
        if case .sensed(.measured(let element)) = input, self.sensorsShown[element.sensor] {
            // Measurements are frequent, and change nothing that survives a restart unless a stream ends with one.
            guard self.measured(element, &effects, now: now) else { return effects }
        } else if case .sensed(.scanned(let advertisement)) = input, self.sensorsShown[.scanner] {
            guard self.scanned(advertisement, now: now) else { return effects }
        } else {
            try self.apply(input, &effects, now: now)
        }
        let changed = self.reconcile(&effects, now: now)
        guard self.recordChanges(of: changed) else { return effects }
        // Power up and start extensions while the state is being written, because neither informs anyone (ADR 0012).
        return effects.filter(\.isPreparation) + [.persist] + effects.filter { !$0.isPreparation }
    }

    /// Compares the state with what people and clients last received, and sends the difference.
    ///
    /// - Returns: the apps that were checked.
    private mutating func reconcile(_ effects: inout [Effect], now: Now) -> [Int] {
        if self.looksAtEverything { self.apps.markAll() }
        let changed = self.apps.takeMarked()
        for position in changed { self.settle(position, &effects) }
        self.present(&effects)
        self.deliver(to: changed, &effects, now: now)
        self.tellPeople(&effects)
        self.tellGateway(&effects)
        return changed
    }

    /// Lets an app's claims begin and its decisions lapse according to its state, and finds its prompts.
    private mutating func settle(_ position: Int, _ effects: inout [Effect]) {
        let before = self.apps[position]
        let terms = self.terms(of: before.bundle)
        self.apps[unmarked: position].settle(terms, &effects)
        self.ask(position, terms, &effects)
        self.apps.asked(!self.apps[position].questions.isEmpty, at: position)
        // A change may cause further changes.
        if self.apps[position] != before { self.apps.mark(position) }
    }

    private mutating func tellPeople(_ effects: inout [Effect]) {
        guard self.apps.areIndicatorsStale else { return }
        let indicators = self.apps.takeIndicators()
        guard indicators != self.shownIndicators else { return }
        self.shownIndicators = indicators
        effects.append(.people(.showIndicators(indicators)))
    }

    private mutating func tellGateway(_ effects: inout [Effect]) {
        guard self.apps.areTopicsStale || self.isBudgetNew else { return }
        self.isBudgetNew = false
        let topics = self.apps.takeTopics().filter { self.budget.isOpen(for: $0) }
        guard topics != self.enabledTopics else { return }
        self.enabledTopics = topics
        effects.append(.gateway(.enable(topics)))
    }

    private mutating func apply(_ input: Input, _ effects: inout [Effect], now: Now) throws(Unreachable) {
        switch input {
        case .appInstalled(let bundle, let manifest): self.appInstalled(bundle, manifest, &effects, now: now)
        case .appUninstalled(let bundle): self.appUninstalled(bundle, &effects)
        case .servicesSwitched(let on): self.servicesSwitched(on: on, &effects)
        case .managementChanged(let management): self.management = management
        case .appStarted(let bundle, let arrival): self.appStarted(bundle, arrival, now: now)
        case .clientConnected(let client, let principal, let arrival):
            try self.clientConnected(client, principal, arrival, &effects, now: now)
        case .clientDeclared(let client, let declaration): self.clientDeclared(client, declaration, &effects, now: now)
        case .monitorChanged(let client, let change): self.monitorChanged(client, change, &effects, now: now)
        case .storageChanged(let isAvailable): self.storageChanged(isAvailable: isAvailable)
        case .authorizationRequested(let client, let request): self.authorizationRequested(client, request)
        case .fullAccuracyRequested(let client, let purpose, let request):
            self.fullAccuracyRequested(client, purpose, request, &effects)
        case .pushTokenRequested(let client, let request):
            self.pushTokenRequested(client, request, &effects, now: now)
        case .pushMonitoringStopped(let client): self.pushMonitoringStopped(client, &effects)
        case .clientVanished(let client): self.clientVanished(client, &effects, now: now)
        case .terminationBegan(let bundle, let cause): self.terminationBegan(bundle, cause, &effects, now: now)
        case .appExited(let bundle, let end): self.appExited(bundle, end, &effects, now: now)
        case .phaseReported(let client, let phase): self.phaseReported(client, phase, &effects, now: now)
        case .phaseChanged(let bundle, let phase): self.phaseChanged(bundle, phase, &effects, now: now)
        case .appWoken(let bundle): self.appWoken(bundle, &effects, now: now)
        case .activityDismissed(let bundle, let title): self.activityDismissed(bundle, title: title)
        case .displayLit: self.displayLit(now: now.wall)
        case .authorizationSet(let bundle, let setting): self.authorizationSet(bundle, setting, &effects)
        case .accuracySet(let bundle, let precise): self.accuracySet(bundle, precise: precise, &effects)
        case .promptAnswered(let prompt, let answer): self.promptAnswered(prompt, answer, &effects)
        case .sensed(.ready(let sensor)): self.sensorReady(sensor, now: now)
        case .sensed(.lost(let sensor)):
            self.wake(sensor, &effects, now: now)
            self.sensors[sensor].sourceLost()
        // The first measurement of a sensor shows that the device has this sensor.
        case .sensed(.measured(let element)):
            self.sensorReady(element.sensor, now: now)
            if case .fix(let fix)? = self.take(element, now: now) { _ = self.watch(by: fix, now: now) }
        case .sensed(.scanned(let advertisement)):
            self.sensorReady(.scanner, now: now)
            _ = self.scanned(advertisement, now: now)
        case .pushTokenReceived(let bundle, let token): self.pushTokenReceived(bundle, token, &effects)
        case .topicUnregistered(let bundle): self.topicUnregistered(bundle)
        case .pushRegistrationFailed(let bundle): self.pushRegistrationFailed(bundle, &effects)
        case .pushReceived(let push): self.pushReceived(push, &effects, now: now)
        case .pushRecovered(let push): self.pushRecovered(push, &effects, now: now)
        case .pushCompleted(let client, let push): self.pushCompleted(client, push, &effects, now: now)
        case .extensionExited(let bundle, let launch, let end):
            self.extensionExited(bundle, launch, end, &effects, now: now)
        case .deadlineReached: self.deadlineReached(&effects, now: now)
        }
    }

    mutating func nextLaunch() -> LaunchID {
        self.launches += 1
        return LaunchID(self.launches)
    }

    // MARK: Measurements and time

    private mutating func sensorReady(_ sensor: Sensor, now: Now) {
        if !self.sensorsShown[sensor] { self.sensorsShown[sensor] = true }
        // The last survey was made before the scanner vanished, and would be reported twice.
        if sensor == .scanner, self.sensors[sensor].isUnavailable { self.ranging.listeningBegan() }
        self.sensors[sensor].sourceReady(now: now.monotonic)
    }

    /// Records a measurement and gives it to the streams of its sensor.
    ///
    /// - Returns: whether a stream ended or a condition was decided, so that apps must be checked.
    private mutating func measured(_ element: Update.Element, _ effects: inout [Effect], now: Now) -> Bool {
        guard let taken = self.take(element, now: now) else { return false }
        let hasEnded = self.deliverNewest(of: element.sensor, &effects, now: now)
        guard case .fix(let fix) = taken else { return hasEnded }
        let isThereMore = self.watch(by: fix, now: now) || hasEnded
        self.restIfStill(&effects, now: now)
        return isThereMore
    }

    /// Stores a sensor's newest measurement; streams receive the estimate of a position.
    ///
    /// - Returns: the dated measurement, not the estimate, for decisions about conditions; nil: the measurement was dropped.
    private mutating func take(_ element: Update.Element, now: Now) -> Update.Element? {
        guard !self.sensors[element.sensor].isOff,
            let dated = self.dated(element.arrived(self.policy, now: now), now: now),
            let estimate = self.estimated(dated, now: now),
            case .deliver = self.sensors[element.sensor].measured(
                tellsAccuracy: element.tellsAccuracy,
                now: now.monotonic
            )
        else { return nil }
        self.newest[element.sensor] = estimate
        if case .fix(let fix) = estimate {
            for index in self.stillness.indices { self.stillness[index].fixReceived(fix, now: now.monotonic) }
        }
        return dated
    }

    /// A measurement dated by the device's clock; nil: its time is too late or too early.
    private mutating func dated(_ element: Update.Element, now: Now) -> Update.Element? {
        guard case .fix(var fix) = element else { return element }
        switch self.receiverClock.fixCame(measured: fix.time, now: now) {
        case .date(let time): fix.time = time
        case .drop(let doubt):
            self.refusedFixes.count(doubt)
            return nil
        }
        return .fix(fix)
    }

    /// A filtered measurement; nil: it was dropped.
    private mutating func estimated(_ element: Update.Element, now: Now) -> Update.Element? {
        guard case .fix(let fix) = element else { return element }
        switch self.estimator.fixReceived(fix, now: now) {
        case .use(let estimate): return .fix(estimate)
        case .drop(let doubt):
            self.refusedFixes.count(doubt)
            return nil
        }
    }

    private mutating func deadlineReached(_ effects: inout [Effect], now: Now) {
        for sensor in Sensor.allCases {
            switch self.sensors[sensor].deadlineReached(now: now.monotonic) {
            case .stop: effects.append(.sensor(sensor, isOn: false))
            case .start: effects.append(.sensor(sensor, isOn: true))
            case .announce: break
            }
        }
        if let (evidence, fix) = self.witness.silenceLasted(now: now.monotonic) {
            self.watch(by: evidence, fix, now: now.monotonic)
        }
        self.watch.deadlineReached(now: now.monotonic)
        self.travels.deadlineReached(now: now.monotonic)
        self.ranging.deadlineReached(isListening: self.sensors[.scanner].isKnowing, now: now.monotonic)
        let reopened = self.budget.deadlineReached(now: now.monotonic)
        if reopened.hasReopened { effects.append(.note(.budgetReopened)) }
        for bundle in reopened.reopenedApps where self.apps.position(of: bundle) != nil {
            effects.append(.note(.shareReopened(bundle)))
        }
        for position in self.apps.indices {
            guard let deadline = self.apps[position].deadline, now.monotonic >= deadline.at else { continue }
            self.deadlineReached(of: position, &effects, now: now)
        }
    }

    // MARK: Durable state

    /// The durable state besides the apps; a change causes ``Effect/persist``, and passing time does not.
    struct Durable: Sendable, Hashable {
        var servicesOn: Bool
        var pushesRemaining: Int
        var isBudgetOpen: Bool
        var goneTopics: [BundleID]
        /// Represents ``recentPushes``, to which pushes are only appended.
        var newestPush: PushID?
        /// Changes when an app is removed.
        var removals: Int
        /// Represents ``Engine/absent``, which only shrinks.
        var absent: Int
        /// The significant changes and visits that apps received, or will receive.
        var travels: TravelWatch.Told
    }

    private var durable: Durable {
        Durable(
            servicesOn: self.servicesOn,
            pushesRemaining: self.budget.remaining,
            isBudgetOpen: self.budget.isOpen,
            goneTopics: self.goneTopics,
            newestPush: self.recentPushes.last,
            removals: self.apps.removals,
            absent: self.absent.count,
            travels: self.travels.told
        )
    }

    /// Stores the durable state that must be saved.
    ///
    /// - Parameter looked: the apps that were checked; an app that changed since then has a mark.
    /// - Returns: whether the durable state differs from the one saved before.
    private mutating func recordChanges(of looked: [Int]) -> Bool {
        var hasChanged = false
        for position in looked + self.apps.marked where self.apps.recordChanges(at: position) { hasChanged = true }
        let durable = self.durable
        if durable != self.saved { hasChanged = true }
        self.saved = durable
        return hasChanged
    }
}
