internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Apps that leave processes behind: each ends as a child of locationd, which adopts it and waits for it.
extension DeviceNode {
    /// The time from the fork of such a process to its end.
    private static let orphanLife = Duration.milliseconds(20)

    /// An app leaves a process behind, and another one after each pause, while it runs.
    func fork(_ bundle: BundleID, until end: Instant, every pause: Duration) {
        guard let process = self.apps[bundle] else { return }
        self.trace("an app forks", UInt64(Names.index(of: bundle)))
        self.fork(process, until: end, every: pause)
    }

    private func fork(_ process: SimulatedProcess, until end: Instant, every pause: Duration) {
        guard self.world.now < end else { return }
        self.later(Self.orphanLife) { [unowned self] in try self.orphanEnded(of: process) }
        process.later(pause) { [unowned self] in self.fork(process, until: end, every: pause) }
    }

    private func orphanEnded(of process: SimulatedProcess) throws {
        let bundle = process.bundle
        let isRunning = process.isAlive
        self.world.census.add(isRunning ? "an app leaves a process behind" : "a process outlives its app")
        let next = self.orphans.orphanEnded(of: bundle, isRunning: isRunning, now: self.engineNow.monotonic)
        // Run this also if the device dies in the middle of a write.
        defer { if isRunning { self.world.auditors.orphans.orphanEnded(of: process, isEnded: !process.isAlive) } }
        switch next {
        case .ignore: return
        case .endApp:
            self.trace("ends an app that forks", UInt64(Names.index(of: bundle)))
            self.world.census.add("an app is ended for its forks")
            let launches = self.extensions.filter { $0.value.bundle == bundle }.keys
            try self.end(bundle, .signalled(9))
            for launch in launches { try self.endExtension(launch, .signalled(9)) }
        }
    }
}
