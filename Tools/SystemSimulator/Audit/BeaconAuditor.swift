internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Objects when an app is notified of a beacon that the scanner did not receive, not notified of a received one, or too often; when a stay
/// ends although the scanner was not listening; and when the scanner is on without need.
///
/// Its account: the reports of each device's scanner, the beacons' true distances, and the declarations of processes. The
/// ``PrivacyAuditor`` checks whether the app may receive an event, the ``ConditionAuditor`` whether it repeats one.
final class BeaconAuditor {
    /// A stream of one process.
    private struct Stream: Hashable {
        var app: AppKey
        var launch: Int
        var number: UInt64
    }

    /// The surveys that a stream received, one after the other.
    private struct Told {
        var first: EngineInstant
        var last: EngineInstant
    }

    /// The reports of a device's scanner.
    private struct Ears {
        /// How long the scanner listened in total.
        var listened = Duration.zero
        var last: Instant?
        /// When each beacon was last received, and how long the scanner had listened by then.
        var received: [Beacon: (at: Instant, listened: Duration)] = [:]
        /// When each beacon was last received again after a silence, and how long the scanner had listened to that.
        var returns: [Beacon: (at: Instant, silence: Duration)] = [:]
        /// The last instant at which an app needed the scanner.
        var needed = Instant.start
        /// The life of locationd, and how long the scanner had listened at its beginning.
        var life: (number: UInt64, listened: Duration)?
    }

    /// How long the scanner may be on without need: it lingers (``Policy/receiverLinger``), and stopping an app takes a moment.
    private static let idle = Duration.seconds(33)
    /// The longest gap between the reports of a scanner that keeps listening (docs/beacons.md).
    private static let gap = Duration.seconds(5)
    /// The minimum time without a reception before a stay ends, less a report's time.
    private static let exit = Duration.seconds(29)
    /// The minimum time without a reception before a condition's first event may be "away", less a report's time.
    private static let absence = Duration.seconds(4)
    /// How long a beacon is listed after its last reception, plus a report's time.
    private static let memory = Duration.seconds(12)
    /// The largest age of a crossing that is compared with the account.
    private static let recent = Duration.seconds(10)
    /// The time between two reports, and a little for the scanner's own second.
    private static let pace = Duration.milliseconds(1500)

    private unowned let world: Simulation
    private let stepsClocks: Bool
    private var ears: [Int: Ears] = [:]
    private var told: [Stream: Told] = [:]
    private var identities: [ConditionName: BeaconIdentity] = [:]
    /// The date of the first event of each condition since it was added.
    ///
    /// The device begins to watch when it is allowed to: later than the addition if a person must allow it first.
    private var firstEvents: [ConditionName: WallTime] = [:]

    init(_ world: Simulation) {
        self.world = world
        self.stepsClocks = world.scenario.acts.contains { if case .stepClock = $0.what { true } else { false } }
    }

    // MARK: The books

    /// A process adds or removes a condition on beacons.
    func changed(_ kind: MonitorChange.Kind, by process: SimulatedProcess) {
        switch kind {
        case .add(let identifier, .beacon(let identity), _, _):
            let name = ConditionName(identifier, of: process)
            // Adding an equal condition again keeps its state.
            if self.identities.updateValue(identity, forKey: name) != identity { self.firstEvents[name] = nil }
        case .remove(let identifier): self.identities[ConditionName(identifier, of: process)] = nil
        case .add(_, .circle, _, _), .handled: break
        }
    }

    func removed(_ bundle: BundleID, on device: DeviceNode) {
        self.identities = self.identities.filter { $0.key.device != device.index || $0.key.bundle != bundle }
    }

    /// The device's files were rolled back: conditions whose first event came later have a first event again.
    func deviceRolledBack(_ device: DeviceNode, by span: Duration) {
        let time = device.engineNow.wall.advanced(by: .zero - span)
        self.firstEvents = self.firstEvents.filter { $0.key.device != device.index || $0.value <= time }
    }

    /// The scanner of a device reports a reception; nil: it listens and received nothing.
    func heard(_ advertisement: Advertisement?, by device: DeviceNode) {
        var ears = self.ears[device.index] ?? Ears()
        let now = self.world.now
        if let last = ears.last, last.duration(to: now) <= Self.gap { ears.listened += last.duration(to: now) }
        ears.last = now
        if ears.life?.number != device.life { ears.life = (device.life, ears.listened) }
        if let beacon = advertisement?.beacon {
            let silence = ears.listened - (ears.received[beacon]?.listened ?? .zero)
            if silence > Self.gap { ears.returns[beacon] = (now, silence) }
            ears.received[beacon] = (now, ears.listened)
        }
        self.ears[device.index] = ears
    }

    /// The scanner of a device is on.
    func isOn(_ device: DeviceNode) {
        if device.bundles.contains(where: { self.needs($0, device) }) {
            self.ears[device.index, default: Ears()].needed = self.world.now
        } else if let ears = self.ears[device.index], ears.needed.duration(to: self.world.now) > Self.idle {
            self.world.fail("\(device.id) has its scanner on, but no app that may use it needs beacons")
        }
    }

    /// The scanner of a device was switched on.
    func started(_ device: DeviceNode) { self.ears[device.index, default: Ears()].needed = self.world.now }

    /// Whether an app needs the scanner: a process of it runs and ranges, or it has a condition on beacons.
    private func needs(_ bundle: BundleID, _ device: DeviceNode) -> Bool {
        let will = self.world.auditors.will
        guard will.areServicesOn(device), !will.isForbidden(device, bundle), will.allows(device, bundle),
            will.will(device, bundle).isPrecise
        else { return false }
        if self.identities.keys.contains(where: { $0.device == device.index && $0.bundle == bundle }) { return true }
        guard let process = device.apps[bundle], !process.isFrozen else { return false }
        return process.declaration.streams.contains { if case .ranging = $0.service { true } else { false } }
    }

