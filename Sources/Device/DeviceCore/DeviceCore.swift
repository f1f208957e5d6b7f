internal import DequeModule
internal import OrderedCollections
public import WhereaboutsLocationEngine
public import WhereaboutsVocabulary

/// All that a device decides, for every shell: `locationd`, the virtual device and the simulator perform its actions and
/// nothing else.
///
/// The engine decides who may know what. The core decides the rest of a location service's work: who is connected,
/// which processes run and how they are ended, when a state or a push that the disk refused is tried again, in which
/// order a new service continues the work of the old one, and how often geocoders are asked.
///
/// **The cycle.** A shell reports an ``Event``; ``handle(_:now:)`` turns it into inputs of the engine, in order, and the
/// engine's effects into ``Action``s, in order. The host performs them one after the other. An event that comes while
/// actions are performed (a process that could not be started, a disk that is full) waits in ``enqueue(_:)`` until they
/// all are: two events never interleave.
/// ```
///            enqueue            next(now:)                      perform
///   shell ─────────────▶ queue ────────────▶ inputs ▶ effects ▶ actions ─────────▶ shell
///     ▲                                                                              │
///     └────────────────────── events that the actions cause ◀────────────────────────┘
/// ```
/// **A process counts as connected from its first message** (ADR 0029). A new connection belongs to no app until its
/// first message; a process that was started is not connected until then.
public struct DeviceCore: Sendable, Hashable {
    /// The engine, which decides who may know what; shells read it, and only the core changes it.
    public internal(set) var engine: Engine
    var connections = Connections()
    var runs = AppRuns()
    /// The extensions' processes, by launch, in the order they were started.
    var extensions: OrderedDictionary<LaunchID, BundleID> = [:]
    var saving = Saving()
    var pushes = PushKeeping()
    var flow = PushFlow()
    var geocoding: GeocodingQueue
    /// The sources of positions and headings; nil: the host has one device for each sensor.
    public internal(set) var sources: SourceCoordinator?
    var shutdown = Shutdown()
    /// How often which bound was reached.
    public internal(set) var bounds = BoundCounts()
    private var queue: Deque<Event> = []
    private var isBeingEmptied = false

    /// Creates the core of a device.
    ///
    /// - Parameters:
    ///   - engine: new, or restored from what was saved.
    ///   - hasGeocoder: whether the host can look places up.
    ///   - sources: the sources of positions and headings; nil: the host has one device for each sensor.
    public init(_ engine: Engine, hasGeocoder: Bool = false, sources: SourceCoordinator? = nil) {
        self.engine = engine
        self.sources = sources
        self.geocoding = GeocodingQueue(hasServer: hasGeocoder)
    }

    // MARK: The queue

    /// Appends an event to the queue.
    ///
    /// - Returns: whether the caller has to empty the queue with ``next(now:)``; otherwise another caller already does.
    public mutating func enqueue(_ event: Event) -> Bool {
        self.queue.append(event)
        defer { self.isBeingEmptied = true }
        return !self.isBeingEmptied
    }

    /// The event that waits longest; nil when none waits.
    public var upcoming: Event? { self.queue.first }

    /// Handles the event that waits longest.
    ///
    /// - Returns: what to do, in this order; nil when no event waits.
    public mutating func next(now: Now) -> [Action]? {
        guard let event = self.queue.popFirst() else {
            self.isBeingEmptied = false
            return nil
        }
        return self.handle(event, now: now)
    }

    /// The instant to report ``Event/deadlineReached`` at, and why, or nil when nothing is pending.
    public var nextDeadline: Deadline<DeadlineReason>? {
        var earliest: Deadline<DeadlineReason>?
        // Ignore deadlines from before the shutdown: nothing handles them, so a timer for one would fire again at once,
        // forever.
        if self.shutdown.hasBegun {
            earliest.lower(to: self.shutdown.deadline, .shutdown)
            return earliest
        }
        earliest.lower(to: self.runs.deadline, .process)
        if let deadline = self.engine.nextDeadline { earliest.lower(to: deadline.at, .engine(deadline.reason)) }
        earliest.lower(to: self.saving.deadline, .saving)
        earliest.lower(to: self.pushes.deadline, .keepingPushes)
        earliest.lower(to: self.flow.deadline, .pushFlow)
        earliest.lower(to: self.geocoding.deadline, .geocoding)
        earliest.lower(to: self.sources?.deadline, .sources)
        return earliest
    }

    // MARK: Events

