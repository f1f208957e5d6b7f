internal import OrderedCollections

/// The root of the device's decisions: owns the machines, orders their effects, folds their deadlines into one.
///
/// After every input the engine compares what holds with what everybody was told, and tells what changed
/// (``Engine/reconcile(_:now:)``): diagnostics are a pure function of the state, given at once and then on change.
public struct Engine: Sendable, Hashable {
    let policy: Policy
    /// The rules of the device's owner.
    var management = Management()
    /// Whether the person has location services on.
    var servicesOn = true
    /// The installed apps, in the order they were installed.
    var apps: OrderedDictionary<BundleID, App> = [:]
    /// The connections, in the order they came.
    var clients: OrderedDictionary<ClientID, Client> = [:]
    var desk = PromptDesk()
    var receiver: Receiver
    var reduced: ReducedAccuracy
    /// Whether the device stands still, by the rule of each configuration, in its order.
    var stillness: [StationaryPause]
    var budget: PushBudget
    /// The newest fix, while it may stand for the present.
    var newestFix: Fix?
    /// The pushes received last, oldest first; at most ``recentPushesMax``.
    var recentPushes: [PushID] = []
    /// The apps whose token the gateway was not yet seen to take back, oldest first; at most ``goneTopicsMax``.
    var goneTopics: [BundleID] = []
    /// The topics the gateway was told last; nil before it was told anything.
    var enabledTopics: [BundleID]?
    /// What people were shown last.
    var shownIndicators: [Indicator] = []
    /// When the next approximate place is to be looked up; nil when nobody wants one, or one is due.
    var nextPlace: EngineInstant?
    /// Whether a fix changes nothing but what readers are given: nobody waits for a place, for one position, or for a launch.
    var isSteady = false
    /// What the host was told to save last, or began with.
    var saved: Durable?
    private var launches: UInt64 = 0

    /// How many pushes are remembered to recognise one that comes again: more than can be on their way at once.
    static let recentPushesMax = 256

    /// How many tokens wait to be given back: the gateway gives out no more.
    static let goneTopicsMax = 256

    /// Creates the engine of a device without apps.
    public init(policy: Policy, now: Now) {
        self.policy = policy
        self.receiver = Receiver(policy: policy)
        self.reduced = ReducedAccuracy(policy: policy)
        self.stillness = LiveConfiguration.allCases.map { StationaryPause(rule: policy.stillness(of: $0)) }
        self.budget = PushBudget(policy: policy, now: now.monotonic)
        self.saved = self.durable
    }

    /// The instant to feed ``Input/deadlineReached`` at, or nil when nothing is pending.
    public var nextDeadline: EngineInstant? {
        var earliest = self.receiver.deadline
        earliest.lower(to: self.budget.deadline)
        earliest.lower(to: self.nextPlace)
        for index in self.apps.values.indices { earliest.lower(to: self.apps.values[index].deadline) }
        return earliest
    }

    /// What the host must do when it starts, before it feeds anything.
    public mutating func start(now: Now) -> [Effect] {
        var effects: [Effect] = self.goneTopics.map { .gateway(.unregister($0)) }
        for (bundle, app) in self.apps where app.registration.isMonitoring {
            effects.append(.gateway(.register(bundle)))
        }
        self.reconcile(&effects, now: now)
        return effects
    }

    /// Applies one input.
    ///
    /// - Returns: the effects, to be executed in this order.
    /// - Throws: ``Unreachable`` when the host broke the contract; the engine is unchanged.
    public mutating func handle(_ input: Input, now: Now) throws(Unreachable) -> [Effect] {
        if case .sensed(.fix(let fix)) = input { return self.fixReceived(fix, now: now) }
        var effects: [Effect] = []
        try self.apply(input, &effects, now: now)
        self.reconcile(&effects, now: now)
        let durable = self.durable
        guard durable != self.saved else { return effects }
        self.saved = durable
        // What only warms up comes first: an extension starts while the state is being written.
        let urgent = effects.filter(\.isPreparation)
        return urgent + [.persist] + effects.filter { !$0.isPreparation }
    }

