internal import WhereaboutsVocabulary

/// Delivery of the supply to the streams, and power for the sensors that they need.
extension Engine {
    /// Whether a measurement affects only streams: no app waits for a place, a single position, or a launch.
    func isSteady(_ sensor: Sensor) -> Bool {
        if self.looksAtEverything { return false }
        return sensor != .receiver || (self.apps.totals.place == 0 && self.apps.totals.passing == 0)
    }

    /// Everything that can be delivered; a new approximate place is found when one is needed and the last one is too
    /// old.
    private mutating func supply(now: Now) -> Supply {
        var supply = self.preciseSupply
        if self.apps.totals.place > 0 {
            if case .fix(let fix) = self.newest[.receiver] { self.reduced.fixReceived(fix, now: now.monotonic) }
            supply.place = self.reduced.place(now: now.monotonic)
        }
        return supply
    }

    /// The supply while no app needs an approximate place.
    private var preciseSupply: Supply {
        var supply = Supply(
            newest: self.newest,
            found: PerTravel { self.travels[$0] },
            survey: self.ranging.survey,
            isUnavailable: PerSensor { self.sensors[$0].isUnavailable }
        )
        for (bit, machine) in self.stillness.enumerated() where machine.isStill {
            supply.still |= 1 << bit
            if machine.isDoubtful { supply.doubtful |= 1 << bit }
        }
        return supply
    }

    /// Examines the changed apps, notifies their clients, and powers the receiver as needed.
    ///
    /// All apps are notified when the supply differs from the last one.
    ///
    /// - Returns: whether a stream ended with its element.
    @discardableResult
    mutating func deliver(to changed: [Int], _ effects: inout [Effect], now: Now) -> Bool {
        for sensor in Sensor.allCases {
            guard let arrival = self.newest[sensor]?.arrival else { continue }
            if arrival.duration(to: now.monotonic) > self.policy.freshFixAge { self.newest[sensor] = nil }
        }
        // A measurement is delivered without settling: apps that changed since are checked here.
        for position in changed + self.apps.marked { self.look(at: position, now: now) }
        self.wantFindings(now: now)
        let supply = self.supply(now: now)
        let told = supply == self.offered && !self.looksAtEverything ? changed : Array(self.apps.indices)
        self.offered = supply
        // Report a change of authorization before its consequences.
        var resumed = self.tellPermissions(to: told, &effects, now: now)
        let given = self.give(supply, to: told, &effects, now: now)
        _ = self.tellPermissions(to: given.resumed, &effects, now: now)
        let late = self.give(supply, to: given.resumed, &effects, now: now)
        resumed += given.resumed
        for position in told { self.tellMonitors(of: position, &effects, now: now) }
        if self.apps.totals.passing > 0 || !self.travels.isEmpty {
            for position in told { self.launchIfServed(position, supply, &effects, now: now) }
        }
        for position in told { self.launchIfCrossed(position, &effects, now: now) }
        for position in changed { self.launchIfSharingChanged(position, &effects, now: now) }
        // A resumed process needs measurements again, which were not made while it was suspended.
        for position in resumed { self.look(at: position, now: now) }
        if !resumed.isEmpty { self.wantFindings(now: now) }
        self.runReceiver(&effects, now: now)
        for sensor in Sensor.allCases where sensor != .receiver {
            let isNeeded = self.apps.totals.needs[sensor] > 0 || self.watches(with: sensor)
            self.need(sensor, isNeeded, &effects, now: now)
        }
        return given.hasEnded || late.hasEnded
    }

    /// Sends the clients of these apps their authorization; resumes a suspended app that has a waiting event.
    ///
    /// - Returns: the apps that were suspended and are resumed.
    private mutating func tellPermissions(
        to positions: some Sequence<Int>,
        _ effects: inout [Effect],
        now: Now
    ) -> [Int] {
        var resumed: [Int] = []
        for position in positions {
            let terms = self.terms(of: self.apps[position].bundle)
            let isWoken = self.apps[unmarked: position].wakeForEvent(terms, self.policy, &effects, now: now.monotonic)
            let hasResumed = self.apps[unmarked: position]
                .tellPermission(terms, self.policy, &effects, now: now.monotonic)
            // Other decisions depend on whether the app was woken or resumed.
            if isWoken || hasResumed {
                self.apps.mark(position)
                resumed.append(position)
            }
        }
        return resumed
    }

    /// Requests the significant changes and visits that apps want.
    private mutating func wantFindings(now: Now) {
        self.travels.wanted(self.apps.totals.wantedTravels, now: now.monotonic)
        self.ranging.wanted(Set(self.apps.totals.ranged.keys), now: now.monotonic)
    }

