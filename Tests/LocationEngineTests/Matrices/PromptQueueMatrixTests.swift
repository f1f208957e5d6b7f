internal import Testing

@testable internal import WhereaboutsLocationEngine

/// Tests for the prompt shown to a person: every state with every list of open questions.
@Suite struct PromptQueueMatrixTests {
    enum Start: CaseIterable {
        case clear, presenting, clearAgain

        /// The first prompt asks for `first`.
        var queue: PromptQueue {
            var queue = PromptQueue()
            switch self {
            case .clear: break
            case .presenting: _ = queue.questionsChanged(to: [first])
            case .clearAgain:
                queue = Start.presenting.queue
                _ = queue.questionsChanged(to: [])
            }
            return queue
        }
    }

    /// The open questions, most urgent first: another app's, and another question of the same app.
    enum Open: CaseIterable {
        case none, same, otherApp, otherQuestion, sameAndOther, otherAndSame

        var questions: [(BundleID, Prompt.Question)] {
            switch self {
            case .none: []
            case .same: [first]
            case .otherApp: [(BundleID("b"), .whenInUse(offersPrecise: true))]
            case .otherQuestion: [(BundleID("a"), .always)]
            case .sameAndOther: [first, (BundleID("b"), .whenInUse(offersPrecise: true))]
            case .otherAndSame: [(BundleID("b"), .whenInUse(offersPrecise: true)), first]
            }
        }
    }

    @Test(arguments: Start.allCases, Open.allCases)
    func matrix(_ start: Start, _ open: Open) {
        var queue = start.queue
        let before = queue
        let result = queue.questionsChanged(to: open.questions)
        switch (start, open) {
        // A more urgent question waits until the person has answered.
        case (.presenting, .same), (.presenting, .sameAndOther), (.presenting, .otherAndSame):
            #expect(result == PromptQueue.OnQuestions() && queue == before)
        case (.presenting, .none):
            #expect(result == PromptQueue.OnQuestions(withdraw: PromptID(1)) && queue.state == .clear)
        case (.presenting, .otherApp), (.presenting, .otherQuestion):
            let next = Self.prompt(2, open)
            #expect(result == PromptQueue.OnQuestions(withdraw: PromptID(1), present: next))
            #expect(queue.state == .presenting(next))
        case (.clear, .none), (.clearAgain, .none):
            #expect(result == PromptQueue.OnQuestions() && queue == before && queue.state == .clear)
        case (.clear, .same), (.clear, .otherApp), (.clear, .otherQuestion), (.clear, .sameAndOther),
            (.clear, .otherAndSame):
            #expect(result == PromptQueue.OnQuestions(present: Self.prompt(1, open)))
            #expect(queue.state == .presenting(Self.prompt(1, open)))
        // A prompt's number is never used again. An answer to a withdrawn prompt has no effect.
        case (.clearAgain, .same), (.clearAgain, .otherApp), (.clearAgain, .otherQuestion),
            (.clearAgain, .sameAndOther), (.clearAgain, .otherAndSame):
            #expect(result == PromptQueue.OnQuestions(present: Self.prompt(2, open)))
            #expect(queue.state == .presenting(Self.prompt(2, open)))
        }
        #expect((queue.current == nil) == (open == .none))
    }

    /// The prompt of that number for the most urgent question.
    private static func prompt(_ number: UInt64, _ open: Open) -> Prompt {
        let (bundle, question) = open.questions.first ?? first
        return Prompt(id: PromptID(number), bundle: bundle, question: question)
    }
}

private let first: (BundleID, Prompt.Question) = (BundleID("a"), .whenInUse(offersPrecise: true))
