internal import OrderedCollections

/// What people are asked, what they answer, and what they set.
extension Engine {
    /// The question that is before a person, or nil.
    public var currentPrompt: Prompt? { self.desk.current }

    // MARK: Wishes

    mutating func authorizationRequested(_ id: ClientID, _ request: Authorization.Request) {
        guard let client = self.clients[id], client.principal.role == .app else { return }
        let bundle = client.principal.bundle
        // In the background a manager's request does nothing (documented).
        guard let app = self.apps[bundle], self.isForeground(bundle, app) else { return }
        self.apps[bundle]?.request = request
    }

    mutating func fullAccuracyRequested(
        _ id: ClientID,
        _ purpose: String,
        _ request: UInt64,
        _ effects: inout [Effect]
    ) {
        guard let client = self.clients[id], var app = self.apps[client.principal.bundle] else { return }
        let bundle = client.principal.bundle
        let standing = self.standing(of: bundle, app)
        let isKnown = app.manifest.purposes.contains(purpose)
        if !isKnown {
            self.noteMissing("NSLocationTemporaryUsageDescriptionDictionary.\(purpose)", bundle, &app, &effects)
        }
        let isAuthorized = standing.status == .whenInUse || standing.status == .always
        guard isKnown, isAuthorized, client.principal.role == .app, self.isForeground(bundle, app), self.mayAsk(bundle),
            !app.accuracy.isFull, app.accuracyWaiters.count < App.accuracyWaitersMax
        else {
            self.apps[bundle] = app
            effects.append(.tell(id, .requestResult(.declined, request: request)))
            return
        }
        switch app.accuracy.wanted(for: purpose) {
        case .ask, .wait: app.accuracyWaiters.append(App.AccuracyWaiter(client: id, request: request))
        case .ignore: effects.append(.tell(id, .requestResult(.declined, request: request)))
        }
        self.apps[bundle] = app
    }

    // MARK: Asking

    /// Finds what is to be asked, answers what the owner answered beforehand, and puts one question before a person.
    mutating func settleQuestions(_ effects: inout [Effect]) {
        for bundle in self.apps.keys {
            self.askOrWithdraw(bundle, &effects)
            // One answer may raise one more question: while using, then always, then full accuracy.
            for _ in 0..<3 {
                guard let answer = self.management.rule(for: bundle).answer, let question = self.questions(bundle).first
                else { break }
                self.answer(bundle, question, with: question.answer(by: answer), &effects)
                self.askOrWithdraw(bundle, &effects)
            }
        }
        let result = self.desk.questionsChanged(to: self.openQuestions)
        if let id = result.withdraw { effects.append(.people(.withdrawPrompt(id))) }
        if let prompt = result.present {
            effects += [.people(.presentPrompt(prompt)), .note(.promptPresented(prompt.bundle, prompt.question))]
        }
    }

    /// The questions of all apps that can be put now; what can wait for a quiet moment comes last.
    private var openQuestions: [(BundleID, Prompt.Question)] {
        var urgent: [(BundleID, Prompt.Question)] = []
        var quiet: [(BundleID, Prompt.Question)] = []
        for (bundle, app) in self.apps {
            for question in self.questions(bundle) {
                if question != .confirmAlways {
                    urgent.append((bundle, question))
                } else if !self.isForeground(bundle, app) || question == self.desk.current?.question {
                    quiet.append((bundle, question))
                }
            }
        }
        return urgent + quiet
    }

    private func questions(_ bundle: BundleID) -> [Prompt.Question] {
        guard let app = self.apps[bundle] else { return [] }
        let first: Prompt.Question? =
            switch app.authorization.question {
            case .whenInUse: .whenInUse(offersPrecise: !app.manifest.defaultsToReducedAccuracy)
            case .always: .always
            case .confirmAlways: .confirmAlways
            case nil: nil
            }
        return [first, app.accuracy.purpose.map { .fullAccuracy(purpose: $0) }].compactMap(\.self)
    }

    /// Whether people may be asked about an app at all.
    private func mayAsk(_ bundle: BundleID) -> Bool {
        self.areServicesOn && self.management.rule(for: bundle).restriction == .none
    }

