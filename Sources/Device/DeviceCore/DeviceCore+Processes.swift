internal import OrderedCollections
public import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Processes of apps and extensions: started, connected, ended, and adopted from an earlier service.
extension DeviceCore {
    /// The apps whose processes the host started or adopted, and the phase of each (foreground, background).
    public var runningApps: [(bundle: BundleID, phase: Lifecycle.Phase)] {
        self.runs.all.filter { $0.value.state != .beginning }.map { ($0.key, $0.value.arrival.phase) }
    }

    // MARK: Startup

    /// Restores the state of an earlier service.
    ///
    /// The rules come first, so that nothing is decided without them; then the processes, so that no push starts a
    /// process that already runs; then the pushes.
    mutating func begun(_ beginning: Beginning, _ actions: inout [Action], now: Now) {
        self.perform(self.engine.start(now: now), &actions, now: now)
        self.feed(.managementChanged(beginning.management), &actions, now: now)
        for process in beginning.processes {
            if let phase = process.phase {
                // The earlier service died in the middle of a removal.
                guard self.engine.isInstalled(process.bundle) else {
                    actions.append(.process(.killApp(process.bundle)))
                    continue
                }
                self.runs.tookOver(process.bundle, Lifecycle.Arrival(phase: phase, isManaged: true))
                // A process that the earlier service suspended could not connect to this one.
                actions.append(.process(.thaw(process.bundle)))
            } else {
                self.feed(.appExited(process.bundle, .exited(0)), &actions, now: now)
            }
        }
        actions.append(.recordProcesses)
        for push in beginning.pushes { self.feed(.pushRecovered(push), &actions, now: now) }
    }

    // MARK: Apps

    mutating func appStarted(_ bundle: BundleID, _ actions: inout [Action], now: Now) {
        guard let arrival = self.runs.started(bundle, now: now.monotonic) else { return }
        actions.append(.recordProcesses)
        self.feed(.appStarted(bundle, arrival), &actions, now: now)
    }

    mutating func appNotStarted(_ bundle: BundleID, _ reason: String, _ actions: inout [Action], now: Now) {
        guard let run = self.runs.ended(bundle) else { return }
        for order in run.startWaits { actions.append(.answer(order, .failed(reason: reason))) }
        // A failed start by a person is not a failed launch by the device.
        if run.startWaits.isEmpty { self.feed(.appExited(bundle, .neverStarted(0)), &actions, now: now) }
    }

    mutating func appEnded(_ bundle: BundleID, _ end: Engine.ProcessEnd, _ actions: inout [Action], now: Now) {
        guard let run = self.runs.ended(bundle) else { return }
        actions.append(.recordProcesses)
        // A connection that outlives its process was passed to another one, and must not act for the app.
        self.disconnect(self.connections.handed(to: Principal(bundle: bundle, role: .app)), &actions, now: now)
        for order in run.endWaits { actions.append(.answer(order, .done)) }
        for order in run.startWaits { actions.append(.answer(order, .endedAtOnce(end))) }
        self.feed(.appExited(bundle, end), &actions, now: now)
    }

    mutating func runsDeadlineReached(_ actions: inout [Action], now: Now) {
        let due = self.runs.deadlineReached(now: now.monotonic)
        for bundle in due.kill { actions.append(.process(.killApp(bundle))) }
        for (_, orders) in due.steady { for order in orders { actions.append(.answer(order, .done)) } }
    }

    // MARK: Extensions

    mutating func extensionEnded(
        _ launch: LaunchID,
        _ end: Engine.ProcessEnd,
        _ actions: inout [Action],
        now: Now
    ) {
        guard let bundle = self.extensions.removeValue(forKey: launch) else { return }
        // A connection that outlives its process was passed to another one, and must not act for the extension.
        let principal = Principal(bundle: bundle, role: .pushExtension(launch))
        self.disconnect(self.connections.handed(to: principal), &actions, now: now)
        self.feed(.extensionExited(bundle, launch, end), &actions, now: now)
    }
}
