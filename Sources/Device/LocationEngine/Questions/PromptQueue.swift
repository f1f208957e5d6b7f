/// Shows one prompt at a time.
///
/// ```
///           questionsChanged(some)
///    clear ────────────────────────▶ presenting(prompt)
///      ▲                                   │
///      └── questionsChanged(without it) ───┘   (withdrawn or answered)
/// ```
/// A visible question stays visible until it is answered or withdrawn.
public struct PromptQueue: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// Nothing is asked.
        case clear
        /// This prompt is shown.
        case presenting(Prompt)
    }

    private(set) var state: State = .clear
    private var asked: UInt64 = 0

    /// Creates an empty queue.
    public init() {}

    /// The prompt that is shown to a person, or nil.
    public var current: Prompt? { if case .presenting(let prompt) = self.state { prompt } else { nil } }

    /// Actions returned by ``questionsChanged(to:)``, in this order.
    public struct OnQuestions: Sendable, Hashable {
        /// Withdraw this prompt.
        public var withdraw: PromptID?
        /// Show this prompt.
        public var present: Prompt?
    }

    /// Records all questions that are open now, the most urgent first.
    public mutating func questionsChanged(to questions: [(BundleID, Prompt.Question)]) -> OnQuestions {
        var result = OnQuestions()
        if let current = self.current {
            if questions.contains(where: { $0 == (current.bundle, current.question) }) { return result }
            result.withdraw = current.id
            self.state = .clear
        }
        guard let (bundle, question) = questions.first else { return result }
        self.asked += 1
        let prompt = Prompt(id: PromptID(self.asked), bundle: bundle, question: question)
        self.state = .presenting(prompt)
        result.present = prompt
        return result
    }
}
