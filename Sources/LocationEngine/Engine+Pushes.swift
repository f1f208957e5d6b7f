internal import OrderedCollections

/// Location pushes: the token, the checks, the extension's process.
extension Engine {
    mutating func pushTokenRequested(_ id: ClientID, _ request: UInt64, _ effects: inout [Effect], now: Now) {
        guard let client = self.clients[id], var app = self.apps[client.principal.bundle] else { return }
        if let failure = app.pushTokenFailure {
            effects.append(.tell(id, .pushToken(.failure(failure), request: request)))
            return
        }
        let until = now.monotonic.advanced(by: self.policy.pushRegistrationPatience)
        switch app.registration.requested(by: id, request: request, until: until) {
        case .register: effects.append(.gateway(.register(client.principal.bundle)))
        case .answer(let token): effects.append(.tell(id, .pushToken(.token(token), request: request)))
        case .refuse: effects.append(.tell(id, .pushToken(.failure(.unknown), request: request)))
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
            effects.append(.tell(waiter.client, .pushToken(.token(token), request: waiter.request)))
        }
        self.apps[bundle] = app
    }

    mutating func pushRegistrationFailed(_ bundle: BundleID, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else { return }
        effects += app.registration.failed().map {
            .tell($0.client, .pushToken(.failure(.unknown), request: $0.request))
        }
        self.apps[bundle] = app
    }

    mutating func topicUnregistered(_ bundle: BundleID) {
        self.goneTopics.removeAll { $0 == bundle }
    }

    mutating func pushReceived(_ push: Push, _ effects: inout [Effect], now: Now) {
        guard !self.recentPushes.contains(push.id) else {
            // The gateway sends again what it saw no acknowledgement of; at work, it stays on disk.
            if self.apps[push.bundle]?.pushExtension.has(push.id) != true { effects.append(.forgetPush(push.id)) }
            return
        }
        self.recentPushes.append(push.id)
        if self.recentPushes.count > Self.recentPushesMax { self.recentPushes.removeFirst() }
        effects.append(.note(.pushReceived(push.id, push.bundle)))
        // Pushes for apps that are not installed have one share together.
        let payer = self.apps[push.bundle] == nil ? BundleID("") : push.bundle
        switch self.budget.pushReceived(for: payer, among: self.appsWithPushes, now: now.monotonic) {
        case .accept: break
        case .acceptAndCloseApp: effects.append(.note(.shareExhausted(push.bundle)))
        case .acceptAndClose: effects.append(.note(.budgetExhausted))
        case .refuseApp: return self.refuse(push, .shareExhausted, &effects)
        case .refuse: return self.refuse(push, .budgetExhausted, &effects)
        }
        self.admit(push, &effects, now: now)
    }

    private var appsWithPushes: Int { self.apps.values.count { $0.registration.isMonitoring } }

    mutating func pushRecovered(_ push: Push, _ effects: inout [Effect], now: Now) {
        // Received but not counted when the host died between the two: count it now.
        guard self.recentPushes.contains(push.id) else { return self.pushReceived(push, &effects, now: now) }
        self.admit(push, &effects, now: now)
    }

    private mutating func admit(_ push: Push, _ effects: inout [Effect], now: Now) {
        guard push.isObject, self.fits(push) else { return self.refuse(push, .malformed, &effects) }
        guard var app = self.apps[push.bundle] else { return self.refuse(push, .notRegistered, &effects) }
        guard now.monotonic < PushQueue.expiration(of: push, self.policy, now: now) else {
            return self.refuse(push, .expired, &effects)
        }
        if let refusal = self.refusals(push.bundle, app).first {
            // What needs Always raises the question whether it was meant (documented for provisional Always).
            if refusal == .provisional { _ = self.apps[push.bundle]?.authorization.alwaysTried() }
            return self.refuse(push, refusal, &effects)
        }
        switch app.pushExtension.pushReceived(push, now: now) {
        case .hand(let push, let client):
            effects += [.note(.pushHanded(push.id, push.bundle)), .tell(client, .push(push))]
        case .wait(let replaced):
            if let replaced { effects += [.note(.pushReplaced(replaced, push.bundle)), .forgetPush(replaced)] }
        case .waitDisplacing(let displaced): self.refuse(displaced, push.bundle, .tooManyWaiting, &effects)
        case .drop: self.refuse(push, .tooManyWaiting, &effects)
        }
        self.apps[push.bundle] = app
        self.startDueExtension(of: push.bundle, isAwake: !self.receiver.isOff, &effects, now: now)
        if self.apps[push.bundle]?.pushExtension.waitsForWakeUp(push.id) == true {
            effects.append(.note(.pushDeferred(push.id, push.bundle)))
        }
    }

