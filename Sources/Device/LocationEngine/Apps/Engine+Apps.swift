internal import WhereaboutsVocabulary

/// Apps and their processes: installed, shown, ended.
extension Engine {
    /// Changes an app in place; does nothing when it is not installed.
    @discardableResult
    mutating func withApp<Result>(_ bundle: BundleID, _ change: (inout App) -> Result) -> Result? {
        guard let position = self.apps.position(of: bundle) else { return nil }
        return change(&self.apps[position])
    }

    mutating func appInstalled(_ bundle: BundleID, _ manifest: AppManifest, _ effects: inout [Effect], now: Now) {
        guard let position = self.apps.position(of: bundle) else {
            return self.appAppeared(bundle, manifest, &effects, now: now)
        }
        // Another version: the person's decisions stay, and so does the token if that version may have one (ADR 0022).
        self.apps[position].manifest = manifest
        self.apps[position].missingNoted = []
        self.apps[position].pushExtension.renewed()
        if self.apps[position].pushTokenFailure != nil { self.stopMonitoring(bundle, &effects) }
    }

    /// Installs an app that is new, or was absent: then its record is restored.
    private mutating func appAppeared(
        _ bundle: BundleID,
        _ manifest: AppManifest,
        _ effects: inout [Effect],
        now: Now
    ) {
        var app = App(bundle: bundle, manifest: manifest, policy: self.policy)
        let record = self.absent.firstIndex { $0.bundle == bundle.rawValue }.map { self.absent.remove(at: $0) }
        if let record { app.restore(record, isRunning: false, self.policy, &self.conditions, now: now.monotonic) }
        self.apps.install(app)
        guard let record, record.monitorsPushes else { return }
        if app.pushTokenFailure == nil {
            effects.append(.gateway(.register(bundle)))
        } else {
            self.stopMonitoring(bundle, &effects)
        }
    }

    mutating func appUninstalled(_ bundle: BundleID, _ effects: inout [Effect]) {
        self.removeAbsent(bundle, &effects)
        self.stopMonitoring(bundle, &effects)
        self.forgetPushes(of: bundle, &effects)
        for client in self.apps[bundle]?.clients ?? [] {
            self.owners[client.id] = nil
            effects.append(.disconnect(client.id))
        }
        for record in self.apps[bundle]?.monitors.records ?? [] { self.watch.end(record.number) }
        self.apps.remove(bundle)
    }

    /// Forgets the record of an absent app, and unregisters its token.
    private mutating func removeAbsent(_ bundle: BundleID, _ effects: inout [Effect]) {
        guard let index = self.absent.firstIndex(where: { $0.bundle == bundle.rawValue }) else { return }
        if self.absent.remove(at: index).monitorsPushes { self.giveBack(bundle, &effects) }
    }

    mutating func terminationBegan(
        _ bundle: BundleID,
        _ cause: Lifecycle.Cause,
        _ effects: inout [Effect],
        now: Now
    ) {
        let policy = self.policy
        self.withApp(bundle) { app in
            for client in app.clients.indices where app.clients[client].principal.role == .app {
                app.clients[client].isDying = true
            }
            app.isBeingEnded = app.lifecycle.isManaged && !app.lifecycle.isGone
            if cause == .person, !policy.closingKeepsClaims { app.forgetsClaims = true }
            // A suspended process must run to learn that it will end.
            if app.lifecycle.woken(runtime: policy.backgroundRuntime, now: now.monotonic) {
                effects.append(.process(.thaw(bundle)))
            }
        }
    }

    mutating func appExited(_ bundle: BundleID, _ end: ProcessEnd, _ effects: inout [Effect], now: Now) {
        guard let position = self.apps.position(of: bundle) else { return }
        for client in self.apps[position].clients where client.principal.role == .app {
            self.cut(client.id)
            self.apps[position].sessions.clientVanished(client.id)
            effects.append(.disconnect(client.id))
        }
        let end = self.apps[position].lifecycle.wasSilent ? .neverConnected : end
        self.apps[position].lifecycle.exited()
        self.apps[position].died(&effects)
        if end == .exited(0) || self.apps[position].isBeingEnded {
            self.apps[position].isBeingEnded = false
            self.apps[position].relaunch.forgiven()
        } else {
            self.apps[position].relaunch.failed(self.policy.relaunchCrashLoop, now: now.monotonic)
            effects.append(.note(.appFailed(bundle, end)))
        }
    }

