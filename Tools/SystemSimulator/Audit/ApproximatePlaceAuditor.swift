internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Objects when a device updates its approximate position more often than four times an hour.
///
/// Many approximate positions in a row reveal the path of a device, cell by cell.
final class ApproximatePlaceAuditor {
    /// Source: Apple documents "every 15 to 20 minutes" for reduced accuracy.
    private static let interval = Duration.seconds(900)
    /// The age that a position may have when it becomes the approximate one.
    private static let slack = Duration.seconds(5)

    private unowned let world: Simulation
    /// The arrival of the fix that each device last delivered as an approximate position.
    private var lookUps: [Int: EngineInstant] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// locationd restarts without a position.
    func deviceStarted(_ device: DeviceNode) { self.lookUps[device.index] = nil }

    /// A process is being given an update of a stream.
    func told(_ update: Update, on number: UInt64, to process: SimulatedProcess) {
        guard let fix = update.fix, update.diagnostics.contains(.accuracyLimited) else { return }
        // Significant changes and visits have other rules, which ``TravelAuditor`` checks.
        switch process.declaration.streams.first(where: { $0.id == number })?.service {
        case .significantChanges, .visits: return
        case .live, .standard, .once, .heading, .ranging, nil: break
        }
        let device = process.device
        let lookedUp = self.lookUps.updateValue(fix.arrival, forKey: device.index)
        guard let last = lookedUp, last != fix.arrival else { return }
        let apart = last.duration(to: fix.arrival)
        if apart < Self.interval - Self.slack {
            self.world.fail(
                "\(device.id) looked up its approximate place again after \(apart); expected 15 min or more"
            )
        }
        self.world.census.add("an approximate place is looked up again")
    }
}
