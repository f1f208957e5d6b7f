internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Objects when an app is notified of a crossing that did not happen, or is told the same one again.
///
/// Its books are the device's true way, and the events that each process handled. Whether the app may know them, the
/// ``PrivacyAuditor`` looks at.
final class ConditionAuditor {
    /// A condition as one process knows it.
    private struct Key: Hashable {
        var name: ConditionName
        var launch: Int
    }

    /// How long after a crossing, by its date, the truth is still compared.
    private static let recent = Duration.seconds(10)
    /// The error of a receiver, and of the way between two fixes, in metres.
    private static let slack = 60.0

    private unowned let world: Simulation
    private let stepsClocks: Bool
    /// The states that processes handled last, with the life of locationd that told them.
    private var handled: [Key: (state: ConditionState, life: UInt64, at: WallTime)] = [:]
    /// The dates at which the displays of devices were lit; an event may wait for a disk that takes nothing.
    private var lit: [Int: Set<WallTime>] = [:]
    /// How often a process removed a condition: one that is added again begins again.
    private var removals: [Key: Int] = [:]
    /// The number of removals of which a process was notified last.
    private var toldAfter: [Key: Int] = [:]
    /// The circles, as apps added them.
    private var circles: [ConditionName: Condition.Circle] = [:]

    init(_ world: Simulation) {
        self.world = world
        self.stepsClocks = world.scenario.acts.contains { if case .stepClock = $0.what { true } else { false } }
    }

    /// Somebody lights the display of a device.
    func displayLit(on device: DeviceNode) { self.lit[device.index, default: []].insert(device.engineNow.wall) }

    /// Whether an event says nothing new, and comes since the display was lit after the app heard of it.
    func isReminder(_ event: ConditionEvent, to process: SimulatedProcess) -> Bool {
        let dates = self.lit[process.device.index] ?? []
        guard event.state == .satisfied, dates.contains(event.time) else { return false }
        let key = Key(name: ConditionName(event.identifier, of: process), launch: process.launch)
        return self.handled[key]?.at != event.time
    }

    /// A process says which circle it means by a name.
    func added(_ identifier: String, _ condition: Condition, by process: SimulatedProcess) {
        switch condition {
        case .circle(let circle): self.circles[ConditionName(identifier, of: process)] = circle
        // A matter of the beacons' auditor.
        case .beacon: self.circles[ConditionName(identifier, of: process)] = nil
        }
    }

    /// A process wants to learn of a condition no more.
    func removed(_ identifier: String, by process: SimulatedProcess) {
        let key = Key(name: ConditionName(identifier, of: process), launch: process.launch)
        self.removals[key, default: 0] += 1
        self.handled[key] = nil
    }

    /// A process is being told what happened to a condition.
    func told(_ event: ConditionEvent, to process: SimulatedProcess) {
        guard event.diagnostics.isEmpty else { return }
        let name = ConditionName(event.identifier, of: process)
        let key = Key(name: name, launch: process.launch)
        let isReminder = self.isReminder(event, to: process)
        if isReminder { self.world.census.add("a display reminds an app") }
        if let last = self.handled[key], last.life == process.device.life, last.state == event.state, !isReminder {
            self.world.fail("\(process.device.id) told \(process.bundle) of \(event.identifier) twice: \(event.state)")
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
        // A second fix, or the word that none came, takes its time, and the device goes on meanwhile.
        let slack = Self.slack + Double(device.plan.speed) * (age / .seconds(1) + 35)
        let isWrong =
            switch event.state {
            case .satisfied: way.distance.value > radius + slack
            case .unsatisfied: way.distance.value < radius - slack
            case .unknown: true
            }
        if isWrong {
            self.world.fail(
                "\(device.id) says that \(event.identifier) is \(event.state), \(Int(way.distance.value)) m from its middle"
            )
        }
        self.world.census.add("a crossing is true")
    }

    private static func place(_ point: (latitude: Int32, longitude: Int32)) -> GeodeticCoordinate {
        QuantizedCoordinate(latitude: Int(point.latitude), longitude: Int(point.longitude)).coordinate
    }
}
