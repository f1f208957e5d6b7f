internal import OrderedCollections

/// Apps and their processes: installed, connected, shown, ended.
extension Engine {
    mutating func appInstalled(_ bundle: BundleID, _ manifest: AppManifest, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else {
            self.apps[bundle] = App(manifest: manifest, policy: self.policy)
            return
        }
        // Another version: what the person decided stays, and so does the token if it may (ADR 0022).
        app.manifest = manifest
        app.missingNoted = []
        app.pushExtension.renewed()
        self.apps[bundle] = app
        if app.pushTokenFailure != nil { self.stopMonitoring(bundle, &effects) }
    }

    mutating func appUninstalled(_ bundle: BundleID, _ effects: inout [Effect]) {
        self.stopMonitoring(bundle, &effects)
        self.forgetPushes(of: bundle, &effects)
        for (id, client) in self.clients where client.principal.bundle == bundle {
            effects.append(.disconnect(id))
        }
        self.clients.removeAll { $0.value.principal.bundle == bundle }
        self.apps[bundle] = nil
    }

    mutating func clientConnected(
        _ client: ClientID,
        _ principal: Principal,
        _ arrival: Lifecycle.Arrival,
        _ effects: inout [Effect],
        now: Now
    ) throws(Unreachable) {
        guard self.clients[client] == nil else { throw Unreachable("client \(client.rawValue) is connected already") }
        guard var app = self.apps[principal.bundle] else {
            throw Unreachable("\(principal.bundle) is not installed, its process cannot connect")
        }
        var connection = Client(principal: principal)
        var pushes: [Push] = []
        switch principal.role {
        case .app:
            if !app.lifecycle.isRunning { self.launched(&app, arrival, now: now) }
        case .pushExtension(let launch):
            for push in app.pushExtension.takeExpired(now: now.monotonic) { self.refuse(push, .expired, &effects) }
            switch app.pushExtension.connected(client, launch: launch, now: now.monotonic) {
            case .refuse:
                effects.append(.disconnect(client))
                return
            case .hand(let waiting):
                app.extensionSessions = Ledger()
                pushes = waiting
            }
        }
        // First of all what its synchronous members answer: the client's first call waits for it.
        let state = self.clientState(app, self.standing(of: principal.bundle, app))
        connection.told = state
        effects.append(.tell(client, .state(state)))
        for push in pushes {
            effects += [.note(.pushHanded(push.id, principal.bundle)), .tell(client, .push(push))]
        }
        // What it was started for expired meanwhile.
        if case .pushExtension = principal.role, pushes.isEmpty { effects.append(.tell(client, .finish)) }
        self.apps[principal.bundle] = app
        self.clients[client] = connection
    }

    /// Records that an app's first process is there, and gives it its time to retake what it held.
    func launched(_ app: inout App, _ arrival: Lifecycle.Arrival, now: Now) {
        app.lifecycle.connected(arrival, runtime: self.policy.backgroundRuntime, now: now.monotonic)
        app.sessions.appLaunched(window: self.policy.retakeWindow, now: now.monotonic)
        if app.lifecycle.reason == .user { app.relaunch.ranWell() }
    }

    mutating func clientDeclared(_ id: ClientID, _ declaration: Declaration, _ effects: inout [Effect], now: Now) {
        guard var client = self.clients[id], !client.isDying, var app = self.apps[client.principal.bundle] else {
            return
        }
        let bundle = client.principal.bundle
        let largest = max(declaration.sessions.count, declaration.streams.count, declaration.activities.count)
        guard largest <= self.policy.declarationsMax else {
            effects += [.note(.declarationTooLarge(bundle)), .disconnect(id)]
            return
        }
        let standing = self.standing(of: bundle, app)
        let end = now.monotonic.advanced(by: self.policy.liveActivityMax)
        switch client.principal.role {
        case .app:
            let before = app
            app.sessions.declared(id, declaration.claims, activityEnd: end) {
                self.mayBegin($0, bundle, before, standing)
            }
            if !app.manifest.mayRunInBackground,
                declaration.activities.contains(where: { $0.kind == .backgroundSession }),
                !app.missingNoted.contains("UIBackgroundModes")
            {
                app.missingNoted.append("UIBackgroundModes")
                effects.append(.note(.keyMissing(bundle, key: "UIBackgroundModes")))
            }
        case .pushExtension:
            let mayBegin = app.allowsExtensionSession(self.policy)
            app.extensionSessions.declared(id, declaration.claims, activityEnd: end) { claim in
                switch claim {
                case .session: mayBegin
                case .stream: true
                // An extension has no face.
                case .backgroundSession, .liveActivity: false
                }
            }
        }
        client.take(declaration)
        self.apps[bundle] = app
        self.clients[id] = client
    }

    mutating func clientVanished(_ id: ClientID, _ effects: inout [Effect]) {
        guard let client = self.clients.removeValue(forKey: id), var app = self.apps[client.principal.bundle] else {
            return
        }
        app.registration.vanished(id)
        app.accuracyWaiters.removeAll { $0.client == id }
        switch client.principal.role {
        case .app:
            app.sessions.clientVanished(id)
            let principal = client.principal
            if !self.clients.values.contains(where: { $0.principal == principal }), app.lifecycle.isRunning {
                app.lifecycle.vanished()
                self.died(&app)
            }
        case .pushExtension:
            self.handOver(&app)
            app.extensionSessions = Ledger()
        }
        self.apps[client.principal.bundle] = app
    }

