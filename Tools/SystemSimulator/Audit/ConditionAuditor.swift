internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Objects when an app is notified of a crossing that did not happen, or twice of the same one.
///
/// Its account: the device's true path, and the events that each process handled. The ``PrivacyAuditor`` checks whether
/// the app may receive them.
final class ConditionAuditor {
    /// A condition as one process knows it.
    private struct Key: Hashable {
        var name: ConditionName
        var launch: Int
    }

    /// The largest age of a crossing that is compared with the true path.
    private static let recent = Duration.seconds(10)
    /// The error of a receiver plus the distance between two fixes, in metres.
    private static let slack = 60.0

    private unowned let world: Simulation
    private let stepsClocks: Bool
    /// The states that processes handled last, with the life of locationd that reported them.
    private var handled: [Key: (state: ConditionState, life: UInt64, at: WallTime)] = [:]
    /// The dates at which the displays of devices were lit; an event may be delayed by a full disk.
    private var lit: [Int: Set<WallTime>] = [:]
    /// How often a process removed a condition: a condition that is added again has no earlier events.
    private var removals: [Key: Int] = [:]
    /// The number of removals when the process last received an event of the condition.
    private var toldAfter: [Key: Int] = [:]
    /// The circles, as apps added them.
    private var circles: [ConditionName: Condition.Circle] = [:]

    init(_ world: Simulation) {
        self.world = world
        self.stepsClocks = world.scenario.acts.contains { if case .stepClock = $0.what { true } else { false } }
    }

    /// A person lights the display of a device.
    func displayLit(on device: DeviceNode) { self.lit[device.index, default: []].insert(device.engineNow.wall) }

    /// Whether an event repeats a known state because the display was lit.
    func isReminder(_ event: ConditionEvent, to process: SimulatedProcess) -> Bool {
        let dates = self.lit[process.device.index] ?? []
        guard event.state == .satisfied, dates.contains(event.time) else { return false }
        let key = Key(name: ConditionName(event.identifier, of: process), launch: process.launch)
        return self.handled[key]?.at != event.time
    }

    /// A process adds a condition.
    func added(_ identifier: String, _ condition: Condition, by process: SimulatedProcess) {
        switch condition {
        case .circle(let circle): self.circles[ConditionName(identifier, of: process)] = circle
        // The ``BeaconAuditor`` checks beacons.
        case .beacon: self.circles[ConditionName(identifier, of: process)] = nil
        }
    }

    /// A process removes a condition.
    func removed(_ identifier: String, by process: SimulatedProcess) {
        let key = Key(name: ConditionName(identifier, of: process), launch: process.launch)
        self.removals[key, default: 0] += 1
        self.handled[key] = nil
    }

    /// A process is about to receive an event of a condition.
    func told(_ event: ConditionEvent, to process: SimulatedProcess) {
        guard event.diagnostics.isEmpty else { return }
        let name = ConditionName(event.identifier, of: process)
        let key = Key(name: name, launch: process.launch)
        let isReminder = self.isReminder(event, to: process)
        if isReminder { self.world.census.add("a display reminds an app") }
        if let last = self.handled[key], last.life == process.device.life, last.state == event.state, !isReminder {
            self.world.fail(
                "\(process.device.id) sent \(process.bundle) the event of \(event.identifier) twice: \(event.state)"
            )
        }
        self.toldAfter[key] = self.removals[key]
        guard !self.stepsClocks, let circle = self.circles[name] else { return }
        let age = event.time.duration(to: process.device.engineNow.wall)
        guard age >= .zero, age <= Self.recent else { return }
        self.compare(event, circle, age, process.device)
    }

    /// A process handled an event.
    func handled(_ event: ConditionEvent, by process: SimulatedProcess) {
        let key = Key(name: ConditionName(event.identifier, of: process), launch: process.launch)
        guard self.toldAfter[key] == self.removals[key] else { return }
        self.handled[key] = (event.state, process.device.life, event.time)
    }

    private func compare(_ event: ConditionEvent, _ circle: Condition.Circle, _ age: Duration, _ device: DeviceNode) {
        let truth = device.receiver.truth(at: self.world.now)
        let way = Geodesic.inverse(from: Self.place(truth), to: Self.place((circle.latitude, circle.longitude)))
        let radius = Double(circle.radius) / 1000
        // A second fix, or the report that none came, takes some time, in which the device moves on.
        let slack = Self.slack + Double(device.plan.speed) * (age / .seconds(1) + 35)
        let isWrong =
            switch event.state {
            case .satisfied: way.distance.value > radius + slack
            case .unsatisfied: way.distance.value < radius - slack
            case .unknown: true
            }
        if isWrong {
            self.world.fail(
                "\(device.id) reported that \(event.identifier) is \(event.state), but is \(Int(way.distance.value)) m from its center"
            )
        }
        self.world.census.add("a condition event is checked")
    }

    private static func place(_ point: (latitude: Int32, longitude: Int32)) -> GeodeticCoordinate {
        QuantizedCoordinate(latitude: Int(point.latitude), longitude: Int(point.longitude)).coordinate
    }
}
