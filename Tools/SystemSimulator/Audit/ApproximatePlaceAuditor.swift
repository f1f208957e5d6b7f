internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Objects when a device looks up its approximate place more often than four times an hour.
///
/// Many approximate places in a row tell the way of a device, cell by cell.
final class ApproximatePlaceAuditor {
    /// Source: Apple documents "every 15 to 20 minutes" for reduced accuracy.
    private static let interval = Duration.seconds(900)
    /// The age that a position may have when it is looked up.
    private static let slack = Duration.seconds(5)

    private unowned let world: Simulation
    /// The arrival of the position that each device told last as an approximate one.
    private var lookUps: [Int: EngineInstant] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// locationd begins again, and knows no place.
    func deviceStarted(_ device: DeviceNode) { self.lookUps[device.index] = nil }

    /// A process is being given an update of a stream.
    func told(_ update: Update, on number: UInt64, to process: SimulatedProcess) {
        guard let fix = update.fix, update.diagnostics.contains(.accuracyLimited) else { return }
        // The findings of ways have distances and times of their own, which the auditor of travels looks at.
        switch process.declaration.streams.first(where: { $0.id == number })?.service {
        case .significantChanges, .visits: return
        case .live, .standard, .once, .heading, .ranging, nil: break
        }
        let device = process.device
        let lookedUp = self.lookUps.updateValue(fix.arrival, forKey: device.index)
        guard let last = lookedUp, last != fix.arrival else { return }
        let apart = last.duration(to: fix.arrival)
        if apart < Self.interval - Self.slack {
            self.world.fail("\(device.id) looked up its approximate place after \(apart); documented are 15 min")
        }
        self.world.census.add("an approximate place is looked up again")
    }
}
