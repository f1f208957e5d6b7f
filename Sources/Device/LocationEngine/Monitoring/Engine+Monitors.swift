internal import WhereaboutsConditions
internal import WhereaboutsVocabulary

/// Monitors: their changes, what the device watches for them, and launches for their events.
extension Engine {
    // MARK: Inputs

    mutating func monitorChanged(_ id: ClientID, _ change: MonitorChange, _ effects: inout [Effect], now: Now) {
        guard let (position, client) = self.place(of: id), !client.isDying,
            let monitor = client.monitors.first(where: { $0.id == change.monitor })
        else { return }
        var isRefused = client.principal.role != .app
        if !isRefused { isRefused = !self.take(change.kind, of: monitor.name, by: id, position, &effects, now: now) }
        effects.append(.tell(id, .monitor(.taken(change: change.number, isRefused: isRefused), monitor: monitor.id)))
    }

    /// Applies a change of an app's conditions.
    ///
    /// - Returns: whether there was room for the change.
    private mutating func take(
        _ kind: MonitorChange.Kind,
        of monitor: String,
        by client: ClientID,
        _ position: Int,
        _ effects: inout [Effect],
        now: Now
    ) -> Bool {
        switch kind {
        case .add(let identifier, let condition, let state, let notices):
            self.conditions += 1
            let result = self.apps[position].monitors
                .add(
                    identifier,
                    to: monitor,
                    condition,
                    assuming: state,
                    notices,
                    number: self.conditions,
                    self.policy,
                    now: now.wall
                )
            switch result {
            case .added: self.noteWaiting(position, &effects)
            case .kept: break
            case .refused: return false
            }
        case .remove(let identifier): self.apps[position].monitors.remove(identifier, from: monitor, self.policy)
        case .handled(let event): self.apps[position].monitors.handled(event, by: client)
        }
        return true
    }

    private func noteWaiting(_ position: Int, _ effects: inout [Effect]) {
        let app = self.apps[position]
        let waiting = app.monitors.records.count { $0.standing == .waiting }
        if waiting > 0 { effects.append(.note(.conditionsWaiting(app.bundle, count: waiting))) }
    }

    /// Records whether the disk accepts the state; conditions report when it does not.
    mutating func storageChanged(isAvailable: Bool) {
        if self.isStorageAvailable != isAvailable { self.isStorageAvailable = isAvailable }
    }

    /// Records that a person lit the display: apps may want another report of near beacons.
    mutating func displayLit(now: WallTime) {
        for position in self.apps.indices {
            let records = self.apps[position].monitors.records
            for index in records.indices where records[index].notices.contains(.display) {
                self.apps[position].monitors.change(index) { $0.displayLit(at: now) }
            }
        }
    }

    // MARK: Watching

    /// Makes the device watch exactly the conditions of an app that may be watched.
    mutating func watchConditions(of position: Int, now: Now) {
        guard !self.apps[position].monitors.isEmpty else { return }
        let app = self.apps[position]
        let terms = self.terms(of: app.bundle)
        let reasons = app.monitorReasons(terms)
        for number in self.apps[unmarked: position].monitors.takeGone() { self.end(number) }
        for (index, record) in app.monitors.records.enumerated() {
            let isWatched = app.watches(record, reasons, terms)
            guard isWatched != record.isWatched else { continue }
            self.apps[unmarked: position].monitors.change(index) { $0.isWatched = isWatched }
            if isWatched {
                self.begin(record, of: app.bundle, now: now.monotonic)
            } else {
                self.end(record.number)
            }
        }
        self.apps[unmarked: position].timeReceiving(reasons, self.policy.retakeWindow, now: now.monotonic)
    }

    /// Passes a position to the monitored conditions, significant changes and visits.
    ///
    /// - Returns: whether something was decided, or the need for the receiver changed, so that apps may get an event or a position.
    mutating func watch(by fix: Fix, now: Now) -> Bool {
        guard !self.watch.isEmpty || !self.travels.isEmpty,
            let evidence = self.witness.fixReceived(fix, now: now)
        else { return false }
        return self.watch(by: evidence, fix, now: now.monotonic)
    }

    @discardableResult
    mutating func watch(by evidence: Evidence, _ fix: Fix, now: EngineInstant) -> Bool {
        let wereLooking = (self.watch.needsReceiver, self.travels.needsReceiver)
        let isAwaitingMore = self.witness.isAwaitingMore
        let decisions = self.watch.sightingArrived(evidence, at: fix.time, isAwaitingMore: isAwaitingMore, now: now)
        self.decided(decisions)
        let isNews = self.travels.sightingArrived(evidence, fix, isAwaitingMore: isAwaitingMore, now: now)
        return !decisions.isEmpty || isNews || wereLooking != (self.watch.needsReceiver, self.travels.needsReceiver)
    }

    /// Whether a watch needs the receiver.
    var areLooking: Bool { self.watch.needsReceiver || self.travels.needsReceiver }

    /// Records the device's decisions about conditions.
    mutating func decided(_ decisions: [ConditionWatch.Decision]) {
        for decision in decisions {
            guard let position = self.apps.position(of: decision.bundle) else { continue }
            self.apps[position].monitors.decided(decision.number, decision.finding)
        }
    }

    /// Sends an app's clients the app's conditions.
    mutating func tellMonitors(of position: Int, _ effects: inout [Effect], now: Now) {
        let app = self.apps[position]
        guard !app.monitors.isEmpty || app.clients.contains(where: { !$0.monitors.isEmpty }) else { return }
        let reasons = app.monitorReasons(self.terms(of: app.bundle))
        self.apps[unmarked: position].tellMonitors(reasons, self.policy, nextEvent: &self.conditionEvents, &effects)
    }

    /// Launches an app without a process when one of its conditions has an event, and the app may get it.
    ///
    /// The permission is that of ``ServiceTraits/regions``.
    mutating func launchIfCrossed(_ position: Int, _ effects: inout [Effect], now: Now) {
        let app = self.apps[position]
        guard app.lifecycle.isGone, !app.relaunch.isHeld, !app.monitors.isEmpty,
            app.hasEvent(app.monitorReasons(self.terms(of: app.bundle)))
        else { return }
        self.launch(position, .location, &effects, now: now)
    }
}