    /// Handles one event.
    ///
    /// - Returns: what to do, in this order.
    public mutating func handle(_ event: Event, now: Now) -> [Action] {
        var actions: [Action] = []
        guard !self.shutdown.hasBegun else {
            self.handleWhileEnding(event, &actions, now: now)
            return actions
        }
        switch event {
        case .happened(let input): self.feed(input, &actions, now: now)
        case .begun(let beginning): self.begun(beginning, &actions, now: now)
        case .connectionOpened(let client, let principal, let caller):
            self.connections.opened(client, principal, caller)
        case .messageReceived(let message, let client): self.messageReceived(message, client, &actions, now: now)
        case .connectionClosed(let client): self.connectionClosed(client, &actions, now: now)
        case .appStarted(let bundle): self.appStarted(bundle, &actions, now: now)
        case .appNotStarted(let bundle, let reason): self.appNotStarted(bundle, reason, &actions, now: now)
        case .appEnded(let bundle, let end): self.appEnded(bundle, end, &actions, now: now)
        case .extensionEnded(let launch, let end): self.extensionEnded(launch, end, &actions, now: now)
        case .stateSaved: self.saving.saved()
        case .stateNotSaved(let reason): self.saving.failed(reason, now: now.monotonic)
        case .pushArrived(let push): self.pushBrought(push, &actions, now: now)
        case .pushKept(let id): self.pushKept(id, &actions, now: now)
        case .pushNotKept(let id, let reason): self.pushNotKept(id, reason, &actions, now: now)
        case .sourceReported(let report, let source):
            self.sourceReported(report, from: source, &actions, now: now)
        case .recordingChanged(let isRecorded): self.recordingChanged(to: isRecorded, &actions, now: now)
        case .lookedUp(let lookUp, let answer): self.lookedUp(lookUp, answer, &actions, now: now)
        case .ordered(let order, let id): self.ordered(order, id, &actions, now: now)
        case .deadlineReached: self.deadlineReached(&actions, now: now)
        case .endOrdered: self.endOrdered(&actions, now: now)
        }
        self.storageChanged(&actions, now: now)
        return actions
    }

    private mutating func deadlineReached(_ actions: inout [Action], now: Now) {
        if self.engine.isDue(now: now.monotonic) { self.feed(.deadlineReached, &actions, now: now) }
        self.runsDeadlineReached(&actions, now: now)
        if self.saving.deadlineReached(now: now.monotonic) { actions.append(.save) }
        for push in self.pushes.deadlineReached(now: now.monotonic) { actions.append(.keep(push)) }
        self.flow.deadlineReached(now: now.monotonic)
        self.geocodingDeadlineReached(&actions, now: now)
        self.sourcesDeadlineReached(&actions, now: now)
    }

    // MARK: The engine

    /// Passes one input to the engine, and appends its effects to the actions.
    mutating func feed(_ input: Engine.Input, _ actions: inout [Action], now: Now) {
        do throws(Unreachable) {
            let effects = try self.engine.handle(input, now: now)
            self.perform(effects, &actions, now: now)
        } catch {
            actions.append(.complain(error))
        }
    }

    /// Translates the engine's effects, and handles their consequences.
    mutating func perform(_ effects: [Engine.Effect], _ actions: inout [Action], now: Now) {
        var cut: [ClientID] = []
        for effect in effects {
            switch effect {
            case .persist: actions.append(.save)
            case .tell(let client, let message): actions.append(.tell(client, message))
            case .disconnect(let client):
                self.connections.closed(client)
                cut.append(client)
                actions.append(.disconnect(client))
            case .people(let order): actions.append(.people(order))
            case .process(let order): self.perform(order, &actions)
            case .sensor(let sensor, let isOn): self.power(sensor, isOn: isOn, &actions, now: now)
            case .accuracy(let needed): self.prefer(needed, &actions, now: now)
            case .gateway(let order): actions.append(.gateway(order))
            case .forgetPush(let push): actions.append(.forget(push))
            case .note(let note): actions.append(.note(note))
            }
        }
        for client in cut where self.engine.knows(client) { self.feed(.clientVanished(client), &actions, now: now) }
    }

    private mutating func perform(_ order: Engine.ProcessOrder, _ actions: inout [Action]) {
        switch order {
        case .launchApp(let bundle, _, let reason):
            let arrival = Lifecycle.Arrival(phase: .background, isManaged: true, reason: reason)
            self.runs.began(bundle, arrival)
            actions.append(.process(.startApp(bundle, arguments: [], arrival)))
        case .killApp(let bundle): actions.append(.process(.killApp(bundle)))
        case .freeze(let bundle): actions.append(.process(.freeze(bundle)))
        case .thaw(let bundle): actions.append(.process(.thaw(bundle)))
        case .launchExtension(let bundle, let launch):
            self.extensions[launch] = bundle
            actions.append(.process(.startExtension(bundle, launch)))
        case .killExtension(let launch): actions.append(.process(.killExtension(launch)))
        }
    }
}