    private mutating func askOrWithdraw(_ bundle: BundleID, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle] else { return }
        if !self.mayAsk(bundle) {
            self.withdraw(bundle, &app, all: true, &effects)
        } else if self.isForeground(bundle, app) {
            self.ask(bundle, &app, &effects)
        } else if !app.lifecycle.isSeen {
            self.withdraw(bundle, &app, all: false, &effects)
            if self.triesAlways(bundle, app) { _ = app.authorization.alwaysTried() }
        }
        self.apps[bundle] = app
    }

    /// Whether something would be given to the app if its provisional Always were meant.
    private func triesAlways(_ bundle: BundleID, _ app: App) -> Bool {
        guard app.authorization.isProvisional, !self.isInUse(bundle, app) else { return false }
        let principal = Principal(bundle: bundle, role: .app)
        let held = self.clients.values.filter { $0.principal == principal }.flatMap { $0.streams.map(\.service) }
        return (held + app.sessions.leftStreams).contains { self.mayServe($0, principal, app, ifAlways: true) }
    }

    private mutating func withdraw(_ bundle: BundleID, _ app: inout App, all: Bool, _ effects: inout [Effect]) {
        app.request = nil
        if all || app.authorization.question != .confirmAlways {
            switch app.authorization.withdrawn() {
            case .announce: effects.append(.note(.promptWithdrawn(bundle)))
            case .ignore: break
            }
        }
        if app.accuracy.withdrawn() { effects.append(.note(.promptWithdrawn(bundle))) }
        self.tellAccuracyWaiters(&app, .declined, &effects)
    }

    private mutating func ask(_ bundle: BundleID, _ app: inout App, _ effects: inout [Effect]) {
        var asked = app.authorization
        var question: Authorization.Question?
        if let request = app.request, case .ask(let asks) = asked.requested(request) { question = asks }
        if question == nil, let wanted = self.wantedAuthorization(bundle, app),
            case .ask(let asks) = asked.wanted(wanted)
        {
            question = asks
        }
        if let question {
            if let key = app.missingUsageDescription(for: question) {
                self.noteMissing(key, bundle, &app, &effects)
            } else {
                app.authorization = asked
            }
        }
        // A request has its effect once.
        app.request = nil
        if app.authorization.question == nil, let purpose = self.wantedPurpose(bundle, app, &effects) {
            _ = app.accuracy.wanted(for: purpose)
        }
    }

    /// The strongest requirement of what the app holds and reads.
    private func wantedAuthorization(_ bundle: BundleID, _ app: App) -> Declaration.Session.Requirement? {
        let held = app.sessions.strongestHeld
        if app.manifest.requiresExplicitSessions || (held ?? .none) >= .whenInUse { return held }
        // Reading live updates counts as a session that asks for when-in-use.
        let principal = Principal(bundle: bundle, role: .app)
        let reads = self.clients.values.contains { client in
            client.principal == principal && client.streams.contains { $0.service.isModern }
        }
        return reads ? .whenInUse : held
    }

    /// The purpose of the first session that needs full accuracy, and may be asked about.
    private func wantedPurpose(_ bundle: BundleID, _ app: App, _ effects: inout [Effect]) -> String? {
        let status = app.authorization.status
        guard !app.accuracy.isFull, status == .whenInUse || status == .always else { return nil }
        let principal = Principal(bundle: bundle, role: .app)
        for client in self.clients.values where client.principal == principal {
            for session in client.sessions where !session.wasRefusedFullAccuracy {
                if let purpose = session.fullAccuracyPurpose, app.manifest.purposes.contains(purpose) { return purpose }
            }
        }
        return nil
    }

    private func noteMissing(_ key: String, _ bundle: BundleID, _ app: inout App, _ effects: inout [Effect]) {
        // Bounded: an app that asks for ever new purposes is noted a few times.
        guard app.missingNoted.count < 16, !app.missingNoted.contains(key) else { return }
        app.missingNoted.append(key)
        effects.append(.note(.keyMissing(bundle, key: key)))
    }

    private func tellAccuracyWaiters(_ app: inout App, _ result: RequestResult, _ effects: inout [Effect]) {
        for waiter in app.accuracyWaiters {
            effects.append(.tell(waiter.client, .requestResult(result, request: waiter.request)))
        }
        app.accuracyWaiters = []
    }

    // MARK: Answers and Settings

    mutating func promptAnswered(_ id: PromptID, _ answer: Prompt.Answer, _ effects: inout [Effect]) {
        guard let prompt = self.desk.current, prompt.id == id, prompt.question.admits(answer) else { return }
        self.answer(prompt.bundle, prompt.question, with: answer, &effects)
    }

    private mutating func answer(
        _ bundle: BundleID,
        _ question: Prompt.Question,
        with answer: Prompt.Answer,
        _ effects: inout [Effect]
    ) {
        guard var app = self.apps[bundle] else { return }
        let wasPrecise = app.accuracy.isFull
        let decision: Authorization.OnDecision
        switch question {
        case .whenInUse(let offersPrecise):
            decision = app.authorization.answered(.whenInUse, with: answer)
            if offersPrecise, let precise = answer.precise { _ = app.accuracy.decided(precise: precise) }
        case .always: decision = app.authorization.answered(.always, with: answer)
        case .confirmAlways: decision = app.authorization.answered(.confirmAlways, with: answer)
        case .fullAccuracy(let purpose):
            decision = .ignore
            _ = app.accuracy.answered(allow: answer == .allowFullAccuracy)
            self.tellAccuracyWaiters(&app, .presented, &effects)
            if answer == .denyFullAccuracy { self.refuseFullAccuracy(bundle, purpose) }
        }
        switch decision {
        case .announce: effects.append(.note(.authorizationChanged(bundle, app.authorization.status)))
        case .ignore: break
        }
        if app.accuracy.isFull != wasPrecise {
            effects.append(.note(.accuracyChanged(bundle, precise: app.accuracy.isFull)))
        }
        self.apps[bundle] = app
    }

    /// Remembers a refusal for the sessions that asked: nobody is asked again for them.
    private mutating func refuseFullAccuracy(_ bundle: BundleID, _ purpose: String) {
        for index in self.clients.values.indices where self.clients.values[index].principal.bundle == bundle {
            for session in self.clients.values[index].sessions.indices
            where self.clients.values[index].sessions[session].fullAccuracyPurpose == purpose {
                self.clients.values[index].sessions[session].wasRefusedFullAccuracy = true
            }
        }
    }

    mutating func authorizationSet(
        _ bundle: BundleID,
        _ setting: Authorization.Setting,
        _ effects: inout [Effect]
    ) {
        guard var app = self.apps[bundle], self.mayBeSet(bundle) else { return }
        switch app.authorization.set(to: setting) {
        case .announce: effects.append(.note(.authorizationChanged(bundle, app.authorization.status)))
        case .ignore: break
        }
        self.apps[bundle] = app
    }

    mutating func accuracySet(_ bundle: BundleID, precise: Bool, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle], self.mayBeSet(bundle) else { return }
        if app.accuracy.decided(precise: precise) {
            self.tellAccuracyWaiters(&app, .presented, &effects)
            effects.append(.note(.accuracyChanged(bundle, precise: precise)))
        }
        self.apps[bundle] = app
    }

    /// Whether the device's owner lets people change the app's entry in Settings.
    public func mayBeSet(_ bundle: BundleID) -> Bool { self.management.rule(for: bundle).restriction == .none }

    mutating func servicesSwitched(on: Bool, _ effects: inout [Effect]) {
        guard self.servicesOn != on else { return }
        self.servicesOn = on
        effects.append(.note(.servicesSwitched(on: on)))
    }
}

extension Prompt.Answer {
    /// What the answer says about precision; nil when nothing.
    fileprivate var precise: Bool? {
        switch self {
        case .allowOnce(let precise), .allowWhileUsing(let precise): precise
        case .dontAllow, .keepWhileUsing, .changeToAlways, .allowFullAccuracy, .denyFullAccuracy: nil
        }
    }
}