    /// Leaves the live updates that the extension was still reading to the app, which is launched for them.
    ///
    /// An app that has a process goes on as it is: it reads what it wants to read.
    private func handOver(_ app: inout App) {
        guard app.lifecycle.isGone else { return }
        for case .stream(.live(let configuration)) in app.extensionSessions.inEffect
        where app.sessions.inherited(.stream(.live(configuration))) {
            app.wasHandedOver = true
        }
    }

    private func died(_ app: inout App) {
        app.request = nil
        if app.forgetsClaims { app.sessions.forgotten() }
        app.forgetsClaims = false
    }

    mutating func terminationBegan(
        _ bundle: BundleID,
        _ cause: Lifecycle.Cause,
        _ effects: inout [Effect],
        now: Now
    ) {
        guard var app = self.apps[bundle] else { return }
        for (id, client) in self.clients where client.principal == Principal(bundle: bundle, role: .app) {
            self.clients[id]?.isDying = true
        }
        app.isBeingEnded = app.lifecycle.isManaged && !app.lifecycle.isGone
        if cause == .person, !self.policy.closingKeepsClaims { app.forgetsClaims = true }
        // A stopped process cannot hear that it is to end.
        if app.lifecycle.woken(runtime: self.policy.backgroundRuntime, now: now.monotonic) {
            effects.append(.process(.thaw(bundle)))
        }
        self.apps[bundle] = app
    }

    mutating func appExited(_ bundle: BundleID, _ end: ProcessEnd, _ effects: inout [Effect], now: Now) {
        guard var app = self.apps[bundle] else { return }
        let principal = Principal(bundle: bundle, role: .app)
        for (id, client) in self.clients where client.principal == principal {
            app.sessions.clientVanished(id)
            app.registration.vanished(id)
            app.accuracyWaiters.removeAll { $0.client == id }
            self.clients[id] = nil
            effects.append(.disconnect(id))
        }
        app.lifecycle.exited()
        self.died(&app)
        if end == .exited(0) || app.isBeingEnded {
            app.isBeingEnded = false
            app.relaunch.ranWell()
        } else {
            app.relaunch.failed(policy: self.policy, now: now.monotonic)
            effects.append(.note(.appFailed(bundle, end)))
        }
        self.apps[bundle] = app
    }

    mutating func phaseReported(_ id: ClientID, _ phase: Lifecycle.Phase, _ effects: inout [Effect], now: Now) {
        guard let client = self.clients[id], client.principal.role == .app,
            let app = self.apps[client.principal.bundle],
            // Whoever launched the app knows how it is shown; only what nobody launched may say so itself.
            !app.lifecycle.isManaged
        else { return }
        self.phaseChanged(client.principal.bundle, phase, &effects, now: now)
    }

    mutating func phaseChanged(_ bundle: BundleID, _ phase: Lifecycle.Phase, _ effects: inout [Effect], now: Now) {
        guard var app = self.apps[bundle] else { return }
        switch app.lifecycle.phaseChanged(to: phase, grace: self.policy.inUseGrace, now: now.monotonic) {
        case .thaw: effects += [.process(.thaw(bundle)), .note(.appResumed(bundle))]
        case .ignore: break
        }
        self.apps[bundle] = app
    }

    func lifecycleDeadlineReached(of bundle: BundleID, _ app: inout App, _ effects: inout [Effect], now: Now) {
        let runtime = self.policy.backgroundRuntime
        switch app.lifecycle.deadlineReached(mayRest: self.mayRest(bundle, app), runtime: runtime, now: now.monotonic) {
        case .freeze: effects += [.process(.freeze(bundle)), .note(.appSuspended(bundle))]
        case .launchFailed:
            app.relaunch.failed(policy: self.policy, now: now.monotonic)
            effects.append(.note(.appFailed(bundle, .neverStarted(0))))
        case .ignore: break
        }
    }

    /// Whether nothing forbids to stop the app: it waits for no answer, and no manager keeps it running.
    private func mayRest(_ bundle: BundleID, _ app: App) -> Bool {
        if !app.accuracyWaiters.isEmpty || app.registration.hasWaiters || self.isForeground(bundle, app) {
            return false
        }
        let standing = self.standing(of: bundle, app)
        let principal = Principal(bundle: bundle, role: .app)
        return !app.sessions.entries.contains { entry in
            guard entry.isHeld, entry.counts, case .stream(.standard(let options)) = entry.claim else { return false }
            // Kept running, not only woken (documented with allowsBackgroundLocationUpdates).
            return options.allowsBackground && self.reasons(.standard(options), principal, app, standing).isEmpty
        }
    }

    func stopMonitoringEffects(_ waiters: [PushRegistration.Waiter], _ bundle: BundleID) -> [Effect] {
        [.gateway(.unregister(bundle))]
            + waiters.map { .tell($0.client, .pushToken(.failure(.unknown), request: $0.request)) }
    }

    mutating func stopMonitoring(_ bundle: BundleID, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else { return }
        switch app.registration.stopped() {
        case .unregister(let failing):
            effects += self.stopMonitoringEffects(failing, bundle)
            self.goneTopics = self.goneTopics.filter { $0 != bundle }.suffix(Self.goneTopicsMax - 1) + [bundle]
        case .ignore: break
        }
        self.apps[bundle] = app
    }
}
