public import WhereaboutsVocabulary

extension Engine {
    /// The durable state, to be saved on ``Effect/persist``.
    public func snapshot(now: EngineInstant) -> EngineSnapshot {
        let refill = self.budget.countedUntil.duration(to: now)
        var snapshot = EngineSnapshot(
            servicesOn: self.servicesOn,
            pushesRemaining: self.budget.remaining,
            budgetExhausted: !self.budget.isOpen,
            refillMilliseconds: Int64(refill / .milliseconds(1))
        )
        snapshot.shares = self.budget.shares.accounts.map { bundle, account in
            EngineSnapshot.ShareRecord(
                bundle: bundle.rawValue,
                owedMilliseconds: Int64(now.duration(to: account.settled) / .milliseconds(1)),
                isClosed: account.isClosed
            )
        }
        snapshot.goneTopics = self.goneTopics.map(\.rawValue)
        snapshot.apps = self.apps.indices.map { EngineSnapshot.AppRecord(self.apps[$0]) } + self.absent
        self.travels.save(to: &snapshot, now: now)
        snapshot.recentPushes = self.recentPushes.map { [$0.high, $0.low] }
        return snapshot
    }

    /// Creates an engine that continues from a snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: the durable state as it was saved.
    ///   - manifests: the apps that can be read now; decisions about other apps are kept until these are removed, so
    ///     that a disk that fails once does not turn a refusal into a new prompt.
    ///   - running: the apps whose processes, launched by the host before, still run, and how they are shown.
    ///   - policy: the numbers to decide by.
    ///   - elapsed: the time since the snapshot was taken; zero when it is unknown.
    ///   - now: both clocks.
    public init(
        restoring snapshot: EngineSnapshot,
        manifests: [(BundleID, AppManifest)],
        running: [(BundleID, Lifecycle.Phase)] = [],
        policy: Policy,
        elapsed: Duration,
        now: Now
    ) {
        self.init(policy: policy, now: now)
        self.travels = TravelWatch(restoring: snapshot, policy: policy, elapsed: elapsed, now: now.monotonic)
        self.servicesOn = snapshot.servicesOn
        for (bundle, manifest) in manifests {
            var app = App(bundle: bundle, manifest: manifest, policy: policy)
            let phase = running.first { $0.0 == bundle }?.1
            if let record = snapshot.apps.first(where: { $0.bundle == bundle.rawValue }) {
                app.restore(record, isRunning: phase != nil, policy, &self.conditions, now: now.monotonic)
            }
            if let phase {
                app.launched(Lifecycle.Arrival(phase: phase, isManaged: true), policy, now: now.monotonic)
                app.isTakenOver = true
            }
            self.apps.install(app)
        }
        self.absent = snapshot.apps.filter { self.apps.position(of: BundleID($0.bundle)) == nil }
            .suffix(Self.absentAppsMax)
        let since = max(elapsed, .zero) + .milliseconds(max(snapshot.refillMilliseconds, 0))
        self.budget = PushBudget(
            policy: policy,
            remaining: min(snapshot.pushesRemaining, policy.pushBudgetCapacity) + policy.pushesBack(in: since),
            exhausted: snapshot.budgetExhausted,
            now: now.monotonic
        )
        for share in snapshot.shares {
            let owed = Duration.milliseconds(share.owedMilliseconds) - max(elapsed, .zero)
            self.budget.restore(BundleID(share.bundle), owed: owed, isClosed: share.isClosed, now: now.monotonic)
        }
        self.goneTopics = snapshot.goneTopics.suffix(Self.goneTopicsMax).map { BundleID($0) }
        self.recentPushes = snapshot.recentPushes.suffix(Self.recentPushesMax).compactMap {
            $0.count == 2 ? PushID(high: $0[0], low: $0[1]) : nil
        }
        // Restoring may have left something out, so the first input saves the state.
        self.saved = nil
    }
}

extension EngineSnapshot.AppRecord {
    init(_ app: App) {
        self.init(
            bundle: app.bundle.rawValue,
            decision: EngineSnapshot.Decision(app.authorization.state),
            accuracy: EngineSnapshot.Accuracy(app.accuracy.state),
            sessions: app.sessions.sessions.map(\.rawValue),
            // A manager's updates end with the manager's process.
            liveUpdates: app.sessions.inEffect.compactMap {
                if case .stream(.live(let configuration)) = $0 { configuration.rawValue } else { nil }
            },
            backgroundSessions: app.sessions.inEffect.count { $0 == .backgroundSession },
            liveActivities: app.sessions.liveActivities,
            hasTakenAlways: app.sessions.hasTakenAlways,
            hasLostAlways: app.sessions.hasLostAlways,
            monitorsPushes: app.registration.isMonitoring,
            conditions: app.monitors.records.map(EngineSnapshot.ConditionRecord.init),
            travels: app.sessions.inEffect.compactMap {
                if case .stream(let service) = $0 { service.travelNumber } else { nil }
            },
            heard: app.heard.record
        )
    }