    /// Why a push may not reach an app's extension, the first reason first; empty when it may.
    private func refusals(_ bundle: BundleID, _ app: App) -> [Note.PushRefusal] {
        var refusals: [Note.PushRefusal] = []
        if !app.registration.isMonitoring { refusals.append(.notRegistered) }
        if app.pushTokenFailure != nil { refusals.append(.notEntitled) }
        let status = self.standing(of: bundle, app).status
        if status != .always {
            refusals.append(.notAuthorized(status))
        } else if app.authorization.isProvisional {
            refusals.append(.provisional)
        }
        if !app.allowsExtensionSession(self.policy) { refusals.append(.noAlwaysSession) }
        return refusals
    }

    func refuse(_ push: Push, _ reason: Note.PushRefusal, _ effects: inout [Effect]) {
        self.refuse(push.id, push.bundle, reason, &effects)
    }

    private func refuse(_ push: PushID, _ bundle: BundleID, _ reason: Note.PushRefusal, _ effects: inout [Effect]) {
        effects += [.note(.pushRefused(push, bundle, reason)), .forgetPush(push)]
    }

    /// Forgets what waits or is at work for an app that is being removed.
    mutating func forgetPushes(of bundle: BundleID, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else { return }
        for push in app.pushExtension.takeWaiting() { self.refuse(push, .notRegistered, &effects) }
        effects += app.pushExtension.working.map { .forgetPush($0) }
        self.apps[bundle] = app
    }

    /// Starts the extensions that have to give a push now, or may because the receiver is on anyway.
    ///
    /// - Returns: whether one was started.
    mutating func startDueExtensions(isAwake: Bool, _ effects: inout [Effect], now: Now) -> Bool {
        var hasStarted = false
        for bundle in self.apps.keys where self.apps[bundle]?.pushExtension.waiting.isEmpty == false {
            if self.startDueExtension(of: bundle, isAwake: isAwake, &effects, now: now) { hasStarted = true }
        }
        return hasStarted
    }

    @discardableResult
    private mutating func startDueExtension(
        of bundle: BundleID,
        isAwake: Bool,
        _ effects: inout [Effect],
        now: Now
    ) -> Bool {
        guard var app = self.apps[bundle] else { return false }
        defer { self.apps[bundle] = app }
        for push in app.pushExtension.takeExpired(now: now.monotonic) { self.refuse(push, .expired, &effects) }
        for push in app.pushExtension.takeHeld() { self.refuse(push, .heldBack, &effects) }
        guard app.pushExtension.isDue(isAwake: isAwake, now: now.monotonic) else { return false }
        // What held when the push came may have changed while it waited.
        if let refusal = self.refusals(bundle, app).first {
            for push in app.pushExtension.takeWaiting() { self.refuse(push, refusal, &effects) }
            return false
        }
        let launch = self.nextLaunch()
        app.pushExtension.launching(launch, now: now.monotonic)
        effects.append(.process(.launchExtension(bundle, launch)))
        return true
    }

    mutating func pushCompleted(_ id: ClientID, _ push: PushID, _ effects: inout [Effect], now: Now) {
        guard let client = self.clients[id], var app = self.apps[client.principal.bundle] else { return }
        switch app.pushExtension.completed(push, by: id, now: now.monotonic) {
        case .forget(let push):
            effects += [.note(.pushCompleted(push, client.principal.bundle)), .forgetPush(push)]
        case .forgetAndFinish(let push, _):
            effects += [
                .note(.pushCompleted(push, client.principal.bundle)), .forgetPush(push), .tell(id, .finish),
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
        guard let abandoned = app.pushExtension.exited(launch, now: now.monotonic) else { return }
        if !abandoned.isEmpty {
            effects.append(.note(.extensionFailed(bundle, end, pushes: abandoned.count)))
            if app.pushExtension.crashLoop.isHeld { effects.append(.note(.extensionHeldBack(bundle))) }
            effects += abandoned.map { .forgetPush($0) }
        }
        self.apps[bundle] = app
    }
}
