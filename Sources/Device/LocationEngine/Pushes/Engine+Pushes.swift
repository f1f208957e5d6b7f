internal import WhereaboutsVocabulary

/// Location pushes: the token, the checks, the extension's process.
extension Engine {
    mutating func pushTokenRequested(_ id: ClientID, _ request: UInt64, _ effects: inout [Effect], now: Now) {
        guard let (position, client) = self.place(of: id) else { return }
        if let failure = self.apps[position].pushTokenFailure {
            effects.append(.tell(id, .pushToken(.failure(failure), request: request)))
            return
        }
        let until = now.monotonic.advanced(by: self.policy.pushRegistrationPatience)
        switch self.apps[position].registration.requested(by: id, request: request, until: until) {
        case .register: effects.append(.gateway(.register(client.principal.bundle)))
        case .answer(let token): effects.append(.tell(id, .pushToken(.token(token), request: request)))
        case .refuse: effects.append(.tell(id, .pushToken(.failure(.unknown), request: request)))
        case .wait: break
        }
    }

    mutating func pushMonitoringStopped(_ id: ClientID, _ effects: inout [Effect]) {
        guard let (_, client) = self.place(of: id) else { return }
        self.stopMonitoring(client.principal.bundle, &effects)
    }

    mutating func stopMonitoring(_ bundle: BundleID, _ effects: inout [Effect]) {
        switch self.withApp(bundle, { $0.registration.stopped() }) {
        case .unregister(let failing):
            self.giveBack(bundle, &effects)
            for waiter in failing {
                effects.append(.tell(waiter.client, .pushToken(.failure(.unknown), request: waiter.request)))
            }
        case .ignore, nil: break
        }
    }

    /// Unregisters an app's token, and remembers the app until the gateway confirms it.
    mutating func giveBack(_ bundle: BundleID, _ effects: inout [Effect]) {
        effects.append(.gateway(.unregister(bundle)))
        self.goneTopics = self.goneTopics.filter { $0 != bundle }.suffix(Self.goneTopicsMax - 1) + [bundle]
    }

    mutating func pushTokenReceived(_ bundle: BundleID, _ token: [UInt8], _ effects: inout [Effect]) {
        for waiter in self.withApp(bundle, { $0.registration.tokenReceived(token) }) ?? [] {
            effects.append(.tell(waiter.client, .pushToken(.token(token), request: waiter.request)))
        }
    }

    mutating func pushRegistrationFailed(_ bundle: BundleID, _ effects: inout [Effect]) {
        for waiter in self.withApp(bundle, { $0.registration.failed() }) ?? [] {
            effects.append(.tell(waiter.client, .pushToken(.failure(.unknown), request: waiter.request)))
        }
    }

    mutating func topicUnregistered(_ bundle: BundleID) {
        self.goneTopics.removeAll { $0 == bundle }
    }

    // MARK: Pushes

    mutating func pushReceived(_ push: Push, _ effects: inout [Effect], now: Now) {
        guard !self.recentPushes.contains(push.id) else {
            // The gateway repeats a push whose acknowledgement it did not receive; a push in progress stays on disk.
            if self.apps[push.bundle]?.pushExtension.has(push.id) != true { effects.append(.forgetPush(push.id)) }
            return
        }
        effects.append(.note(.pushReceived(push.id, push.bundle)))
        // All pushes for apps that are not installed share one account.
        let payer = self.apps.position(of: push.bundle) == nil ? BundleID("") : push.bundle
        switch self.budget.pushReceived(for: payer, among: self.appsWithPushes, now: now.monotonic) {
        case .accept: break
        case .acceptAndCloseApp: effects.append(.note(.shareExhausted(push.bundle)))
        case .acceptAndClose: effects.append(.note(.budgetExhausted))
        case .refuseApp: return effects.refuse(push, .shareExhausted)
        case .refuse: return effects.refuse(push, .budgetExhausted)
        }
        // Keep only pushes that the budget accepted. Otherwise a flood of refused pushes would evict pushes that an
        // extension received.
        self.recentPushes.append(push.id)
        if self.recentPushes.count > Self.recentPushesMax { self.recentPushes.removeFirst() }
        self.admit(push, &effects, now: now)
    }

