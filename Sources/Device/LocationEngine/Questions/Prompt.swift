/// A question that is shown to a person.
public struct Prompt: Sendable, Hashable {
    /// A question to a person about one app.
    public enum Question: Sendable, Hashable {
        /// May the app use the location, once or while it is in use? And may the location be precise, if that is undecided?
        case whenInUse(offersPrecise: Bool)
        /// May the app use the location at any time?
        case always
        /// The app used the location in the background, or needs to: may it always do so?
        case confirmAlways
        /// May the app know the precise location this time?
        ///
        /// The purpose is the key of the explaining text in the Info.plist.
        case fullAccuracy(purpose: String)
    }

    /// The answers that a person can give.
    public enum Answer: Sendable, Hashable {
        /// No; the app cannot ask again.
        case dontAllow
        /// Until the app is no longer in use.
        case allowOnce(precise: Bool)
        /// While the app is in use.
        case allowWhileUsing(precise: Bool)
        /// The authorization stays "while using".
        case keepWhileUsing
        case changeToAlways
        case allowFullAccuracy
        case denyFullAccuracy
    }

    /// Identifies this prompt among all others since the device started.
    public var id: PromptID
    /// The app that asks.
    public var bundle: BundleID
    /// The question.
    public var question: Question

    /// Creates a prompt.
    public init(id: PromptID, bundle: BundleID, question: Question) {
        self.id = id
        self.bundle = bundle
        self.question = question
    }
}

extension Prompt.Question {
    /// Whether an answer is one of the choices of the question.
    public func admits(_ answer: Prompt.Answer) -> Bool {
        switch (self, answer) {
        case (.whenInUse, .dontAllow), (.whenInUse, .allowOnce), (.whenInUse, .allowWhileUsing): true
        case (.always, .keepWhileUsing), (.always, .changeToAlways): true
        case (.confirmAlways, .keepWhileUsing), (.confirmAlways, .changeToAlways): true
        case (.fullAccuracy, .allowFullAccuracy), (.fullAccuracy, .denyFullAccuracy): true
        case (.whenInUse, _), (.always, _), (.confirmAlways, _), (.fullAccuracy, _): false
        }
    }

    /// Returns the answer that the device's owner gave in advance.
    func answer(by standing: Management.StandingAnswer) -> Prompt.Answer {
        switch (self, standing) {
        case (.whenInUse, .never): .dontAllow
        case (.whenInUse, .whileUsing(let precise)), (.whenInUse, .always(let precise)):
            .allowWhileUsing(precise: precise)
        case (.always, .always), (.confirmAlways, .always): .changeToAlways
        case (.always, .never), (.always, .whileUsing), (.confirmAlways, .never), (.confirmAlways, .whileUsing):
            .keepWhileUsing
        case (.fullAccuracy, .whileUsing(precise: true)), (.fullAccuracy, .always(precise: true)): .allowFullAccuracy
        case (.fullAccuracy, .never), (.fullAccuracy, .whileUsing), (.fullAccuracy, .always): .denyFullAccuracy
        }
    }
}
