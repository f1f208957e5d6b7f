internal import OrderedCollections

/// Telling everybody what changed, after every input.
extension Engine {
    /// Compares what holds with what people and clients were told, and tells the difference.
    mutating func reconcile(_ effects: inout [Effect], now: Now) {
        for bundle in self.apps.keys { self.settle(bundle, &effects) }
        self.settleQuestions(&effects)
        self.deliver(&effects, now: now)
        let indicators = self.indicators
        if indicators != self.shownIndicators {
            self.shownIndicators = indicators
            effects.append(.people(.showIndicators(indicators)))
        }
        let topics = self.apps.filter { $0.value.registration.isMonitoring && self.budget.isOpen(for: $0.key) }
            .map(\.key)
        if topics != self.enabledTopics {
            self.enabledTopics = topics
            effects.append(.gateway(.enable(topics)))
        }
    }

    /// Applies what follows from an app's state by itself: what lapses, what may begin, what is to be asked.
    private mutating func settle(_ bundle: BundleID, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else { return }
        let standing = self.standing(of: bundle, app)
        let before = app
        app.sessions.conditionsChanged { self.mayBegin($0, bundle, before, standing) }
        if !self.isInUse(bundle, app) {
            switch app.authorization.lapsed() {
            case .announce: effects.append(.note(.authorizationChanged(bundle, app.authorization.status)))
            case .ignore: break
            }
            if app.accuracy.lapsed() { effects.append(.note(.accuracyChanged(bundle, precise: false))) }
        }
        self.apps[bundle] = app
    }

    /// Gives every reader what there is for it, and runs the receiver as far as somebody needs it.
    mutating func deliver(_ effects: inout [Effect], now: Now) {
        if let fix = self.newestFix, fix.arrival.duration(to: now.monotonic) > self.policy.freshFixAge {
            self.newestFix = nil
        }
        var need = Need()
        for app in self.apps.values where app.pushExtension.needsReceiver { need.fix = true }
        for index in self.clients.values.indices { self.tell(index, &effects, &need, now: now) }
        for bundle in self.apps.keys { self.serveTheDead(bundle, &effects, &need, now: now) }
        let placeIsDue = need.place && self.reduced.isDue(now: now.monotonic)
        self.nextPlace = need.place && !placeIsDue ? self.reduced.due : nil
        self.needReceiver(need.fix || placeIsDue, &effects, now: now)
        if self.startDueExtensions(isAwake: !self.receiver.isOff, &effects, now: now) {
            self.needReceiver(true, &effects, now: now)
            // Pushes of other apps may have waited for this one.
            _ = self.startDueExtensions(isAwake: true, &effects, now: now)
        }
        self.isSteady = !need.place && !need.isPassing
        if self.receiver.isOff || self.receiver.isUnavailable {
            for index in self.stillness.indices { self.stillness[index].lost() }
        }
    }

    private mutating func needReceiver(_ isNeeded: Bool, _ effects: inout [Effect], now: Now) {
        switch self.receiver.needChanged(to: isNeeded, now: now.monotonic) {
        case .start: effects.append(.sensor(.receiver, isOn: true))
        case .ignore: break
        }
    }

    /// Gives every reader the newest fix; who may have it was found out when anything else came last.
    mutating func deliverFix(_ effects: inout [Effect], now: Now) {
        guard self.isSteady else { return self.deliver(&effects, now: now) }
        var someGoOn = false
        for index in self.clients.values.indices {
            for number in self.clients.values[index].streams.indices
            where self.give(index, number, &effects, now: now) == .goesOn {
                someGoOn = true
            }
        }
        // What a stopped process missed is told when it goes on.
        if someGoOn { self.deliver(&effects, now: now) }
    }

    /// What readers need of the receiver.
    struct Need {
        /// Fixes as they come.
        var fix = false
        /// An approximate place.
        var place = false
        /// Somebody needs it only until something comes: one position, or what launches an app.
        var isPassing = false
    }