    private var appsWithPushes: Int { self.apps.indices.count { self.apps[$0].registration.isMonitoring } }

    mutating func pushRecovered(_ push: Push, _ effects: inout [Effect], now: Now) {
        // The host died after it received the push and before it counted it: count it now.
        guard self.recentPushes.contains(push.id) else { return self.pushReceived(push, &effects, now: now) }
        self.admit(push, &effects, now: now)
    }

    /// Passes a push that the budget accepted to its app's extension, or refuses it.
    private mutating func admit(_ push: Push, _ effects: inout [Effect], now: Now) {
        guard let position = self.apps.position(of: push.bundle) else {
            return effects.refuse(push, push.isObject && self.fits(push) ? .notRegistered : .malformed)
        }
        if let refusal = self.refusal(of: push, for: self.apps[position], now: now) {
            // A push that needs Always raises the confirming prompt (documented for provisional Always).
            if refusal == .provisional { _ = self.apps[position].authorization.alwaysTried() }
            return effects.refuse(push, refusal)
        }
        self.apps[position].take(push, &effects, now: now)
        self.startDueExtension(at: position, isAwake: self.isAwake, &effects, now: now)
        if self.apps[position].pushExtension.waitsForWakeUp(push.id) {
            effects.append(.note(.pushDeferred(push.id, push.bundle)))
        }
    }

    /// Why a push may not reach an app's extension; nil when it may.
    private func refusal(of push: Push, for app: App, now: Now) -> Note.PushRefusal? {
        guard push.isObject, self.fits(push) else { return .malformed }
        guard now.monotonic < PushQueue.expiration(of: push, self.policy, now: now) else { return .expired }
        return app.pushRefusal(self.terms(of: app.bundle))
    }

    /// Forgets the pushes that wait or are in progress for an app that is being removed.
    mutating func forgetPushes(of bundle: BundleID, _ effects: inout [Effect]) {
        self.withApp(bundle) { app in
            for push in app.pushExtension.takeWaiting() { effects.refuse(push, .notRegistered) }
            let working = app.pushExtension.working
            guard !working.isEmpty else { return }
            // The process is killed with the app, and its pushes are counted as those of any killed extension.
            effects.append(.note(.extensionFailed(bundle, .signalled(9), pushes: working.count)))
            effects += working.map { .forgetPush($0) }
        }
    }

    /// Starts the extensions that must receive a push now, or may because the receiver is on anyway.
    ///
    /// - Returns: whether an extension was started.
    mutating func startDueExtensions(isAwake: Bool, _ effects: inout [Effect], now: Now) -> Bool {
        guard self.apps.totals.waiting > 0 else { return false }
        var hasStarted = false
        for position in self.apps.indices where !self.apps[position].pushExtension.waiting.isEmpty {
            if self.startDueExtension(at: position, isAwake: isAwake, &effects, now: now) { hasStarted = true }
            self.look(at: position, now: now)
        }
        return hasStarted
    }

    @discardableResult
    private mutating func startDueExtension(
        at position: Int,
        isAwake: Bool,
        _ effects: inout [Effect],
        now: Now
    ) -> Bool {
        let terms = self.terms(of: self.apps[position].bundle)
        guard self.apps[position].isExtensionDue(terms, isAwake: isAwake, &effects, now: now.monotonic) else {
            return false
        }
        let launch = self.nextLaunch()
        self.apps[position].pushExtension.launching(launch, now: now.monotonic)
        effects.append(.process(.launchExtension(self.apps[position].bundle, launch)))
        return true
    }

