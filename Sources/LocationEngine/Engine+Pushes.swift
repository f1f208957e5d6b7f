internal import OrderedCollections

/// Location pushes: the token, the checks, the extension's process.
extension Engine {
    mutating func pushTokenRequested(_ id: ClientID, _ request: UInt64, _ effects: inout [Effect], now: Now) {
        guard let client = self.clients[id], var app = self.apps[client.principal.bundle] else { return }
        if let failure = app.pushTokenFailure {
            effects.append(.sendPushToken(.failure(failure), request: request, to: id))
            return
        }
        let until = now.monotonic.advanced(by: self.policy.pushRegistrationPatience)
        switch app.registration.requested(by: id, request: request, until: until) {
        case .register: effects.append(.registerTopic(client.principal.bundle))
        case .answer(let token): effects.append(.sendPushToken(.token(token), request: request, to: id))
        case .refuse: effects.append(.sendPushToken(.failure(.unknown), request: request, to: id))
        case .wait: break
        }
        self.apps[client.principal.bundle] = app
    }

    mutating func pushMonitoringStopped(_ id: ClientID, _ effects: inout [Effect]) {
        guard let client = self.clients[id] else { return }
        self.stopMonitoring(client.principal.bundle, &effects)
    }

    mutating func pushTokenReceived(_ bundle: BundleID, _ token: [UInt8], _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else { return }
        for waiter in app.registration.tokenReceived(token) {
            effects.append(.sendPushToken(.token(token), request: waiter.request, to: waiter.client))
        }
        self.apps[bundle] = app
    }

    mutating func pushReceived(_ push: Push, _ effects: inout [Effect], now: Now) {
        guard !self.recentPushes.contains(push.id) else {
            // The gateway sends again what it saw no acknowledgement of; at work, it stays on disk.
            if self.apps[push.bundle]?.pushExtension.has(push.id) != true { effects.append(.forgetPush(push.id)) }
            return
        }
        self.recentPushes.append(push.id)
        if self.recentPushes.count > Self.recentPushesMax { self.recentPushes.removeFirst() }
        switch self.budget.pushReceived(now: now.monotonic) {
        case .accept: break
        case .acceptAndClose: effects.append(.note(.budgetExhausted))
        case .refuse: return self.refuse(push, .budgetExhausted, &effects)
        }
        self.admit(push, &effects, now: now)
    }

    mutating func pushRecovered(_ push: Push, _ effects: inout [Effect], now: Now) {
        // Received but not counted when the host died between the two: count it now.
        guard self.recentPushes.contains(push.id) else { return self.pushReceived(push, &effects, now: now) }
        self.admit(push, &effects, now: now)
    }

    private mutating func admit(_ push: Push, _ effects: inout [Effect], now: Now) {
        guard var app = self.apps[push.bundle] else { return self.refuse(push, .notRegistered, &effects) }
        if let expiration = push.expiration, now.wall >= expiration { return self.refuse(push, .expired, &effects) }
        if let refusal = self.refusal(push.bundle, app) {
            // What needs Always raises the question whether it was meant (documented for provisional Always).
            if refusal == .provisional { _ = self.apps[push.bundle]?.authorization.alwaysTried() }
            return self.refuse(push, refusal, &effects)
        }
        switch app.pushExtension.pushReceived(push, launch: self.nextLaunch(), now: now.monotonic) {
        case .launch(let launch): effects.append(.launchExtension(push.bundle, launch))
        case .hand(let push, let client):
            effects += [.note(.pushHanded(push.id, push.bundle)), .sendPush(push, to: client)]
        case .wait: break
        case .drop: self.refuse(push, .tooManyWaiting, &effects)
        }
        self.apps[push.bundle] = app
    }

    /// Why a push may not reach an app's extension, or nil.
    func refusal(_ bundle: BundleID, _ app: App) -> Note.PushRefusal? {
        if !app.registration.isMonitoring { return .notRegistered }
        guard app.manifest.hasPushExtension, app.manifest.mayReceiveLocationPushes, app.manifest.hasPushEnvironment
        else { return .notEntitled }
        let status = self.standing(of: bundle, app).status
        if status != .always { return .notAuthorized(status) }
        if app.authorization.isProvisional { return .provisional }
        return app.allowsExtensionSession(self.policy) ? nil : .noAlwaysSession
    }

    private func refuse(_ push: Push, _ reason: Note.PushRefusal, _ effects: inout [Effect]) {
        effects += [.note(.pushRefused(push.id, push.bundle, reason)), .forgetPush(push.id)]
    }

    mutating func pushCompleted(_ id: ClientID, _ push: PushID, _ effects: inout [Effect], now: Now) {
        guard let client = self.clients[id], var app = self.apps[client.principal.bundle] else { return }
        switch app.pushExtension.completed(push, by: id, now: now.monotonic) {
        case .forget(let push):
            effects += [.note(.pushCompleted(push, client.principal.bundle)), .forgetPush(push)]
        case .forgetAndFinish(let push, _):
            effects += [
                .note(.pushCompleted(push, client.principal.bundle)), .forgetPush(push), .sendFinish(to: id),
            ]
        case .ignore: break
        }
        self.apps[client.principal.bundle] = app
    }

    mutating func extensionExited(
        _ bundle: BundleID,
        _ launch: LaunchID,
        _ end: ProcessEnd,
        _ effects: inout [Effect],
        now: Now
    ) {
        guard var app = self.apps[bundle] else { return }
        guard let exited = app.pushExtension.exited(launch, next: self.nextLaunch(), now: now.monotonic) else { return }
        if !exited.abandoned.isEmpty {
            effects.append(.note(.extensionFailed(bundle, end, pushes: exited.abandoned.count)))
            effects += exited.abandoned.map { .forgetPush($0) }
        }
        if let launch = exited.launch { effects.append(.launchExtension(bundle, launch)) }
        self.apps[bundle] = app
    }
}