    /// Finds which streams of an app may be served, and the sensors that they need.
    mutating func look(at position: Int, now: Now) {
        let terms = self.terms(of: self.apps[position].bundle)
        self.apps.looked(at: position, found: self.apps[unmarked: position].lookedAt(terms))
        self.watchConditions(of: position, now: now)
    }

    /// Gives the streams of these apps their part of the supply.
    ///
    /// - Returns: the apps whose processes were suspended and are resumed, and whether a stream ended.
    private mutating func give(
        _ supply: Supply,
        of sensor: Sensor? = nil,
        to positions: some Sequence<Int>,
        _ effects: inout [Effect],
        now: Now
    ) -> (resumed: [Int], hasEnded: Bool) {
        var resumed: [Int] = []
        var hasEnded = false
        for position in positions {
            let given = self.apps[unmarked: position]
                .give(supply, of: sensor, self.policy, &effects, now: now.monotonic)
            if given.hasResumed { resumed.append(position) }
            hasEnded = hasEnded || given.hasEnded
            // Other decisions depend on these three facts.
            if given.hasResumed || given.hasEnded || given.hasHeard { self.apps.mark(position) }
        }
        return (resumed, hasEnded)
    }

    /// Powers the receiver, and starts the extensions that must start while the receiver is on.
    private mutating func runReceiver(_ effects: inout [Effect], now: Now) {
        let needsPlace = self.apps.totals.place > 0
        let placeIsDue = needsPlace && self.reduced.isDue(now: now.monotonic)
        self.nextPlace = needsPlace && !placeIsDue ? self.reduced.due : nil
        let isNeeded = self.apps.totals.needs[.receiver] > 0 || placeIsDue
        // Do not repeat a finished request for a position at once.
        let linger = isNeeded || self.isReceiverNeeded ? self.policy.receiverLinger : .zero
        self.isReceiverNeeded = isNeeded
        // An approximate place, a significant change and a visit are found in positions of any source; crossings need precise ones.
        let needsBest = self.apps.totals.best > 0 || self.watch.needsReceiver
        if isNeeded || self.areLooking { self.prefer(needsBest ? .best : .hundredMetres, &effects) }
        self.need(.receiver, isNeeded || self.areLooking, linger: linger, &effects, now: now)
        if !self.mayRest(now: now) { self.wake(.receiver, &effects, now: now) }
        if self.startDueExtensions(isAwake: self.isAwake, &effects, now: now) {
            // The device's position will be needed.
            self.prefer(.best, &effects)
            self.need(.receiver, true, &effects, now: now)
            // Pushes of other apps may have waited for this one.
            _ = self.startDueExtensions(isAwake: true, &effects, now: now)
        }
        if self.sensors[.receiver].isOff || self.sensors[.receiver].isUnavailable {
            for index in self.stillness.indices { self.stillness[index].lost() }
        }
    }

    /// Reports the needed accuracy after a change, before the receiver is on, so that the right source starts.
    private mutating func prefer(_ needed: NeededAccuracy, _ effects: inout [Effect]) {
        guard needed != self.neededAccuracy else { return }
        self.neededAccuracy = needed
        effects.append(.accuracy(needed))
    }

    /// Whether the device is awake, because its receiver is on.
    var isAwake: Bool { !self.sensors[.receiver].isOff && !self.sensors[.receiver].isResting }

    /// Powers the receiver down for a while when all streams that need it know that the device is still, and up when
    /// the device moves.
    mutating func restIfStill(_ effects: inout [Effect], now: Now) {
        guard self.mayRest(now: now) else { return self.wake(.receiver, &effects, now: now) }
        switch self.sensors[.receiver].restBegan(for: self.policy.stillRest, now: now.monotonic) {
        case .stop: effects.append(.sensor(.receiver, isOn: false))
        case .ignore: break
        }
    }

    /// Powers a resting sensor up.
    mutating func wake(_ sensor: Sensor, _ effects: inout [Effect], now: Now) {
        switch self.sensors[sensor].restEnded(now: now.monotonic) {
        case .start: effects.append(.sensor(sensor, isOn: true))
        case .ignore: break
        }
    }

    /// Whether all streams that need the receiver know that the device is still, and the newest fix agrees.
    private func mayRest(now: Now) -> Bool {
        let still = self.offered.still & ~self.offered.doubtful
        guard still != 0, !self.areLooking else { return false }
        if self.apps.totals.place > 0, self.reduced.isDue(now: now.monotonic) { return false }
        return self.apps.indices.allSatisfy { position in
            !self.apps.summary(at: position).needs[.receiver] || self.apps[position].isPaused(still: still)
        }
    }

