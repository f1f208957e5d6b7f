internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The location service of a device: the core, which decides everything, the sensors, and the state that outlives both.
///
/// On a real device it is `locationd`. Events go in through ``feed(_:)``; the actions that the core
/// returns come out through ``perform``, in order.
final class LocationService {
    /// Whether the service runs.
    enum State {
        /// The service runs, and apps can reach it.
        case running
        /// The service has no process; it starts again at this time, and then starts the apps that ran before.
        case down(until: Int64, after: [BundleID])
        /// The device is off, and the service with it.
        case off
        /// The device is on, and was not unlocked.
        case awaitsUnlock
    }

    /// The state that outlives the service.
    struct Disk {
        /// A state, when it was saved, and after how many boots.
        struct Saved {
            let snapshot: EngineSnapshot
            let at: Now
            let boots: Int

            /// The time since the state was saved; after a boot, by the wall clock if it moved forward (ADR 0003).
            func elapsed(_ now: Now, boots: Int) -> Duration {
                boots == self.boots
                    ? self.at.monotonic.duration(to: now.monotonic) : max(.zero, self.at.wall.duration(to: now.wall))
            }
        }

        /// The state that the service saved last.
        var saved: Saved?
        /// The pushes that reached the device and are not completed.
        var pushes: [Push] = []
        /// The number of times the service was started again.
        var restarts = 0
        /// The number of times the device was switched on again.
        var boots = 0
        /// Whether the disk accepts no more writes.
        var isFull = false
    }

    private let context: DeviceContext
    private let time: DeviceTime
    private let timeline: Timeline
    private let sensors: [any VirtualSensor]
    let policy: Policy
    private(set) var core: DeviceCore
    private(set) var state = State.running
    var disk = Disk()
    /// The rules of the device's owner.
    private(set) var management = Management()
    /// The indicators of apps that use the location in the background.
    private(set) var indicators: [Engine.Indicator] = []
    private var orders: UInt64 = 0
    private var deadline = Int64.max
    /// Performs an action of the core.
    var perform: (DeviceCore.Action) -> Void = { _ in }

    init(_ context: DeviceContext, policy: Policy, sensors: [any VirtualSensor]) {
        (self.context, self.time, self.timeline) = (context, context.time, context.timeline)
        (self.policy, self.sensors) = (policy, sensors)
        self.core = DeviceCore(Engine(policy: policy, now: self.time.now))
    }

    // MARK: Events

    /// Reports an event that concerns only the engine.
    func feed(_ input: Engine.Input) { self.feed(.happened(input)) }

    /// Reports an event to the core and performs its actions; an event that is reported meanwhile waits in the core.
    func feed(_ event: DeviceCore.Event) {
        // Without a service, an event is lost.
        guard self.isServing, self.core.enqueue(event) else { return }
        while self.isServing, let actions = self.core.next(now: self.time.now) {
            for action in actions { self.perform(action) }
        }
        self.deadline = Self.deadline(of: &self.core)?.sinceStart.nanoseconds ?? .max
    }

    /// Gives an order for a person; the timeline records the result.
    func order(_ order: Order) {
        self.orders += 1
        self.feed(.ordered(order, OrderID(self.orders)))
    }

    /// Applies the owner's rules.
    ///
    /// They are stored in a file, so that the service reads them when it starts again.
    func manage(_ rules: Management) {
        self.management = rules
        self.timeline.add(.event, "owner", "changes the rules")
        self.feed(.managementChanged(rules.rules))
    }

    /// Reads the deadline by reference: read through the property of this object, the core would be copied.
    private static func deadline(of core: inout DeviceCore) -> EngineInstant? { core.nextDeadline?.at }

    /// When a sensor measures or a deadline of the core is reached; `Int64.max`: never.
    var nextEvent: Int64 { self.sensors.reduce(self.deadline) { min($0, $1.next) } }

    func eventsAreDue() {
        let now = self.time.clock.now
        for sensor in self.sensors where sensor.next <= now {
            for report in sensor.tick(now: now, epoch: self.time.clock.trueEpoch) { self.feed(.sensed(report)) }
        }
        guard self.deadline <= now else { return }
        self.feed(DeviceCore.Event.deadlineReached)
        // The engine's timers are no finer than this; a timer that stays due must not stop time.
        if self.deadline <= now { self.deadline = now + 1_000_000 }
    }

