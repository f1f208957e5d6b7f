internal import OrderedCollections
public import WhereaboutsVocabulary

/// polkit as an authority: which questions are in progress, what their results mean, and when a failing polkit is tried
/// again (ADR 0024).
///
/// Its host runs a process for each question, `pkcheck`, and passes the answers to the applicants.
/// ```
///                     an answer
///   untried ────────────────────────────▶ answers ◀──────── an answer ────────┐
///      │                                     │                                 │
///      │                        none, not even about the host itself           │
///      │            none                     ▼                                 │
///      └─────────────────────────────────▶ fails ── pause over: the host itself is asked about
/// ```
/// Every state becomes `unused` when the service ends. A question may fail because its applicant is gone. So while polkit answers, the host
/// asks about itself, and reports a failing polkit only if this question fails, too. The applicant is refused in both cases.
///
/// Ignored races: the end of a question that was never asked, and late timers.
public struct PolkitCoordinator: Sendable, Hashable {
    /// Whether polkit can be asked.
    public enum State: Sendable, Hashable {
        /// polkit is not used.
        case unused
        /// polkit was not asked yet, or has not answered.
        case untried
        /// polkit answers.
        case answers
        /// polkit does not answer.
        case fails(Failure)
    }

    /// The reason why polkit does not answer, and its consequence.
    public struct Failure: Sendable, Hashable {
        /// The reason, for people.
        public let cause: String
        /// The remedy, for people.
        public let remedy: String
        /// When polkit began to fail.
        public let since: WallTime
        /// The number of applicants that were refused since then without asking polkit.
        public var refused: UInt64

        /// Creates the reason.
        public init(cause: String, remedy: String, since: WallTime, refused: UInt64 = 0) {
            self.cause = cause
            self.remedy = remedy
            self.since = since
            self.refused = refused
        }
    }

    /// The number of a question, which is unique.
    public struct QuestionID: Sendable, Hashable {
        let rawValue: UInt64
    }

    /// A command to the host.
    public enum Action: Sendable, Hashable {
        /// Ask `pkcheck` about the host itself, to see whether polkit answers and knows the action.
        case askAboutHost(QuestionID)
        /// End the process of a question by force; its end is still reported.
        case kill(QuestionID)
        /// Report to the applicant of a question whether polkit allows it.
        case answer(QuestionID, isAllowed: Bool)
        /// Log that polkit answers again.
        case noteAnswers
        /// Log that polkit does not answer, or that the reason changed.
        case noteFailure(Failure)
    }

    private struct Question: Sendable, Hashable {
        enum Subject: Sendable, Hashable {
            /// An applicant who waits for the answer.
            case applicant
            /// A check of whether polkit answers at all; no applicant waits.
            case host
            /// The host, after a question about an applicant failed; the applicant still waits.
            case hostAfter(QuestionID)
        }

        enum Progress: Sendable, Hashable {
            /// The process runs; at this instant it is killed.
            case asked(until: EngineInstant)
            /// The process was killed, and has not ended yet.
            case killed
        }

        let subject: Subject
        let user: UInt32
        var progress: Progress
    }

    /// The polkit action, as in `org.whereabouts.location1.policy`.
    public static let action = "org.whereabouts.location1.manage"
    /// The maximum number of questions at a time: each is a process.
    static let questionsMax = 16
    /// The maximum number of simultaneous questions of one user, so that one user cannot block the others.
    static let questionsOfUserMax = 4
    /// How long polkit may take to answer; it needs some milliseconds, and no person is asked.
    static let answerTimeMax = Duration.seconds(5)

    /// Whether polkit can be asked.
    public private(set) var state: State
    private var questions: OrderedDictionary<QuestionID, Question> = [:]
    private var nextQuestion: UInt64 = 1
    /// When to try polkit again after a failure; nil while an attempt is in progress, or while polkit works.
    private var retry: EngineInstant?
    private var backoff = Backoff(from: .seconds(15), to: .seconds(300))
    private let hostsUser: UInt32

