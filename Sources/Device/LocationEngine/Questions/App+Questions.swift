/// The questions to people about one app.
extension App {
    /// The questions that are open.
    var questions: [Prompt.Question] {
        let first: Prompt.Question? =
            switch self.authorization.question {
            case .whenInUse: .whenInUse(offersPrecise: !self.manifest.defaultsToReducedAccuracy)
            case .always: .always
            case .confirmAlways: .confirmAlways
            case nil: nil
            }
        let second = self.accuracy.purpose.map { Prompt.Question.fullAccuracy(purpose: $0) }
        return first == nil && second == nil ? [] : [first, second].compactMap(\.self)
    }

    /// Lets waiting claims begin if they may, and decisions lapse when the app is not in use.
    mutating func settle(_ terms: Terms, _ effects: inout [Engine.Effect]) {
        if self.sessions.hasWaiting {
            let before = self
            self.sessions.conditionsChanged { before.mayBegin($0, terms) }
        }
        if self.isInUse(terms) { return }
        switch self.authorization.lapsed() {
        case .announce: effects.append(.note(.authorizationChanged(self.bundle, self.authorization.status)))
        case .ignore: break
        }
        if self.accuracy.lapsed() { effects.append(.note(.accuracyChanged(self.bundle, precise: false))) }
    }

    /// Opens the prompts that can appear now, and withdraws the others.
    mutating func askOrWithdraw(_ terms: Terms, _ effects: inout [Engine.Effect]) {
        if !terms.mayAsk {
            self.withdraw(all: true, &effects)
        } else if self.isForeground(terms) {
            self.ask(terms, &effects)
        } else {
            // Withdraw the prompt at once, because it would otherwise cover the next app on the screen.
            self.withdraw(all: false, &effects)
            if !self.lifecycle.isSeen, self.triesAlways(terms) { _ = self.authorization.alwaysTried() }
        }
    }

    /// Whether confirmed Always would let the app receive something.
    private func triesAlways(_ terms: Terms) -> Bool {
        guard self.authorization.isProvisional, !self.isInUse(terms) else { return false }
        if self.hasEventOnTrial(terms) { return true }
        let held = self.appClients.flatMap { $0.streams.map(\.traits) }
        return (held + self.sessions.leftStreams.map(\.traits)).contains {
            $0.needsAuthorization && self.mayServe($0, .app, ifAlways: true, terms)
        }
    }

    private mutating func withdraw(all: Bool, _ effects: inout [Engine.Effect]) {
        self.request = nil
        if all || self.authorization.question != .confirmAlways {
            switch self.authorization.withdrawn() {
            case .announce: effects.append(.note(.promptWithdrawn(self.bundle)))
            case .ignore: break
            }
        }
        if self.accuracy.withdrawn() { effects.append(.note(.promptWithdrawn(self.bundle))) }
        self.tellAccuracyWaiters(.declined, &effects)
    }

    private mutating func ask(_ terms: Terms, _ effects: inout [Engine.Effect]) {
        var asked = self.authorization
        var question: Authorization.Question?
        if let request = self.request, case .ask(let asks) = asked.requested(request) { question = asks }
        if question == nil, let wanted = self.wantedAuthorization(terms), case .ask(let asks) = asked.wanted(wanted) {
            question = asks
        }
        if let question {
            if let key = self.missingUsageDescription(for: question) {
                self.noteMissing(key, &effects)
            } else {
                self.authorization = asked
            }
        }
        // A request is used once.
        self.request = nil
        if self.authorization.question == nil, let purpose = self.wantedPurpose {
            _ = self.accuracy.wanted(for: purpose)
        }
    }

    /// The connections of the app itself.
    var appClients: some Sequence<Client> { self.clients.lazy.filter { $0.principal.role == .app } }

