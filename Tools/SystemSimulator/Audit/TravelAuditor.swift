internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Objects when a significant change or a visit is false, too early, or reported twice.
///
/// Its account: the device's true path, and all that each app received. The ``PrivacyAuditor`` checks whether the app
/// may receive it.
final class TravelAuditor {
    /// A stream of one process.
    private struct Stream: Hashable {
        var app: AppKey
        var launch: Int
        var number: UInt64
    }

    /// A visit that an app was notified of.
    private struct Told {
        var hasEnded = false
        /// locationd's life: after a failed write, the next life may report the visit again.
        var life: UInt64
    }

    /// The error of a receiver plus the distance between two fixes, in metres.
    private static let slack = 60.0
    /// An approximate position has this radius at least, in millimetres.
    private static let approximate: Int32 = 5_000_000

    private unowned let world: Simulation
    private let stepsClocks: Bool
    private var changes: [Stream: (fix: Fix, at: Instant)] = [:]
    /// A device may take visits that began before this time as reported.
    private var believed: [Int: WallTime] = [:]
    private var visits: [AppKey: [WallTime: Told]] = [:]

    init(_ world: Simulation) {
        self.world = world
        self.stepsClocks = world.scenario.acts.contains { if case .stepClock = $0.what { true } else { false } }
    }

    /// locationd restarts: it may report findings again whose write failed.
    ///
    /// It takes findings that were on disk before a crash as reported.
    func deviceStarted(_ device: DeviceNode) {
        if device.isSaved { return }
        self.changes = self.changes.filter { $0.key.app.device != device.index }
        self.believed[device.index] = device.engineNow.wall
    }

    /// A process is being given an update of a stream.
    func told(_ update: Update, on number: UInt64, to process: SimulatedProcess) {
        guard let service = process.declaration.streams.first(where: { $0.id == number })?.service else { return }
        switch (service, update.element) {
        case (.significantChanges, .fix(let fix)?):
            let stream = Stream(app: AppKey(process.device, process.bundle), launch: process.launch, number: number)
            self.changed(fix, on: stream, process)
        case (.visits, .visit(let visit)?): self.visited(visit, process)
        case (.significantChanges, _), (.visits, _), (.live, _), (.standard, _), (.once, _), (.heading, _),
            (.ranging, _):
            break
        }
    }

    private func changed(_ fix: Fix, on stream: Stream, _ process: SimulatedProcess) {
        defer { self.changes[stream] = (fix, self.world.now) }
        guard let last = self.changes[stream] else { return }
        let way = Self.way(Self.place(fix.latitude, fix.longitude), Self.place(last.fix.latitude, last.fix.longitude))
        let areExact = [fix, last.fix].allSatisfy { ($0.horizontalAccuracy ?? 0) < Self.approximate }
        let policy = process.device.policy.travel
        if way < (areExact ? Double(policy.changeDistance) / 1000 - Self.slack : 1) {
            self.world.fail(
                "\(process.device.id) reported a change of \(Int(way)) m to \(process.bundle), which is too short"
            )
        }
        // A change that waited for the app is as old as its fix.
        let apart = last.fix.arrival.duration(to: fix.arrival)
        if areExact, apart < policy.changeInterval - .seconds(1) {
            self.world.fail(
                "\(process.device.id) reported two changes to \(process.bundle) within \(apart), which is too soon"
            )
        }
        self.world.census.add("a change of location is checked")
    }

    private func visited(_ visit: Visit, _ process: SimulatedProcess) {
        let app = AppKey(process.device, process.bundle)
        let (device, before) = (process.device, self.visits[app]?[visit.since])
        let hasEnded = visit.departure != nil
        let isBelieved = self.believed[device.index].map { self.stepsClocks || visit.since <= $0 } ?? false
        if hasEnded, before == nil, !isBelieved {
            self.world.fail(
                "\(device.id) told \(process.bundle) of a departure from a visit whose arrival was never reported"
            )
        }
        if let before, before.hasEnded || before.hasEnded == hasEnded, before.life == device.life {
            self.world.fail("\(device.id) reported a visit twice to \(process.bundle), departed: \(hasEnded)")
        }
        self.visits[app, default: [:]][visit.since] = Told(hasEnded: hasEnded, life: device.life)
        let age = visit.arrival.duration(to: device.engineNow.monotonic)
        guard !self.stepsClocks, age >= .zero, age < .seconds(5), visit.radius < Self.approximate else { return }
        let truth = device.receiver.truth(at: self.world.now)
        let way = Self.way(Self.place(truth.latitude, truth.longitude), Self.place(visit.latitude, visit.longitude))
        let radius = Double(visit.radius) / 1000
        // A second fix, or the report that none came, takes some time.
        let slack = Self.slack + Double(device.plan.speed) * 40
        if hasEnded ? way < radius - Self.slack : way > radius + slack {
            self.world.fail(
                "\(device.id) reported that it \(hasEnded ? "departed" : "arrived"), but it is \(Int(way)) m from the visit's place"
            )
        }
        self.world.census.add("a visit is checked")
    }

    private static func place(_ latitude: Int32, _ longitude: Int32) -> GeodeticCoordinate {
        QuantizedCoordinate(latitude: Int(latitude), longitude: Int(longitude)).coordinate
    }

    private static func way(_ point: GeodeticCoordinate, _ other: GeodeticCoordinate) -> Double {
        Geodesic.inverse(from: point, to: other).distance.value
    }
}