    /// Creates the coordinator of a polkit that was not asked yet.
    ///
    /// - Parameters:
    ///   - isUsed: whether polkit is used.
    ///   - hostsUser: the user that the host runs as.
    public init(isUsed: Bool, hostsUser: UInt32) {
        self.state = isUsed ? .untried : .unused
        self.hostsUser = hostsUser
    }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        var earliest = self.retry
        for case .asked(let until) in self.questions.values.map(\.progress) { earliest.lower(to: until) }
        return earliest
    }

    // MARK: Questions

    /// Actions returned by ``asked(by:now:)``.
    public enum OnAsk: Sendable, Hashable {
        /// Ask `pkcheck` about the applicant, and report the end of its process, or that it could not start.
        case ask(QuestionID)
        /// Refuse: polkit must not be asked, or there are too many questions.
        case refuse
    }

    /// Records that a user's process asks for the owner's rights.
    public mutating func asked(by user: UInt32, now: EngineInstant) -> OnAsk {
        self.begin(.applicant, of: user, now).map { .ask($0) } ?? .refuse
    }

    /// Starts a check whether polkit answers.
    public mutating func tried(now: EngineInstant) -> [Action] {
        self.begin(.host, of: self.hostsUser, now).map { [.askAboutHost($0)] } ?? []
    }

    /// Starts a question; nil: there are too many.
    private mutating func begin(
        _ subject: Question.Subject,
        of user: UInt32,
        _ now: EngineInstant
    ) -> QuestionID? {
        guard self.state != .unused, self.questions.count < Self.questionsMax,
            self.questions.values.count(where: { $0.user == user }) < Self.questionsOfUserMax
        else { return nil }
        let id = QuestionID(rawValue: self.nextQuestion)
        self.nextQuestion += 1
        let until = now.advanced(by: Self.answerTimeMax)
        self.questions[id] = Question(subject: subject, user: user, progress: .asked(until: until))
        return id
    }

    // MARK: Their ends

    /// Records the end of a question's process.
    ///
    /// - Parameters:
    ///   - id: the question.
    ///   - status: its exit status, as in pkcheck(1): 0 yes; 1, 2 and 3 no, or not without asking a person; nil: it was killed.
    ///   - complaint: its error output; empty: none.
    ///   - now: the time.
    /// - Returns: what to do, in this order.
    public mutating func ended(_ id: QuestionID, status: Int32?, complaint: String, now: Now) -> [Action] {
        guard let question = self.questions.removeValue(forKey: id) else { return [] }
        guard self.state != .unused else { return Self.answers(to: question, id, isAllowed: false) }
        if let status, (0...3).contains(status) {
            return self.succeeded() + Self.answers(to: question, id, isAllowed: status == 0)
        }
        if self.state == .answers, question.subject == .applicant {
            let own = self.begin(.hostAfter(id), of: self.hostsUser, now.monotonic)
            return [own.map { .askAboutHost($0) } ?? .answer(id, isAllowed: false)]
        }
        let cause: String
        let remedy: String
        switch (status, question.progress) {
        case (.some, _):
            cause = "pkcheck failed\(complaint.isEmpty ? "" : ": \(complaint)")"
            remedy = Self.remedy(against: complaint)
        case (nil, .killed):
            cause = "pkcheck did not answer within \(Int(Self.answerTimeMax / .seconds(1))) s"
            remedy = "systemctl restart polkit"
        case (nil, .asked):
            cause = "pkcheck was killed"
            remedy = Self.remedy(against: complaint)
        }
        return self.failed(cause, remedy: remedy, now: now) + Self.answers(to: question, id, isAllowed: false)
    }

    /// Records that the process of a question could not be started.
    public mutating func notStarted(_ id: QuestionID, reason: String, now: Now) -> [Action] {
        guard let question = self.questions.removeValue(forKey: id) else { return [] }
        return self.failed(reason, remedy: "apt-get install polkitd", now: now)
            + Self.answers(to: question, id, isAllowed: false)
    }

    /// The answer for each caller that waits for a finished question.
    private static func answers(to question: Question, _ id: QuestionID, isAllowed: Bool) -> [Action] {
        switch question.subject {
        case .applicant: [.answer(id, isAllowed: isAllowed)]
        case .host: []
        // polkit's answer about the host says nothing about the applicant.
        case .hostAfter(let applicant): [.answer(applicant, isAllowed: false)]
        }
    }

    private mutating func succeeded() -> [Action] {
        let before = self.state
        self.state = .answers
        self.retry = nil
        self.backoff.reset()
        return if case .fails = before { [.noteAnswers] } else { [] }
    }

    private mutating func failed(_ cause: String, remedy: String, now: Now) -> [Action] {
        let failure: Failure
        switch self.state {
        case .unused: return []
        case .untried, .answers: failure = Failure(cause: cause, remedy: remedy, since: now.wall)
        case .fails(let before):
            // polkit still fails, perhaps with another message.
            failure = Failure(cause: cause, remedy: remedy, since: before.since, refused: before.refused)
        }
        if self.retry == nil { self.retry = now.monotonic.advanced(by: self.backoff.next()) }
        guard self.state != .fails(failure) else { return [] }
        self.state = .fails(failure)
        return [.noteFailure(failure)]
    }

    /// The remedy for an error message of pkcheck, in the wording of polkit 122 or GLib.
    private static func remedy(against complaint: String) -> String {
        if complaint.contains("not registered") {
            return "install \(Self.action.dropLast(".manage".count)).policy of locationd's package in "
                + "/usr/share/polkit-1/actions"
        }
        if complaint.contains("Could not connect") { return "systemctl start dbus polkit" }
        return "apt-get install polkitd, systemctl start polkit; journalctl -u polkit says more"
    }

    // MARK: Other inputs

    /// Counts an applicant that was refused.
    public mutating func refused() {
        guard case .fails(var failure) = self.state else { return }
        failure.refused += 1
        self.state = .fails(failure)
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> [Action] {
        var actions: [Action] = []
        for (id, question) in self.questions {
            guard case .asked(let until) = question.progress, now >= until else { continue }
            self.questions[id]?.progress = .killed
            actions.append(.kill(id))
        }
        guard let retry = self.retry, now >= retry else { return actions }
        let trial = self.tried(now: now)
        // Retry less and less often; without room for a question, retry later.
        self.retry = trial.isEmpty ? now.advanced(by: self.backoff.next()) : nil
        return actions + trial
    }

    /// Records that the service ends: no further questions are asked, and waiting applicants are refused.
    public mutating func stopped() -> [Action] {
        let asked = self.questions.filter { $0.value.progress != .killed }.map(\.key)
        for id in asked { self.questions[id]?.progress = .killed }
        self.state = .unused
        self.retry = nil
        return asked.map { .kill($0) }
    }
}