    private mutating func apply(_ input: Input, _ effects: inout [Effect], now: Now) throws(Unreachable) {
        switch input {
        case .appInstalled(let bundle, let manifest): self.appInstalled(bundle, manifest, &effects)
        case .appUninstalled(let bundle): self.appUninstalled(bundle, &effects)
        case .servicesSwitched(let on): self.servicesSwitched(on: on, &effects)
        case .managementChanged(let management): self.management = management
        case .clientConnected(let client, let principal, let arrival):
            try self.clientConnected(client, principal, arrival, &effects, now: now)
        case .clientDeclared(let client, let declaration): self.clientDeclared(client, declaration, &effects, now: now)
        case .authorizationRequested(let client, let request): self.authorizationRequested(client, request)
        case .fullAccuracyRequested(let client, let purpose, let request):
            self.fullAccuracyRequested(client, purpose, request, &effects)
        case .pushTokenRequested(let client, let request):
            self.pushTokenRequested(client, request, &effects, now: now)
        case .pushMonitoringStopped(let client): self.pushMonitoringStopped(client, &effects)
        case .clientVanished(let client): self.clientVanished(client, &effects)
        case .terminationBegan(let bundle, let cause): self.terminationBegan(bundle, cause, &effects, now: now)
        case .appExited(let bundle, let end): self.appExited(bundle, end, &effects, now: now)
        case .phaseReported(let client, let phase): self.phaseReported(client, phase, &effects, now: now)
        case .phaseChanged(let bundle, let phase): self.phaseChanged(bundle, phase, &effects, now: now)
        case .activityDismissed(let bundle, let title): _ = self.apps[bundle]?.sessions.activityDismissed(title: title)
        case .authorizationSet(let bundle, let setting): self.authorizationSet(bundle, setting, &effects)
        case .accuracySet(let bundle, let precise): self.accuracySet(bundle, precise: precise, &effects)
        case .promptAnswered(let prompt, let answer): self.promptAnswered(prompt, answer, &effects)
        // Handled before all this: fixes are frequent and change nothing durable.
        case .sensed(.fix): break
        case .sensed(.ready(.receiver)): self.receiver.sourceReady(now: now.monotonic)
        case .sensed(.lost(.receiver)): self.receiver.sourceLost()
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

    // MARK: Fixes and time

    private mutating func fixReceived(_ received: Fix, now: Now) -> [Effect] {
        let tellsAccuracy = received.horizontalAccuracy != nil
        guard case .deliver = self.receiver.fixReceived(tellsAccuracy: tellsAccuracy, now: now.monotonic) else {
            return []
        }
        var fix = received
        fix.horizontalAccuracy = received.horizontalAccuracy ?? self.policy.unknownAccuracy
        fix.arrival = now.monotonic
        let offset = fix.time.duration(to: now.wall)
        if offset > self.policy.receiverClockTolerance || offset < .zero - self.policy.receiverClockTolerance {
            fix.time = now.wall
        }
        self.newestFix = fix
        for index in self.stillness.indices { self.stillness[index].fixReceived(fix, now: now.monotonic) }
        var effects: [Effect] = []
        self.deliverFix(&effects, now: now)
        return effects
    }

    private mutating func deadlineReached(_ effects: inout [Effect], now: Now) {
        switch self.receiver.deadlineReached(now: now.monotonic) {
        case .stop: effects.append(.sensor(.receiver, isOn: false))
        case .announce: break
        }
        let reopened = self.budget.deadlineReached(now: now.monotonic)
        if reopened.hasReopened { effects.append(.note(.budgetReopened)) }
        for bundle in reopened.reopenedApps where self.apps[bundle] != nil {
            effects.append(.note(.shareReopened(bundle)))
        }
        for bundle in self.apps.keys {
            guard let deadline = self.apps[bundle]?.deadline, now.monotonic >= deadline else { continue }
            self.deadlineReached(of: bundle, &effects, now: now)
        }
    }

    private mutating func deadlineReached(of bundle: BundleID, _ effects: inout [Effect], now: Now) {
        guard var app = self.apps[bundle] else { return }
        self.lifecycleDeadlineReached(of: bundle, &app, &effects, now: now)
        switch app.sessions.deadlineReached(now: now.monotonic) {
        case .dropped(let count): effects.append(.note(.sessionsDropped(bundle, count: count)))
        case .ignore: break
        }
        app.relaunch.deadlineReached(now: now.monotonic)
        for waiter in app.registration.deadlineReached(now: now.monotonic) {
            effects.append(.tell(waiter.client, .pushToken(.failure(.unknown), request: waiter.request)))
        }
        switch app.pushExtension.deadlineReached(now: now.monotonic) {
        case .warn(let client): effects += [.note(.extensionWarned(bundle)), .tell(client, .warning)]
        case .kill(let launch): effects += [.note(.extensionKilled(bundle)), .process(.killExtension(launch))]
        case .ignore: break
        }
        self.apps[bundle] = app
    }

    // MARK: What survives a restart

    /// What a change of makes ``Effect/persist`` due: the snapshot less what only time changes.
    struct Durable: Sendable, Hashable {
        var state: EngineSnapshot
        /// Stands for all of ``recentPushes``, which only ever get one more.
        var newestPush: PushID?
    }

    var durable: Durable {
        var state = self.state(now: self.budget.countedUntil)
        state.refillMilliseconds = 0
        state.shares = nil
        return Durable(state: state, newestPush: self.recentPushes.last)
    }
}