    /// Records that the system started the app's process.
    ///
    /// Ignored for an app that the engine launched: its process counts from its connection.
    mutating func appStarted(_ bundle: BundleID, _ arrival: Lifecycle.Arrival, now: Now) {
        let policy = self.policy
        self.withApp(bundle) { app in
            guard !app.lifecycle.isRunning, !app.lifecycle.isLaunching else { return }
            app.launched(arrival, policy, now: now.monotonic)
        }
    }

    mutating func phaseReported(_ id: ClientID, _ phase: Lifecycle.Phase, _ effects: inout [Effect], now: Now) {
        guard let (position, client) = self.place(of: id), client.principal.role == .app,
            // The host knows how a launched app is shown. Another app may declare itself hidden but not visible,
            // because then it would be served without anyone's knowledge.
            !self.apps[position].lifecycle.isManaged, phase == .background
        else { return }
        self.phaseChanged(client.principal.bundle, phase, &effects, now: now)
    }

    mutating func phaseChanged(_ bundle: BundleID, _ phase: Lifecycle.Phase, _ effects: inout [Effect], now: Now) {
        let grace = self.policy.inUseGrace
        self.withApp(bundle) { app in
            switch app.lifecycle.phaseChanged(to: phase, grace: grace, now: now.monotonic) {
            case .thaw: effects += [.process(.thaw(bundle)), .note(.appResumed(bundle))]
            case .ignore: break
            }
        }
    }

    mutating func appWoken(_ bundle: BundleID, _ effects: inout [Effect], now: Now) {
        let runtime = self.policy.backgroundRuntime
        guard self.withApp(bundle, { $0.lifecycle.woken(runtime: runtime, now: now.monotonic) }) == true else { return }
        effects += [.process(.thaw(bundle)), .note(.appResumed(bundle))]
    }

    mutating func activityDismissed(_ bundle: BundleID, title: String) {
        self.withApp(bundle) { _ = $0.sessions.activityDismissed(title: title) }
    }

    // MARK: Time

    mutating func deadlineReached(of position: Int, _ effects: inout [Effect], now: Now) {
        let terms = self.terms(of: self.apps[position].bundle)
        self.apps[position].deadlineReached(terms, self.policy, &effects, now: now.monotonic)
    }
}

extension App {
    /// Records that the app's first process started, and gives it time to retake the app's claims.
    mutating func launched(_ arrival: Lifecycle.Arrival, _ policy: Policy, now: EngineInstant) {
        self.isTakenOver = false
        self.lifecycle.connected(arrival, runtime: policy.backgroundRuntime, now: now)
        self.sessions.appLaunched(window: policy.retakeWindow, now: now)
        if self.lifecycle.reason == .user { self.relaunch.forgiven() }
    }

    /// Records the end of the app's last process, and drops the request and the accuracy that were limited to it.
    mutating func died(_ effects: inout [Engine.Effect]) {
        self.request = nil
        if self.accuracy.lapsed() { effects.append(.note(.accuracyChanged(self.bundle, precise: false))) }
        self.sessions.appEnded()
        if self.forgetsClaims {
            self.sessions.forgotten()
            self.monitors.removeAll()
        }
        self.forgetsClaims = false
    }

    fileprivate mutating func deadlineReached(
        _ terms: Terms,
        _ policy: Policy,
        _ effects: inout [Engine.Effect],
        now: EngineInstant
    ) {
        let mayRest = self.mayRest(terms)
        switch self.lifecycle.deadlineReached(mayRest: mayRest, runtime: policy.backgroundRuntime, now: now) {
        case .freeze: effects += [.process(.freeze(self.bundle)), .note(.appSuspended(self.bundle))]
        // The failure is recorded when the end of the process is reported.
        case .launchFailed: effects.append(.process(.killApp(self.bundle)))
        case .ignore: break
        }
        switch self.sessions.deadlineReached(now: now) {
        case .dropped(let count): effects.append(.note(.sessionsDropped(self.bundle, count: count)))
        case .ignore: break
        }
        self.relaunch.deadlineReached(now: now)
        if let receiveBy = self.monitors.receiveBy, now >= receiveBy {
            let before = self
            let count = self.monitors.abandon(policy, where: before.isMissed)
            if count > 0 { effects.append(.note(.conditionsAbandoned(self.bundle, count: count))) }
        }
        for waiter in self.registration.deadlineReached(now: now) {
            effects.append(.tell(waiter.client, .pushToken(.failure(.unknown), request: waiter.request)))
        }
        switch self.pushExtension.deadlineReached(now: now) {
        case .warn(let client): effects += [.note(.extensionWarned(self.bundle)), .tell(client, .warning)]
        case .kill(let launch): effects += [.note(.extensionKilled(self.bundle)), .process(.killExtension(launch))]
        case .ignore: break
        }
    }
}
