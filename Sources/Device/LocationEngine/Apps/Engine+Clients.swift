internal import WhereaboutsVocabulary

/// Connections of processes: their arrival, their declarations, their end.
extension Engine {
    /// The app of a connection, and the connection.
    func place(of id: ClientID) -> (position: Int, client: Client)? {
        guard let bundle = self.owners[id], let position = self.apps.position(of: bundle),
            let client = self.apps[position].clients.first(where: { $0.id == id })
        else { return nil }
        return (position, client)
    }

    /// Forgets a connection, and the waiting requests of its process.
    mutating func cut(_ id: ClientID) {
        guard let bundle = self.owners.removeValue(forKey: id) else { return }
        self.withApp(bundle) { app in
            let monitors = app.clients.first { $0.id == id }?.monitors.map(\.name) ?? []
            app.monitors.vanished(id, from: monitors)
            app.clients.removeAll { $0.id == id }
            app.registration.vanished(id)
            app.accuracyWaiters.removeAll { $0.client == id }
        }
    }

    mutating func clientConnected(
        _ id: ClientID,
        _ principal: Principal,
        _ arrival: Lifecycle.Arrival,
        _ effects: inout [Effect],
        now: Now
    ) throws(Unreachable) {
        guard self.owners[id] == nil else { throw Unreachable("client \(id.rawValue) is connected already") }
        guard let position = self.apps.position(of: principal.bundle) else {
            throw Unreachable("\(principal.bundle) is not installed, its process cannot connect")
        }
        var pushes: [Push] = []
        switch principal.role {
        case .app:
            if !self.apps[position].lifecycle.isRunning {
                self.apps[position].launched(arrival, self.policy, now: now.monotonic)
            }
        case .pushExtension(let launch):
            self.apps[position].refuseExpired(&effects, now: now.monotonic)
            switch self.apps[position].pushExtension.connected(id, launch: launch, now: now.monotonic) {
            case .refuse:
                effects.append(.disconnect(id))
                return
            case .hand(let waiting):
                self.apps[position].extensionSessions = Ledger()
                pushes = waiting
            }
        }
        var client = Client(id: id, principal: principal)
        // First send the values of the synchronous members: the client's first call waits for them.
        let state = self.apps[position].clientState(self.terms(of: principal.bundle), self.policy)
        client.told = state
        effects.append(.tell(id, .state(state)))
        for push in pushes {
            effects += [.note(.pushHanded(push.id, principal.bundle)), .tell(id, .push(push))]
        }
        // The pushes that the extension was started for have expired.
        if case .pushExtension = principal.role, pushes.isEmpty { effects.append(.tell(id, .finish)) }
        self.apps[position].clients.append(client)
        self.owners[id] = principal.bundle
    }

    mutating func clientDeclared(_ id: ClientID, _ declaration: Declaration, _ effects: inout [Effect], now: Now) {
        guard let (position, client) = self.place(of: id), !client.isDying else { return }
        let bundle = client.principal.bundle
        let largest = max(
            declaration.sessions.count,
            declaration.streams.count,
            declaration.activities.count,
            declaration.monitors.count
        )
        guard largest <= self.policy.declarationsMax else {
            effects += [.note(.declarationTooLarge(bundle)), .disconnect(id)]
            return
        }
        let end = now.monotonic.advanced(by: self.policy.liveActivityMax)
        let terms = self.terms(of: bundle)
        self.apps[position].declared(declaration, by: client, activityEnd: end, terms, &effects, now: now.monotonic)
    }

    mutating func clientVanished(_ id: ClientID, _ effects: inout [Effect], now: Now) {
        guard let (position, client) = self.place(of: id) else { return }
        self.cut(id)
        switch client.principal.role {
        case .app: self.apps[position].appVanished(id, &effects)
        case .pushExtension: self.apps[position].extensionVanished(self.policy, &effects, now: now.monotonic)
        }
    }
}

extension App {
    /// Records everything that a client holds now.
    fileprivate mutating func declared(
        _ declaration: Declaration,
        by client: Client,
        activityEnd end: EngineInstant,
        _ terms: Terms,
        _ effects: inout [Engine.Effect],
        now: EngineInstant
    ) {
        var left: [Service] = []
        switch client.principal.role {
        case .app:
            let before = self
            if self.isTakenOver { left = self.sessions.leftStreams }
            self.sessions.declared(client.id, declaration.claims, activityEnd: end) { before.mayBegin($0, terms) }
            if !self.manifest.mayRunInBackground,
                declaration.activities.contains(where: { $0.kind == .backgroundSession })
            {
                self.noteMissing("UIBackgroundModes", &effects)
            }
        case .pushExtension:
            let mayBegin = self.allowsExtensionSession(terms)
            self.extensionSessions.declared(client.id, declaration.claims, activityEnd: end) { claim in
                switch claim {
                case .session: mayBegin
                case .stream: true
                // An extension has no user interface.
                case .backgroundSession, .liveActivity: false
                }
            }
        }
        for purpose in declaration.sessions.compactMap(\.fullAccuracyPurpose) { self.admits(purpose, &effects) }
        guard let index = self.clients.firstIndex(where: { $0.id == client.id }) else { return }
        // An event of a monitor without a reader waits for the next reader.
        let closed = self.clients[index].monitors.map(\.name).filter { name in
            !declaration.monitors.contains { $0.name == name && $0.isRead }
        }
        if !closed.isEmpty { self.monitors.vanished(client.id, from: closed) }
        self.clients[index].take(declaration, left: left, now: now)
    }

    /// Records that one of the app's own connections ended.
    fileprivate mutating func appVanished(_ id: ClientID, _ effects: inout [Engine.Effect]) {
        self.sessions.clientVanished(id)
        guard !self.clients.contains(where: { $0.principal.role == .app }), self.lifecycle.isRunning else { return }
        self.lifecycle.vanished()
        self.died(&effects)
    }

    /// Records that the extension's connection ended: the live updates that it was still reading are left to the app, which
    /// is launched for them.
    ///
    /// An app that has a process keeps the streams that it chose to read. A suspended app gets time to choose again.
    fileprivate mutating func extensionVanished(_ policy: Policy, _ effects: inout [Engine.Effect], now: EngineInstant)
    {
        for case .stream(let service) in self.extensionSessions.inEffect where service.traits.launches {
            if self.lifecycle.isGone {
                if self.sessions.inherited(.stream(service)) { self.wasHandedOver = true }
            } else if self.lifecycle.woken(runtime: policy.backgroundRuntime, now: now) {
                effects += [.process(.thaw(self.bundle)), .note(.appResumed(self.bundle))]
            }
        }
        self.extensionSessions = Ledger()
    }
}
