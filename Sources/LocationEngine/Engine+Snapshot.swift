internal import OrderedCollections

extension Engine {
    /// What to save on ``Effect/persist``.
    public func snapshot(now: EngineInstant) -> EngineSnapshot {
        let refill = self.budget.countedUntil.duration(to: now)
        var snapshot = EngineSnapshot(
            pushesRemaining: self.budget.remaining,
            budgetExhausted: !self.budget.isOpen,
            refillMilliseconds: Int64(refill / .milliseconds(1))
        )
        snapshot.recentPushes = self.recentPushes.map { [$0.high, $0.low] }
        snapshot.shares = self.budget.shares.accounts.map { bundle, account in
            EngineSnapshot.ShareRecord(
                bundle: bundle.rawValue,
                owedMilliseconds: Int64(now.duration(to: account.settled) / .milliseconds(1)),
                isClosed: account.isClosed
            )
        }
        snapshot.goneTopics = self.goneTopics.isEmpty ? nil : self.goneTopics.map(\.rawValue)
        snapshot.apps = self.apps.map { bundle, app in
            EngineSnapshot.AppRecord(
                bundle: bundle.rawValue,
                decision: Self.decision(app.authorization.state),
                sessions: app.sessions.outstanding.map(\.rawValue),
                hasTakenAlways: app.sessions.hasTakenAlways,
                monitorsPushes: app.registration.isMonitoring
            )
        }
        return snapshot
    }

    private static func decision(_ state: Authorization.State) -> EngineSnapshot.Decision {
        switch state {
        // A prompt does not outlive the host: the app is asked again.
        case .notDetermined, .askingWhenInUse: .notDetermined
        case .whenInUse(alwaysAnswered: false), .askingAlways: .whenInUse
        case .whenInUse(alwaysAnswered: true): .whenInUseOnly
        case .always: .always
        case .denied: .denied
        }
    }

    private static func state(_ decision: EngineSnapshot.Decision) -> Authorization.State {
        switch decision {
        case .notDetermined: .notDetermined
        case .denied: .denied
        case .whenInUse: .whenInUse(alwaysAnswered: false)
        case .whenInUseOnly: .whenInUse(alwaysAnswered: true)
        case .always: .always
        }
    }

    /// Creates an engine that goes on where a snapshot was taken.
    ///
    /// - Parameters:
    ///   - snapshot: what was saved.
    ///   - manifests: the apps that are installed now; what the snapshot says of others is dropped.
    ///   - policy: the numbers to decide by.
    ///   - elapsed: the time since the snapshot was taken; zero when nobody can tell.
    ///   - now: both clocks.
    public init(
        restoring snapshot: EngineSnapshot,
        manifests: [(BundleID, AppManifest)],
        policy: Policy,
        elapsed: Duration,
        now: Now
    ) {
        self.init(policy: policy, now: now)
        for (bundle, manifest) in manifests {
            var app = App(manifest: manifest, policy: policy)
            if let record = snapshot.apps.first(where: { $0.bundle == bundle.rawValue }) {
                app.authorization = Authorization(restoring: Self.state(record.decision))
                app.sessions = SessionLedger(
                    restoring: record.sessions.compactMap(Declaration.Session.Requirement.init(rawValue:)),
                    hasTakenAlways: record.hasTakenAlways
                )
                app.registration = PushRegistration(monitoring: record.monitorsPushes)
            }
            self.apps[bundle] = app
        }
        let since = max(elapsed, .zero) + .milliseconds(max(snapshot.refillMilliseconds, 0))
        let back = Int(since / policy.pushBudgetRefill)
        self.budget = PushBudget(
            policy: policy,
            remaining: min(snapshot.pushesRemaining, policy.pushBudgetCapacity) + back,
            exhausted: snapshot.budgetExhausted,
            now: now.monotonic
        )
        for share in snapshot.shares ?? [] {
            let owed = Duration.milliseconds(share.owedMilliseconds) - max(elapsed, .zero)
            self.budget.restore(BundleID(share.bundle), owed: owed, isClosed: share.isClosed, now: now.monotonic)
        }
        self.goneTopics = (snapshot.goneTopics ?? []).suffix(Self.goneTopicsMax).map { BundleID($0) }
        self.recentPushes = snapshot.recentPushes.compactMap {
            $0.count == 2 ? PushID(high: $0[0], low: $0[1]) : nil
        }
    }
}