    /// The strongest requirement of the app's sessions and live updates.
    private func wantedAuthorization(_ terms: Terms) -> Declaration.Session.Requirement? {
        let held = self.sessions.strongestHeld
        if self.manifest.requiresExplicitSessions || !terms.readingAsks || (held ?? .none) >= .whenInUse { return held }
        // Reading live updates, or a monitor's events, counts as a session that asks for when-in-use.
        let reads = self.appClients.contains { client in
            client.streams.contains { $0.traits.needsSession }
                || client.monitors.contains { $0.isRead && $0.name != Monitors.ofRegions }
        }
        return reads ? .whenInUse : held
    }

    /// The purpose of the first session that needs full accuracy and has not been refused.
    private var wantedPurpose: String? {
        let status = self.authorization.status
        guard !self.accuracy.isFull, status == .whenInUse || status == .always else { return nil }
        for client in self.appClients {
            for session in client.sessions where !session.wasRefusedFullAccuracy {
                if let purpose = session.fullAccuracyPurpose, self.manifest.purposes.contains(purpose) {
                    return purpose
                }
            }
        }
        return nil
    }

    /// Whether the Info.plist explains a purpose of full accuracy; a missing purpose is logged.
    @discardableResult
    mutating func admits(_ purpose: String, _ effects: inout [Engine.Effect]) -> Bool {
        if self.manifest.purposes.contains(purpose) { return true }
        self.noteMissing("NSLocationTemporaryUsageDescriptionDictionary.\(purpose)", &effects)
        return false
    }

    mutating func noteMissing(_ key: String, _ effects: inout [Engine.Effect]) {
        // Bounded: an app that invents new purposes all the time is noted a few times.
        guard self.missingNoted.count < 16, !self.missingNoted.contains(key) else { return }
        self.missingNoted.append(key)
        effects.append(.note(.keyMissing(self.bundle, key: key)))
    }

    mutating func tellAccuracyWaiters(_ result: Engine.RequestResult, _ effects: inout [Engine.Effect]) {
        for waiter in self.accuracyWaiters {
            effects.append(.tell(waiter.client, .requestResult(result, request: waiter.request)))
        }
        self.accuracyWaiters = []
    }

    /// Records a person's answer to a question about the app.
    mutating func answered(_ question: Prompt.Question, with answer: Prompt.Answer, _ effects: inout [Engine.Effect]) {
        let wasPrecise = self.accuracy.isFull
        let decision: Authorization.OnDecision
        switch question {
        case .whenInUse(let offersPrecise):
            decision = self.authorization.answered(.whenInUse, with: answer)
            if offersPrecise, let precise = answer.precise { _ = self.accuracy.decided(precise: precise) }
        case .always: decision = self.authorization.answered(.always, with: answer)
        case .confirmAlways: decision = self.authorization.answered(.confirmAlways, with: answer)
        case .fullAccuracy(let purpose):
            decision = .ignore
            _ = self.accuracy.answered(allow: answer == .allowFullAccuracy)
            self.tellAccuracyWaiters(.presented, &effects)
            if answer == .denyFullAccuracy { self.refuseFullAccuracy(purpose) }
        }
        switch decision {
        case .announce: effects.append(.note(.authorizationChanged(self.bundle, self.authorization.status)))
        case .ignore: break
        }
        if self.accuracy.isFull != wasPrecise {
            effects.append(.note(.accuracyChanged(self.bundle, precise: self.accuracy.isFull)))
        }
    }

    /// Records a refusal for the sessions with this purpose, which do not ask again.
    private mutating func refuseFullAccuracy(_ purpose: String) {
        for client in self.clients.indices {
            for session in self.clients[client].sessions.indices
            where self.clients[client].sessions[session].fullAccuracyPurpose == purpose {
                self.clients[client].sessions[session].wasRefusedFullAccuracy = true
            }
        }
    }
}

extension Prompt.Answer {
    /// The precision in the answer; nil when the answer has none.
    fileprivate var precise: Bool? {
        switch self {
        case .allowOnce(let precise), .allowWhileUsing(let precise): precise
        case .dontAllow, .keepWhileUsing, .changeToAlways, .allowFullAccuracy, .denyFullAccuracy: nil
        }
    }
}