    private mutating func need(
        _ sensor: Sensor,
        _ isNeeded: Bool,
        linger: Duration? = nil,
        _ effects: inout [Effect],
        now: Now
    ) {
        switch self.sensors[sensor].needChanged(to: isNeeded, linger: linger, now: now.monotonic) {
        case .start: effects.append(.sensor(sensor, isOn: true))
        case .ignore: break
        }
    }

    /// Delivers a sensor's newest measurement to the streams.
    ///
    /// If no app is marked as changed, the streams found by the last check of each app still apply: every changed
    /// decision marks its app, and marked apps are checked before an input ends.
    ///
    /// - Returns: whether a stream ended with its element.
    mutating func deliverNewest(of sensor: Sensor, _ effects: inout [Effect], now: Now) -> Bool {
        guard self.isSteady(sensor) else { return self.deliver(to: [], &effects, now: now) }
        let supply = self.preciseSupply
        assert(self.isSampleAsLookedAt(now), "an app changed and was not examined")
        self.offered.newest[sensor] = supply.newest[sensor]
        self.offered.isUnavailable[sensor] = supply.isUnavailable[sensor]
        self.offered.still = supply.still
        self.offered.doubtful = supply.doubtful
        let given = self.give(supply, of: sensor, to: self.apps.indices, &effects, now: now)
        // Deliver the diagnostics and states that a suspended process missed when it resumes.
        if given.resumed.isEmpty { return given.hasEnded }
        return self.deliver(to: given.resumed, &effects, now: now) || given.hasEnded
    }

    /// Whether another check would find the reasons that the last one found: one app each second, in turn, because a
    /// check of all apps with every fix would cost more than the fix.
    private func isSampleAsLookedAt(_ now: Now) -> Bool {
        guard !self.apps.indices.isEmpty else { return true }
        let turn = Int(now.monotonic.sinceStart / .seconds(1)) % self.apps.indices.count
        return self.apps[turn].isAsLookedAt(self.terms(of: self.apps[turn].bundle))
    }

    /// Launches an app without a process when one of its remembered streams has something to receive.
    private mutating func launchIfServed(_ position: Int, _ supply: Supply, _ effects: inout [Effect], now: Now) {
        let app = self.apps[position]
        guard app.lifecycle.isGone, !app.relaunch.isHeld, self.isServed(app, supply) else { return }
        self.launch(position, app.wasHandedOver ? .push : .location, &effects, now: now)
    }

    /// Launches an app that monitors pushes and has no process, when a decision gives or withdraws Always, or when the app
    /// lost its session: its last report to its server, that it shares or that sharing is paused, is no longer true.
    private mutating func launchIfSharingChanged(_ position: Int, _ effects: inout [Effect], now: Now) {
        let app = self.apps[position]
        let mayShare = app.permission(self.terms(of: app.bundle)).status == .always && !app.sessions.hasLostAlways
        guard app.couldShare != mayShare else { return }
        let hasShared = app.sessions.hasAlways || app.sessions.hasLostAlways
        if app.couldShare != nil, hasShared, app.registration.isMonitoring {
            if app.lifecycle.isRunning || app.lifecycle.isLaunching {
                // A running app learns of the loss from its next session. If it takes none, it is launched again after its
                // process ends.
                if app.sessions.hasLostAlways, !app.sessions.holdsAlways { return }
            } else {
                // A process that is ending receives nothing, and an app that crashes is left alone for a while.
                guard app.lifecycle.isGone, !app.relaunch.isHeld else { return }
                self.launch(position, .location, &effects, now: now)
            }
        }
        self.apps[unmarked: position].couldShare = mayShare
    }

    /// Launches an app without a process.
    mutating func launch(_ position: Int, _ reason: Lifecycle.LaunchReason, _ effects: inout [Effect], now: Now) {
        let launch = self.nextLaunch()
        self.apps[position].wasHandedOver = false
        self.apps[position].lifecycle.launched(
            launch,
            reason,
            until: now.monotonic.advanced(by: self.policy.launchPatience)
        )
        let bundle = self.apps[position].bundle
        effects += [.process(.launchApp(bundle, launch, reason)), .note(.appLaunched(bundle, reason))]
    }

    /// Whether there is an element for a stream that an app left.
    private func isServed(_ app: App, _ supply: Supply) -> Bool {
        let terms = self.terms(of: app.bundle)
        let permission = app.permission(terms)
        return app.sessions.leftStreams.contains { service in
            let traits = service.traits
            guard traits.launches, app.reasons(traits, .app, permission, terms).isEmpty else { return false }
            let offer = supply.offer(traits, [], isPrecise: app.accuracy.isFull, mayPause: true, self.policy)
            if traits.travel != nil, let element = offer.element, app.heard.holds(element, self.policy.travel) {
                return false
            }
            switch offer {
            case .measured, .approximate: return true
            case .nothing, .reasons, .still, .doubtful: return false
            }
        }
    }
}
