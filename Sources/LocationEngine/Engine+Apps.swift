internal import OrderedCollections

/// Apps and their processes: installed, connected, shown, decided about.
extension Engine {
    mutating func appInstalled(_ bundle: BundleID, _ manifest: AppManifest, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else {
            self.apps[bundle] = App(manifest: manifest, policy: self.policy)
            return
        }
        // Another version: what the person decided stays, and so does the token if it may (ADR 0022).
        app.manifest = manifest
        app.missingUsageNoted = false
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
        _ phase: Lifecycle.Phase,
        _ effects: inout [Effect],
        now: Now
    ) throws(Unreachable) {
        guard self.clients[client] == nil else { throw Unreachable("client \(client.rawValue) is connected already") }
        guard var app = self.apps[principal.bundle] else {
            throw Unreachable("\(principal.bundle) is not installed, its process cannot connect")
        }
        // First of all what its synchronous members answer: the client's first call waits for it.
        var connection = Client(principal: principal)
        let state = ClientState(authorization: app.authorization.status)
        connection.told = state
        effects.append(.sendState(state, to: client))
        switch principal.role {
        case .app:
            if !app.lifecycle.isRunning {
                app.sessions.appLaunched(window: self.policy.retakeWindow, now: now.monotonic)
                app.lifecycle.connected(phase)
            }
        case .pushExtension(let launch):
            for push in app.pushExtension.takeExpired(now: now.monotonic) { self.refuse(push, .expired, &effects) }
            switch app.pushExtension.connected(client, launch: launch, now: now.monotonic) {
            case .refuse:
                effects.append(.disconnect(client))
                return
            case .hand(let pushes):
                app.extensionSessions = SessionLedger()
                for push in pushes {
                    effects += [.note(.pushHanded(push.id, principal.bundle)), .sendPush(push, to: client)]
                }
                if pushes.isEmpty { effects.append(.sendFinish(to: client)) }
            }
        }
        self.apps[principal.bundle] = app
        self.clients[client] = connection
    }

    mutating func clientDeclared(_ id: ClientID, _ declaration: Declaration, _ effects: inout [Effect]) {
        guard var client = self.clients[id], !client.isDying, var app = self.apps[client.principal.bundle] else {
            return
        }
        guard declaration.sessions.count <= self.policy.declarationsMax,
            declaration.streams.count <= self.policy.declarationsMax
        else {
            effects += [.note(.declarationTooLarge(client.principal.bundle)), .disconnect(id)]
            return
        }
        switch client.principal.role {
        case .app:
            app.sessions.declared(id, declaration.sessions, mayBegin: app.lifecycle.isForeground)
        case .pushExtension:
            let mayBegin = app.allowsExtensionSession(self.policy)
            app.extensionSessions.declared(id, declaration.sessions, mayBegin: mayBegin)
        }
        client.take(declaration)
        self.apps[client.principal.bundle] = app
        self.clients[id] = client
    }

    mutating func clientVanished(_ id: ClientID) {
        guard let client = self.clients.removeValue(forKey: id), var app = self.apps[client.principal.bundle] else {
            return
        }
        app.registration.vanished(id)
        switch client.principal.role {
        case .app:
            app.sessions.clientVanished(id)
            let principal = client.principal
            if !self.clients.values.contains(where: { $0.principal == principal }) { app.lifecycle.vanished() }
        case .pushExtension:
            app.extensionSessions = SessionLedger()
        }
        self.apps[client.principal.bundle] = app
    }

    mutating func terminationBegan(_ bundle: BundleID) {
        for (id, client) in self.clients where client.principal == Principal(bundle: bundle, role: .app) {
            self.clients[id]?.isDying = true
        }
    }

    mutating func phaseChanged(_ bundle: BundleID, _ phase: Lifecycle.Phase, now: Now) {
        guard var app = self.apps[bundle] else { return }
        app.lifecycle.phaseChanged(to: phase, grace: self.policy.inUseGrace, now: now.monotonic)
        if app.lifecycle.isForeground { app.sessions.foregrounded() }
        self.apps[bundle] = app
    }

    mutating func authorizationSet(
        _ bundle: BundleID,
        _ status: Authorization.Status,
        _ effects: inout [Effect]
    ) {
        guard var app = self.apps[bundle] else { return }
        switch app.authorization.set(to: status) {
        case .announce: effects.append(.note(.authorizationChanged(bundle, status)))
        case .ignore: break
        }
        self.apps[bundle] = app
    }

    mutating func promptAnswered(
        _ bundle: BundleID,
        _ prompt: Authorization.Prompt,
        allow: Bool,
        _ effects: inout [Effect]
    ) {
        guard var app = self.apps[bundle] else { return }
        switch app.authorization.answered(prompt, allow: allow) {
        case .announce: effects.append(.note(.authorizationChanged(bundle, app.authorization.status)))
        case .ignore: break
        }
        self.apps[bundle] = app
    }

    func stopMonitoringEffects(_ waiters: [PushRegistration.Waiter], _ bundle: BundleID) -> [Effect] {
        [.unregisterTopic(bundle)]
            + waiters.map { .sendPushToken(.failure(.unknown), request: $0.request, to: $0.client) }
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
