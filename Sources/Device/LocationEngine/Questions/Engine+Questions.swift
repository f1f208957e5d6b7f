/// Prompts, their answers, and changes in Settings.
extension Engine {
    /// The question that is shown to a person, or nil.
    public var currentPrompt: Prompt? { self.promptQueue.current }

    // MARK: Wishes

    mutating func authorizationRequested(_ id: ClientID, _ request: Authorization.Request) {
        guard let (position, client) = self.place(of: id), client.principal.role == .app else { return }
        // In the background a manager's request does nothing (documented).
        guard self.apps[position].isForeground(self.terms(of: client.principal.bundle)) else { return }
        self.apps[position].request = request
    }

    mutating func fullAccuracyRequested(
        _ id: ClientID,
        _ purpose: String,
        _ request: UInt64,
        _ effects: inout [Effect]
    ) {
        guard let (position, client) = self.place(of: id) else { return }
        let terms = self.terms(of: client.principal.bundle)
        let isPresented = self.apps[position].fullAccuracyRequested(purpose, request, by: client, terms, &effects)
        if !isPresented { effects.append(.tell(id, .requestResult(.declined, request: request))) }
    }

    // MARK: Prompts

    /// Finds the questions about an app, and gives the owner's answers to them.
    mutating func ask(_ position: Int, _ terms: Terms, _ effects: inout [Effect]) {
        self.apps[unmarked: position].askOrWithdraw(terms, &effects)
        guard let answer = terms.rule.answer else { return }
        // An answer may cause one more question, and there are three: while using, then Always, then full accuracy.
        for _ in 0..<3 {
            guard let question = self.apps[position].questions.first else { return }
            self.apps[unmarked: position].answered(question, with: question.answer(by: answer), &effects)
            self.apps[unmarked: position].askOrWithdraw(terms, &effects)
        }
    }

    /// Shows one prompt, or withdraws it.
    mutating func present(_ effects: inout [Effect]) {
        let result = self.promptQueue.questionsChanged(to: self.openQuestions)
        if let id = result.withdraw { effects.append(.people(.withdrawPrompt(id))) }
        if let prompt = result.present {
            effects += [.people(.presentPrompt(prompt)), .note(.promptPresented(prompt.bundle, prompt.question))]
        }
    }

    /// The prompts of all apps that can appear now; the confirmation of Always comes last, once its app is not in the foreground.
    private var openQuestions: [(BundleID, Prompt.Question)] {
        guard self.apps.totals.asking > 0 else { return [] }
        var urgent: [(BundleID, Prompt.Question)] = []
        var quiet: [(BundleID, Prompt.Question)] = []
        for position in self.apps.indices where self.apps.summary(at: position).asks {
            let app = self.apps[position]
            for question in app.questions {
                if question != .confirmAlways {
                    urgent.append((app.bundle, question))
                } else if !app.isForeground(self.terms(of: app.bundle))
                    || question == self.promptQueue.current?.question
                {
                    quiet.append((app.bundle, question))
                }
            }
        }
        return urgent + quiet
    }

    // MARK: Answers and Settings

    mutating func promptAnswered(_ id: PromptID, _ answer: Prompt.Answer, _ effects: inout [Effect]) {
        guard let prompt = self.promptQueue.current, prompt.id == id, prompt.question.admits(answer) else { return }
        self.withApp(prompt.bundle) { $0.answered(prompt.question, with: answer, &effects) }
    }

    mutating func authorizationSet(
        _ bundle: BundleID,
        _ setting: Authorization.Setting,
        _ effects: inout [Effect]
    ) {
        guard self.mayBeSet(bundle), let position = self.apps.position(of: bundle) else { return }
        switch self.apps[position].authorization.set(to: setting) {
        case .announce: break
        case .ignore: return
        }
        effects.append(.note(.authorizationChanged(bundle, self.apps[position].authorization.status)))
    }

    mutating func accuracySet(_ bundle: BundleID, precise: Bool, _ effects: inout [Effect]) {
        guard self.mayBeSet(bundle) else { return }
        self.withApp(bundle) { app in
            guard app.accuracy.decided(precise: precise) else { return }
            app.tellAccuracyWaiters(.presented, &effects)
            effects.append(.note(.accuracyChanged(bundle, precise: precise)))
        }
    }

    /// Whether the device's owner allows people to change the app's entry in Settings.
    public func mayBeSet(_ bundle: BundleID) -> Bool { self.management.rule(for: bundle).restriction == .none }

    mutating func servicesSwitched(on: Bool, _ effects: inout [Effect]) {
        guard self.servicesOn != on else { return }
        self.servicesOn = on
        effects.append(.note(.servicesSwitched(on: on)))
    }
}

extension App {
    /// Records that a manager requests full accuracy.
    ///
    /// - Returns: whether the person is asked, and the manager must wait for the answer.
    fileprivate mutating func fullAccuracyRequested(
        _ purpose: String,
        _ request: UInt64,
        by client: Client,
        _ terms: Terms,
        _ effects: inout [Engine.Effect]
    ) -> Bool {
        guard self.admits(purpose, &effects) else { return false }
        let status = self.permission(terms).status
        guard status == .whenInUse || status == .always, client.principal.role == .app, self.isForeground(terms),
            terms.mayAsk, !self.accuracy.isFull, self.accuracyWaiters.count < Self.accuracyWaitersMax
        else { return false }
        switch self.accuracy.wanted(for: purpose) {
        case .ask, .wait: self.accuracyWaiters.append(AccuracyWaiter(client: client.id, request: request))
        case .ignore: return false
        }
        return true
    }
}