    // MARK: State

    var isServing: Bool { if case .running = self.state { true } else { false } }

    var isOn: Bool { if case .off = self.state { false } else { true } }

    /// Whether the device is on; if not, this is reported as a problem of the test.
    func isOn(_ what: String) -> Bool {
        self.context.story?.makeUsable()
        if !self.isOn { self.context.problems.add("\(what), but the device is off: call switchOn() before") }
        return self.isOn
    }

    /// Whether the service is running and can take an order; if not, this is reported as a problem of the test.
    func isHeard(_ what: String) -> Bool {
        self.context.story?.makeUsable()
        switch self.state {
        case .running: return true
        case .off: return self.isOn(what)
        case .awaitsUnlock:
            self.context.problems.add(
                "\(what), but the device was not unlocked since it was switched on: call person.unlock() before"
            )
        case .down(let until, _):
            self.context.problems.add(
                "\(what), but the location service is down until \(Timeline.clock(.nanoseconds(until))): advance the time "
                    + "beyond that first"
            )
        }
        return false
    }

    /// The service has ended.
    func ended(_ state: State) {
        self.state = state
        self.deadline = .max
        for sensor in self.sensors { sensor.stop() }
        if !self.indicators.isEmpty { self.show([]) }
    }

    /// The device was switched on; its service waits for the first unlock.
    func bootedLocked() { self.state = .awaitsUnlock }

    /// Starts the service from the previous one's state, as `Daemon.start()` does.
    ///
    /// - Parameters:
    ///   - manifests: the installed apps, by their bundle identifiers in order.
    ///   - running: the apps that run.
    ///   - gone: the apps that ran when the service ended, and do not run.
    func start(
        _ manifests: [(BundleID, AppManifest)],
        running: [(bundle: BundleID, phase: Lifecycle.Phase)],
        gone: [BundleID]
    ) {
        let now = self.time.now
        self.disk.restarts += 1
        let engine =
            self.disk.saved.map { saved in
                Engine(
                    restoring: saved.snapshot,
                    manifests: manifests,
                    running: running,
                    policy: self.policy,
                    elapsed: saved.elapsed(now, boots: self.disk.boots),
                    now: now
                )
            } ?? Engine(policy: self.policy, now: now)
        self.core = DeviceCore(engine)
        self.state = .running
        self.timeline.add(.event, "device", "the location service is back")
        self.begin(
            DeviceCore.Beginning(
                management: self.management.rules,
                processes: running.map { .init(bundle: $0.bundle, phase: $0.phase) }
                    + gone.map { .init(bundle: $0, phase: nil) },
                pushes: self.disk.pushes.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
            )
        )
    }

    /// Begins, and reports to the core which sensors exist, as hardware does before they are switched on.
    func begin(_ beginning: DeviceCore.Beginning) {
        self.feed(.begun(beginning))
        for sensor in self.sensors { self.feed(.sensed(.ready(sensor.sensor))) }
    }

    // MARK: Actions

    func power(_ sensor: Sensor, isOn: Bool) {
        guard let powered = self.sensors.first(where: { $0.sensor == sensor }) else { return }
        guard isOn else { return powered.stop() }
        powered.start(now: self.time.clock.now)
        self.feed(.sensed(.ready(sensor)))
    }

    func save() {
        guard !self.disk.isFull else { return self.feed(.stateNotSaved(reason: "the disk is full")) }
        self.disk.saved = Disk.Saved(
            snapshot: self.core.engine.snapshot(now: self.time.instant),
            at: self.time.now,
            boots: self.disk.boots
        )
        self.feed(.stateSaved)
    }

    func keep(_ push: Push) {
        guard !self.disk.isFull else { return self.feed(.pushNotKept(push.id, reason: "the disk is full")) }
        self.disk.pushes.append(push)
        self.feed(.pushKept(push.id))
    }

    func show(_ indicators: [Engine.Indicator]) {
        self.indicators = indicators
        let words = indicators.map(\.words)
        self.timeline.add(
            .decision,
            "device",
            words.isEmpty ? "shows no indicator" : "shows: " + words.joined(separator: "; ")
        )
    }
}
