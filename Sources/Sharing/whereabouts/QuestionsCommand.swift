internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts questions`: lists the requests that wait for your decision, and records your yes or no.
struct QuestionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "questions",
        abstract: "List pending location requests and answer them.",
        discussion: """
            With a grant that has --ask-me, your device asks you each time, for 20 s. The other person sees that it waits for you. Without a \
            yes they are refused after 20 s, and do not learn whether you saw the question.
              whereabouts questions             lists the pending questions
              whereabouts questions --yes       answers yes to the only one
              whereabouts questions --no Bob    answers no to Bob; the request's ID works, too

            Exit codes:
              0  listed, or answered
              1  there is no such question
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The person who asks, or the ID of the request (default: the only one).",
            valueName: "name|id"
        )
    )
    var which: String?
    @OptionGroup var profile: ProfileOption
    @Flag(help: "Answer yes: share your position once, or live for the listed time.")
    var yes = false
    @Flag(help: "Answer no.")
    var no = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if self.yes, self.no { throw ValidationError("Use either --yes or --no.") }
        if self.yes || self.no, self.json { throw ValidationError("--yes and --no print a line; leave out --json") }
        if !self.yes, !self.no, self.which != nil {
            throw ValidationError("Name a person together with --yes or --no.")
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let questions = profile.questions()
        guard self.yes || self.no else { return try self.show(questions, profile) }
        let meant = questions.filter { question in
            guard let which = self.which else { return true }
            return "\(question.request)" == which || profile.calls(question.requester, which)
        }
        guard let question = meant.first else {
            let whom =
                self.which.map { "no request is waiting under '\(PlainText.of($0))'" }
                ?? "No request is waiting for your answer."
            throw SharingError(
                .badText,
                "\(whom); a question is open for 20 s, and `whereabouts questions` lists the open ones"
            )
        }
        guard meant.count == 1 else {
            throw SharingError(
                .badText,
                "\(meant.count) questions are open; give the name or the ID of one, as `whereabouts questions` lists them"
            )
        }
        try profile.answer(question, isAllowed: self.yes)
        let name = profile.title(of: question.requester) ?? question.requester.safetyNumber
        // The request may be refused for another reason: only the device knows the outcome of the decision.
        try printLine(
            self.yes
                ? "\(name) may \(Self.words(question)); `whereabouts journal` shows what they received"
                : "\(name) is refused"
        )
    }

    private static func words(_ question: Question) -> String {
        guard let minutes = question.followMinutes else { return "see where you are" }
        return "follow you for \(minutes) min (`whereabouts followers --end` ends it)"
    }

    private func show(_ questions: [Question], _ profile: SharingProfile) throws {
        let rows = questions.map { Row($0, of: profile) }
        guard !self.json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else { return try printLine("No request is waiting for your answer.") }
        let heads = ["REQUEST", "NAME", "SAFETY NUMBER", "PRECISION", "FOLLOW", "UNTIL"]
        for line in Table.lines(heads, rows.map(\.cells)) {
            try printLine(line)
        }
    }

    private struct Row: Encodable {
        let request: String
        let requester: String
        /// Absent for a person without a name.
        let name: String?
        let safetyNumber: String
        let precision: String
        /// Absent for a single answer.
        let followMinutes: UInt16?
        let until: Moment

        init(_ question: Question, of profile: SharingProfile) {
            self.request = "\(question.request)"
            self.requester = question.requester.text
            self.name = profile.title(of: question.requester)
            self.safetyNumber = question.requester.safetyNumber
            self.precision = "\(question.precision)"
            self.followMinutes = question.followMinutes
            self.until = Moment(question.until)
        }

        var cells: [String] {
            let follow = self.followMinutes.map { "\($0) min" } ?? "-"
            return [self.request, self.name ?? "-", self.safetyNumber, self.precision, follow, self.until.local]
        }
    }
}
