internal import Testing

@testable internal import WhereaboutsLocationEngine

/// The question before a person: every state with every list of open questions.
@Suite struct PromptQueueMatrixTests {
    enum Start: CaseIterable {
        case clear, presenting, clearAgain

        /// The first prompt asks for `first`.
        var desk: PromptQueue {
            var desk = PromptQueue()
            switch self {
            case .clear: break
            case .presenting: _ = desk.questionsChanged(to: [first])
            case .clearAgain:
                desk = Start.presenting.desk
                _ = desk.questionsChanged(to: [])
            }
            return desk
        }
    }

    /// The questions that are open, the most urgent first: another app's, and another question of the same app.
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
        var desk = start.desk
        let before = desk
        let result = desk.questionsChanged(to: open.questions)
        switch (start, open) {
        // A question that is more urgent now waits until the person has answered.
        case (.presenting, .same), (.presenting, .sameAndOther), (.presenting, .otherAndSame):
            #expect(result == PromptQueue.OnQuestions() && desk == before)
        case (.presenting, .none):
            #expect(result == PromptQueue.OnQuestions(withdraw: PromptID(1)) && desk.state == .clear)
        case (.presenting, .otherApp), (.presenting, .otherQuestion):
            let next = Self.prompt(2, open)
            #expect(result == PromptQueue.OnQuestions(withdraw: PromptID(1), present: next))
            #expect(desk.state == .presenting(next))
        case (.clear, .none), (.clearAgain, .none):
            #expect(result == PromptQueue.OnQuestions() && desk == before && desk.state == .clear)
        case (.clear, .same), (.clear, .otherApp), (.clear, .otherQuestion), (.clear, .sameAndOther),
            (.clear, .otherAndSame):
            #expect(result == PromptQueue.OnQuestions(present: Self.prompt(1, open)))
            #expect(desk.state == .presenting(Self.prompt(1, open)))
        // A prompt's number is never used again: an answer to one that was taken back is an answer to nothing.
        case (.clearAgain, .same), (.clearAgain, .otherApp), (.clearAgain, .otherQuestion),
            (.clearAgain, .sameAndOther), (.clearAgain, .otherAndSame):
            #expect(result == PromptQueue.OnQuestions(present: Self.prompt(2, open)))
            #expect(desk.state == .presenting(Self.prompt(2, open)))
        }
        #expect((desk.current == nil) == (open == .none))
    }

    /// The prompt of that number for the most urgent question.
    private static func prompt(_ number: UInt64, _ open: Open) -> Prompt {
        let (bundle, question) = open.questions.first ?? first
        return Prompt(id: PromptID(number), bundle: bundle, question: question)
    }
}

private let first: (BundleID, Prompt.Question) = (BundleID("a"), .whenInUse(offersPrecise: true))