    /// The restored claims, at most as many of each kind as one client may hold, because a file may contain any number.
    fileprivate func claims(_ policy: Policy) -> [Claim] {
        let most = policy.declarationsMax
        return self.sessions.prefix(most).compactMap {
            Declaration.Session.Requirement(rawValue: $0).map { .session($0) }
        }
            + self.liveUpdates.prefix(most).compactMap {
                LiveConfiguration(rawValue: $0).map { .stream(.live($0)) }
            }
            + self.travels.prefix(most).compactMap { Service(travelNumber: $0).map { .stream($0) } }
            + Array(repeating: .backgroundSession, count: min(max(self.backgroundSessions, 0), most))
            + self.liveActivities.prefix(most).map { .liveActivity(title: $0) }
    }
}

extension App {
    mutating func restore(
        _ record: EngineSnapshot.AppRecord,
        isRunning: Bool,
        _ policy: Policy,
        _ conditions: inout UInt64,
        now: EngineInstant
    ) {
        self.authorization = Authorization(restoring: record.decision.state)
        self.accuracy = AccuracyAuthorization(restoring: record.accuracy.state)
        // Temporary full accuracy was granted to a process that has ended.
        if !isRunning { _ = self.accuracy.lapsed() }
        self.sessions = Ledger(
            restoring: record.claims(policy),
            hasTakenAlways: record.hasTakenAlways,
            hasLostAlways: record.hasLostAlways,
            activityEnd: now.advanced(by: policy.liveActivityMax)
        )
        self.heard = DeliveredTravel(restoring: record.heard)
        self.registration = PushRegistration(monitoring: record.monitorsPushes)
        let saved = record.conditions.prefix(policy.conditionsKeptMax)
        let usable = saved.compactMap { record in
            conditions += 1
            return record.record(number: conditions)
        }
        self.monitors.restore(usable, lost: saved.count - usable.count, policy)
    }
}

extension EngineSnapshot.Decision {
    fileprivate init(_ state: Authorization.State) {
        self =
            switch state {
            // A question does not survive the host: the person is asked again.
            case .notDetermined, .askingWhenInUse: .notDetermined
            case .whenInUseOnce: .whenInUseOnce
            case .whenInUse(alwaysAnswered: false), .askingAlways: .whenInUse
            case .whenInUse(alwaysAnswered: true): .whenInUseOnly
            case .provisionalAlways, .confirmingAlways: .provisionalAlways
            case .always: .always
            case .denied: .denied
            }
    }

    fileprivate var state: Authorization.State {
        switch self {
        case .notDetermined: .notDetermined
        case .denied: .denied
        case .whenInUseOnce: .whenInUseOnce
        case .whenInUse: .whenInUse(alwaysAnswered: false)
        case .whenInUseOnly: .whenInUse(alwaysAnswered: true)
        case .provisionalAlways: .provisionalAlways
        case .always: .always
        }
    }
}

extension EngineSnapshot.Accuracy {
    fileprivate init(_ state: AccuracyAuthorization.State) {
        self =
            switch state {
            case .full: .full
            case .reduced, .asking: .reduced
            case .fullForNow: .fullForNow
            }
    }

    fileprivate var state: AccuracyAuthorization.State {
        switch self {
        case .full: .full
        case .reduced: .reduced
        case .fullForNow: .fullForNow
        }
    }
}

extension EngineSnapshot.ConditionRecord {
    init(_ record: ConditionRecord) {
        switch record.condition {
        case .circle(let circle): self.circle = [circle.latitude, circle.longitude, circle.radius]
        case .beacon(let identity):
            self.circle = []
            self.beacon = EngineSnapshot.BeaconRecord(identity)
        }
        self.monitor = record.monitor
        self.identifier = record.identifier
        self.notices = record.notices.rawValue
        self.known = record.known.state.rawValue
        self.knownTime = record.known.time.microseconds
        self.knownBeacon = record.known.refinement.map { EngineSnapshot.BeaconRecord($0) }
        self.found = record.found?.state.rawValue
        self.foundTime = record.found?.time.microseconds
        self.foundBeacon = record.found?.refinement.map { EngineSnapshot.BeaconRecord($0) }
        self.isAbandoned = record.standing == .abandoned
        self.isPlaced = record.standing == .placed
    }

    /// The restored record; nil when the saved values are impossible.
    fileprivate func record(number: UInt64) -> ConditionRecord? {
        guard let condition = self.condition, let known = ConditionState(rawValue: self.known) else { return nil }
        let found = self.found.flatMap(ConditionState.init)
        return ConditionRecord(
            number: number,
            monitor: self.monitor,
            identifier: self.identifier,
            condition: condition,
            notices: Notices(rawValue: self.notices),
            standing: self.isAbandoned ? .abandoned : self.isPlaced ? .placed : .waiting,
            known: .init(
                state: known,
                time: WallTime(microseconds: self.knownTime),
                refinement: self.knownBeacon?.beacon
            ),
            found: found.map {
                .init(
                    state: $0,
                    time: WallTime(microseconds: self.foundTime ?? self.knownTime),
                    refinement: self.foundBeacon?.beacon
                )
            }
        )
    }

    private var condition: Condition? {
        if let beacon = self.beacon { return beacon.identity.map { .beacon($0) } }
        guard self.circle.count == 3 else { return nil }
        return .circle(.init(latitude: self.circle[0], longitude: self.circle[1], radius: self.circle[2]))
    }
}