    // MARK: Conditions

    /// A process is about to receive an event of a condition.
    func told(_ event: ConditionEvent, to process: SimulatedProcess) {
        let name = ConditionName(event.identifier, of: process)
        guard event.diagnostics.isEmpty, !self.stepsClocks, let identity = self.identities[name] else { return }
        if self.firstEvents[name] == nil { self.firstEvents[name] = event.time }
        let age = event.time.duration(to: process.device.engineNow.wall)
        guard age >= .zero, age <= Self.recent else { return }
        let ears = self.ears[process.device.index] ?? Ears()
        let received = ears.received.filter { identity.isSatisfied(by: $0.key) }
        func object(_ what: String) {
            self.world.fail("\(process.device.id) told \(process.bundle) that \(event.identifier) \(what)")
        }
        switch event.state {
        case .satisfied:
            let isReminder = self.world.auditors.conditions.isReminder(event, to: process)
            // During a stay, a beacon was received within the time after which the stay ends; a restarted device knows the stay from
            // disk, and counts from its start.
            let isFresh = received.values.contains { received in
                isReminder
                    ? ears.listened - max(received.listened, ears.life?.listened ?? .zero) <= Self.exit + Self.gap
                    : received.at.duration(to: self.world.now) <= age + .seconds(1)
            }
            if !isFresh { return object("is satisfied, but its scanner received no matching beacon") }
            let isNamed = event.refinement.map { received[$0] != nil } ?? false
            if isNamed != identity.isOpen { return object("is satisfied, but its event names the wrong beacon") }
            self.world.census.add("a beacon event is checked")
        case .unsatisfied:
            // A stay ends after a longer silence than the wait for a beacon that was never received.
            let silence = self.firstEvents[name] == event.time ? Self.absence : Self.exit
            // A beacon may be received again at the instant of the event, or before the process learns of the event.
            let silences = received.map { beacon, last in
                ears.returns[beacon].flatMap { $0.at.duration(to: self.world.now) <= age ? $0.silence : nil }
                    ?? (ears.listened - last.listened)
            }
            if silences.contains(where: { $0 < silence }) {
                return object("is not satisfied, but a matching beacon was received while the scanner listened")
            }
            if !received.isEmpty { self.world.census.add("the end of a beacon is checked") }
        case .unknown: object("is unknown; expected satisfied or unsatisfied")
        }
    }

    // MARK: Ranging

    /// A process is being given an update of a stream.
    func told(_ update: Update, on number: UInt64, to process: SimulatedProcess) {
        guard case .ranging(let identity)? = process.declaration.streams.first(where: { $0.id == number })?.service
        else { return }
        let stream = Stream(app: AppKey(process.device, process.bundle), launch: process.launch, number: number)
        guard case .beacons(let survey)? = update.element else {
            // After diagnostics without beacons, a stream may receive the last survey again.
            self.told[stream] = nil
            return
        }
        func object(_ what: String) {
            self.world.fail("\(process.device.id) told \(process.bundle) of beacons in range \(what)")
        }
        let began = self.began(stream, survey.arrival)
        guard let began else { return object("twice; expected one survey a second") }
        if process.isFrozen { return object("while the process is suspended") }
        let ears = self.ears[process.device.index] ?? Ears()
        for ranged in survey.beacons {
            guard identity.isSatisfied(by: ranged.beacon) else { return object("that it did not ask for") }
            guard let received = ears.received[ranged.beacon], received.at.duration(to: self.world.now) <= Self.memory
            else { return object("that its scanner did not receive") }
            guard let distance = ranged.distance, let truth = process.device.scanner.distance(of: ranged.beacon)
            else { continue }
            // A strength is reported in whole decibels: 12 %.
            if abs(distance - truth) * 100 > truth * 15 {
                return object("at \(distance) mm; expected \(truth) mm within 15 %")
            }
        }
        let distances = survey.beacons.map { $0.distance ?? .max }
        if distances != distances.sorted() { return object("in the wrong order; expected the nearest first") }
        self.compare(survey, identity, began, ears, object)
    }

    /// Compares a survey with all receptions since the stream began to receive surveys without a pause.
    private func compare(
        _ survey: BeaconSurvey,
        _ identity: BeaconIdentity,
        _ began: EngineInstant,
        _ ears: Ears,
        _ object: (String) -> Void
    ) {
        let arrival = Instant(microseconds: survey.arrival.sinceStart.microseconds)
        let first = Instant(microseconds: began.sinceStart.microseconds)
        let due = ears.received.filter { beacon, received in
            identity.isSatisfied(by: beacon) && received.at > first && received.at <= arrival
                && received.at.duration(to: arrival) <= Self.gap
        }
        if due.keys.contains(where: { beacon in !survey.beacons.contains { $0.beacon == beacon } }) {
            return object("without one that its scanner received")
        }
        if !due.isEmpty { self.world.census.add("a survey is checked") }
    }

    /// Since when a stream receives surveys without a pause; nil: the last one was less than a second ago.
    private func began(_ stream: Stream, _ arrival: EngineInstant) -> EngineInstant? {
        let before = self.told[stream]
        let since = before?.last.duration(to: arrival)
        if let since, since < .milliseconds(900) { return nil }
        let isUnbroken = since.map { $0 <= Self.pace } ?? false
        let began = isUnbroken ? before?.first ?? arrival : arrival
        self.told[stream] = Told(first: began, last: arrival)
        return began
    }
}