    private mutating func tell(_ index: Int, _ effects: inout [Effect], _ need: inout Need, now: Now) {
        let id = self.clients.keys[index]
        let principal = self.clients.values[index].principal
        guard let app = self.apps[principal.bundle] else { return }
        let standing = self.standing(of: principal.bundle, app)
        if !self.clients.values[index].streams.isEmpty {
            self.serve(index, app, standing, &effects, &need, now: now)
        }
        // What a stopped process would be told waits until it goes on.
        if principal.role == .app, self.apps[principal.bundle]?.lifecycle.isSuspended == true { return }
        let state = self.clientState(app, standing)
        if self.clients.values[index].told != state {
            self.clients.values[index].told = state
            effects.append(.tell(id, .state(state)))
        }
        for session in self.clients.values[index].sessions.indices {
            let held = self.clients.values[index].sessions[session]
            let diagnostics = self.diagnostics(of: held, id, principal, app, standing)
            if held.told != diagnostics {
                self.clients.values[index].sessions[session].told = diagnostics
                effects.append(.tell(id, .diagnostics(diagnostics, session: held.id)))
            }
        }
    }

    private mutating func serve(
        _ index: Int,
        _ app: App,
        _ standing: Standing,
        _ effects: inout [Effect],
        _ need: inout Need,
        now: Now
    ) {
        let principal = self.clients.values[index].principal
        for number in self.clients.values[index].streams.indices {
            let stream = self.clients.values[index].streams[number]
            if stream.machine.isOver { continue }
            let reasons = self.reasons(stream.service, principal, app, standing)
            let isPrecise = app.accuracy.isFull && !stream.service.asksForReduced
            if reasons.isEmpty { if isPrecise { need.fix = true } else { need.place = true } }
            if case .once = stream.service { need.isPassing = true }
            self.clients.values[index].streams[number].reasons = reasons
            self.clients.values[index].streams[number].isPrecise = isPrecise
            _ = self.give(index, number, &effects, now: now)
        }
    }

    /// What became of an offer to a stream.
    private enum Given {
        /// It has what there is, or had it.
        case asOffered
        /// Its process was stopped and goes on.
        case goesOn
    }

    /// Gives a stream what there is for it.
    private mutating func give(_ index: Int, _ number: Int, _ effects: inout [Effect], now: Now) -> Given {
        let stream = self.clients.values[index].streams[number]
        if stream.machine.isOver { return .asOffered }
        let offer = self.offer(stream.service, stream.reasons, isPrecise: stream.isPrecise, now: now)
        var machine = stream.machine
        guard case .send(let update) = machine.offered(offer, service: stream.service) else { return .asOffered }
        let principal = self.clients.values[index].principal
        var given = Given.asOffered
        if principal.role == .app, let app = self.apps.index(forKey: principal.bundle) {
            if update.fix != nil {
                let runtime = self.policy.backgroundRuntime
                if self.apps.values[app].lifecycle.woken(runtime: runtime, now: now.monotonic) {
                    effects += [.process(.thaw(principal.bundle)), .note(.appResumed(principal.bundle))]
                    given = .goesOn
                }
            } else if self.apps.values[app].lifecycle.isSuspended {
                return .asOffered
            }
        }
        self.clients.values[index].streams[number].machine = machine
        effects.append(.tell(self.clients.keys[index], .update(update, stream: stream.id)))
        if update.fix != nil, !stream.machine.isServed {
            effects.append(.note(.locationServed(principal.bundle, principal.role)))
        }
        return given
    }

    /// Launches an app whose process is gone when there is something for the streams it left.
    private mutating func serveTheDead(
        _ bundle: BundleID,
        _ effects: inout [Effect],
        _ need: inout Need,
        now: Now
    ) {
        guard let app = self.apps[bundle], app.lifecycle.isGone, !app.sessions.entries.isEmpty else { return }
        let standing = self.standing(of: bundle, app)
        let principal = Principal(bundle: bundle, role: .app)
        for service in app.sessions.leftStreams {
            guard case .live = service, self.reasons(service, principal, app, standing).isEmpty else { continue }
            if app.accuracy.isFull { need.fix = true } else { need.place = true }
            need.isPassing = true
            guard app.relaunch.isAllowed, self.apps[bundle]?.lifecycle.isGone == true else { continue }
            switch self.offer(service, [], isPrecise: app.accuracy.isFull, now: now) {
            case .position, .approximate:
                let reason: Lifecycle.LaunchReason = app.wasHandedOver ? .push : .location
                let launch = self.nextLaunch()
                let until = now.monotonic.advanced(by: self.policy.launchPatience)
                self.apps[bundle]?.wasHandedOver = false
                self.apps[bundle]?.lifecycle.launched(launch, reason, until: until)
                effects += [.process(.launchApp(bundle, launch, reason)), .note(.appLaunched(bundle, reason))]
            case .nothing, .reasons, .still: break
            }
        }
    }
}