    mutating func pushCompleted(_ id: ClientID, _ push: PushID, _ effects: inout [Effect], now: Now) {
        guard let (position, client) = self.place(of: id) else { return }
        switch self.apps[position].pushExtension.completed(push, by: id, now: now.monotonic) {
        case .forget(let push):
            effects += [.note(.pushCompleted(push, client.principal.bundle)), .forgetPush(push)]
        case .forgetAndFinish(let push):
            effects += [
                .note(.pushCompleted(push, client.principal.bundle)), .forgetPush(push), .tell(id, .finish),
            ]
        case .ignore: break
        }
    }

    mutating func extensionExited(
        _ bundle: BundleID,
        _ launch: LaunchID,
        _ end: ProcessEnd,
        _ effects: inout [Effect],
        now: Now
    ) {
        self.withApp(bundle) { app in
            guard let abandoned = app.pushExtension.exited(launch, now: now.monotonic), !abandoned.isEmpty else {
                return
            }
            effects.append(.note(.extensionFailed(bundle, end, pushes: abandoned.count)))
            if app.pushExtension.crashLoop.isHeld { effects.append(.note(.extensionHeldBack(bundle))) }
            effects += abandoned.map { .forgetPush($0) }
        }
    }
}

extension [Engine.Effect] {
    /// Records why a push does not reach the extension, and drops it.
    mutating func refuse(_ push: Push, _ reason: Note.PushRefusal) { self.refuse(push.id, push.bundle, reason) }

    fileprivate mutating func refuse(_ push: PushID, _ bundle: BundleID, _ reason: Note.PushRefusal) {
        self += [.note(.pushRefused(push, bundle, reason)), .forgetPush(push)]
    }
}

extension App {
    /// The first reason why pushes may not reach the extension; nil when they may.
    fileprivate func pushRefusal(_ terms: Terms) -> Note.PushRefusal? {
        if !self.registration.isMonitoring { return .notRegistered }
        if self.pushTokenFailure != nil { return .notEntitled }
        let status = self.permission(terms).status
        if status != .always { return .notAuthorized(status) }
        if self.authorization.isProvisional { return .provisional }
        return self.allowsExtensionSession(terms) ? nil : .noAlwaysSession
    }

    /// Accepts a push that may reach the extension: passes it to the process, or queues it.
    fileprivate mutating func take(_ push: Push, _ effects: inout [Engine.Effect], now: Now) {
        switch self.pushExtension.pushReceived(push, now: now) {
        case .hand(let push, let client):
            effects += [.note(.pushHanded(push.id, self.bundle)), .tell(client, .push(push))]
        case .wait(let replaced):
            if let replaced { effects += [.note(.pushReplaced(replaced, self.bundle)), .forgetPush(replaced)] }
        case .waitDisplacing(let displaced): effects.refuse(displaced, self.bundle, .tooManyWaiting)
        case .drop: effects.refuse(push, .tooManyWaiting)
        }
    }

    /// Refuses the pushes that have expired.
    mutating func refuseExpired(_ effects: inout [Engine.Effect], now: EngineInstant) {
        for push in self.pushExtension.takeExpired(now: now) { effects.refuse(push, .expired) }
    }

    /// Refuses the waiting pushes that can no longer be delivered.
    ///
    /// - Returns: whether the extension must be started for one of the remaining pushes.
    fileprivate mutating func isExtensionDue(
        _ terms: Terms,
        isAwake: Bool,
        _ effects: inout [Engine.Effect],
        now: EngineInstant
    ) -> Bool {
        self.refuseExpired(&effects, now: now)
        for push in self.pushExtension.takeHeld() { effects.refuse(push, .heldBack) }
        guard self.pushExtension.isDue(isAwake: isAwake, now: now) else { return false }
        // The app's permission may have changed while the push waited.
        guard let refusal = self.pushRefusal(terms) else { return true }
        for push in self.pushExtension.takeWaiting() { effects.refuse(push, refusal) }
        return false
    }
}
