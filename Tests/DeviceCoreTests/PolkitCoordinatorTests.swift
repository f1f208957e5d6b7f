internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsDeviceCore

/// Goal: locationd asks polkit only as often as necessary, answers each applicant exactly once, and retries a failing
/// polkit until it answers.
@Suite struct PolkitCoordinatorTests {
    /// Every state, with the open question that the inputs refer to.
    ///
    /// If there are two, it is the newer one.
    enum Start: CaseIterable {
        case unused, untried, asked, trying, answers, judging, doubting, fails, retrying, late

        /// Each state is reached before second 17: questions from second 0 are killed at second 5, and the pause after
        /// a failure ends at second 16.
        var coordinator: PolkitCoordinator {
            var coordinator = PolkitCoordinator(isUsed: self != .unused, hostsUser: 0)
            switch self {
            case .unused, .untried: break
            case .asked: _ = coordinator.asked(by: 7, now: at(0).monotonic)
            case .trying: _ = coordinator.tried(now: at(0).monotonic)
            case .answers:
                coordinator = Start.trying.coordinator
                _ = coordinator.ended(id(1), status: 0, complaint: "", now: at(1))
            case .judging:
                coordinator = Start.answers.coordinator
                _ = coordinator.asked(by: 7, now: at(1).monotonic)
            case .doubting:
                coordinator = Start.judging.coordinator
                _ = coordinator.ended(id(2), status: 127, complaint: "x", now: at(2))
            case .fails:
                coordinator = Start.trying.coordinator
                _ = coordinator.ended(id(1), status: 127, complaint: "x", now: at(1))
            case .retrying:
                coordinator = Start.fails.coordinator
                _ = coordinator.deadlineReached(now: at(16).monotonic)
            case .late:
                coordinator = Start.asked.coordinator
                _ = coordinator.deadlineReached(now: at(5).monotonic)
            }
            return coordinator
        }

        /// The number of the open question; 9 refers to no question.
        var question: UInt64 {
            switch self {
            case .unused, .untried, .answers, .fails: 9
            case .asked, .trying, .late: 1
            case .judging, .retrying: 2
            case .doubting: 3
            }
        }

        /// The outcomes of the inputs, in the order of ``Input``.
        var row: [String] {
            switch self {
            case .unused:
                [
                    "refuse; unused", "; unused", "; unused", "; unused", "; unused", "; unused", "; unused",
                    "; unused", "; unused", "; unused", "; unused",
                ]
            case .untried:
                [
                    "ask 1; untried", "try 1; untried", "; untried", "; untried", "; untried", "; untried",
                    "; untried", "; untried", "; untried", "; untried", "; unused",
                ]
            case .asked:
                [
                    "ask 2; untried", "try 2; untried", "1 yes; answers", "1 no; answers",
                    "note failure, 1 no; fails", "note failure, 1 no; fails", "note failure, 1 no; fails",
                    "; untried", "kill 1; untried", "; untried", "kill 1; unused",
                ]
            case .trying:
                [
                    "ask 2; untried", "try 2; untried", "; answers", "; answers", "note failure; fails",
                    "note failure; fails", "note failure; fails", "; untried", "kill 1; untried", "; untried",
                    "kill 1; unused",
                ]
            case .answers:
                [
                    "ask 2; answers", "try 2; answers", "; answers", "; answers", "; answers", "; answers",
                    "; answers", "; answers", "; answers", "; answers", "; unused",
                ]
            case .judging:
                [
                    "ask 3; answers", "try 3; answers", "2 yes; answers", "2 no; answers", "try 3; answers",
                    "try 3; answers", "note failure, 2 no; fails", "; answers", "kill 2; answers", "; answers",
                    "kill 2; unused",
                ]
            case .doubting:
                [
                    "ask 4; answers", "try 4; answers", "2 no; answers", "2 no; answers", "note failure, 2 no; fails",
                    "note failure, 2 no; fails", "note failure, 2 no; fails", "; answers", "kill 3; answers",
                    "; answers", "kill 3; unused",
                ]
            case .fails:
                [
                    "ask 2; fails", "try 2; fails", "; fails", "; fails", "; fails", "; fails", "; fails", "; fails",
                    "try 2; fails", "; fails, refused 1", "; unused",
                ]
            case .retrying:
                [
                    "ask 3; fails", "try 3; fails", "note answers; answers", "note answers; answers", "; fails",
                    "note failure; fails", "note failure; fails", "; fails", "kill 2; fails", "; fails, refused 1",
                    "kill 2; unused",
                ]
            case .late:
                [
                    "ask 2; untried", "try 2; untried", "1 yes; answers", "1 no; answers",
                    "note failure, 1 no; fails", "note failure, 1 no; fails", "note failure, 1 no; fails",
                    "; untried", "; untried", "; untried", "; unused",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case asked, tried, yes, no, failed, killed, notStarted, early, due, refused, stopped

        func apply(to coordinator: inout PolkitCoordinator, _ question: PolkitCoordinator.QuestionID) -> [String] {
            switch self {
            case .asked:
                switch coordinator.asked(by: 7, now: at(17).monotonic) {
                case .ask(let id): return ["ask \(id.rawValue)"]
                case .refuse: return ["refuse"]
                }
            case .tried: return words(coordinator.tried(now: at(17).monotonic))
            case .yes: return words(coordinator.ended(question, status: 0, complaint: "", now: at(17)))
            case .no: return words(coordinator.ended(question, status: 1, complaint: "", now: at(17)))
            case .failed: return words(coordinator.ended(question, status: 127, complaint: "x", now: at(17)))
            case .killed: return words(coordinator.ended(question, status: nil, complaint: "", now: at(17)))
            case .notStarted: return words(coordinator.notStarted(question, reason: "no pkcheck", now: at(17)))
            case .early: return words(coordinator.deadlineReached(now: at(4).monotonic))
            case .due: return words(coordinator.deadlineReached(now: at(30).monotonic))
            case .refused:
                coordinator.refused()
                return []
            case .stopped: return words(coordinator.stopped())
            }
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var coordinator = start.coordinator
        let said = input.apply(to: &coordinator, id(start.question)).joined(separator: ", ")
        #expect("\(said); \(word(coordinator.state))" == start.row[input.rawValue])
        // The host's timer never fires repeatedly: work for an instant is done at that instant.
        if case .due = input { #expect(coordinator.deadline.map { $0 > at(30).monotonic } ?? true) }
    }

    @Test func aUserHasFourQuestionsAndAllHaveSixteen() {
        var coordinator = PolkitCoordinator(isUsed: true, hostsUser: 0)
        let now = at(0).monotonic
        let first = (0..<5).map { _ in coordinator.asked(by: 1, now: now) }
        #expect(first.filter { $0 == .refuse }.count == 1 && first.last == .refuse)
        let others = (0..<12).map { coordinator.asked(by: 2 + UInt32($0) / 4, now: now) }
        #expect(!others.contains(.refuse))
        #expect(coordinator.asked(by: 9, now: now) == .refuse)
        _ = coordinator.ended(id(1), status: 1, complaint: "", now: at(1))
        #expect(coordinator.asked(by: 9, now: now) != .refuse)
    }

    /// Goal: an applicant who must be refused is refused, even if there is no room for a question.
    @Test func withoutRoomForADoubtTheApplicantIsRefused() {
        var coordinator = PolkitCoordinatorTests.Start.judging.coordinator
        for _ in 0..<4 { _ = coordinator.tried(now: at(1).monotonic) }
        #expect(words(coordinator.ended(id(2), status: 127, complaint: "", now: at(2))) == ["2 no"])
        #expect(coordinator.state == .answers)
    }

    @Test func aPolkitThatFailsIsTriedLessAndLessOften() {
        var coordinator = Start.fails.coordinator
        var pauses: [Double] = []
        var last = 1.0
        for number in UInt64(2)...8 {
            guard let due = coordinator.deadline else { break }
            let second = due.sinceStart / .seconds(1)
            pauses.append(second - last)
            last = second
            #expect(words(coordinator.deadlineReached(now: due)) == ["try \(number)"])
            #expect(words(coordinator.ended(id(number), status: 127, complaint: "x", now: at(second))) == [])
        }
        #expect(pauses == [15, 30, 60, 120, 240, 300, 300])
        // polkit answers once. From then on, the state is as if polkit had never failed.
        _ = coordinator.tried(now: at(last).monotonic)
        #expect(words(coordinator.ended(id(9), status: 0, complaint: "", now: at(last))) == ["note answers"])
        #expect(coordinator.deadline == nil)
        _ = coordinator.tried(now: at(last).monotonic)
        _ = coordinator.ended(id(10), status: 127, complaint: "", now: at(last))
        #expect(coordinator.deadline == at(last + 15).monotonic)
    }

    /// Goal: while all questions are in use, the retry of a failing polkit is postponed, and the timer does not fire
    /// repeatedly.
    @Test func withoutRoomForAnAttemptItIsPutOff() {
        var coordinator = Start.fails.coordinator
        for number in 0..<16 { _ = coordinator.asked(by: 1 + UInt32(number) / 4, now: at(14).monotonic) }
        #expect(coordinator.deadlineReached(now: at(16).monotonic).isEmpty)
        #expect(coordinator.deadline == at(19).monotonic)
        #expect(coordinator.deadlineReached(now: at(19).monotonic).count == 16)
        #expect(coordinator.deadline == at(46).monotonic)
    }

    @Test(arguments: [
        (127, "Error: GDBus.Error: Action org.x is not registered", "org.whereabouts.location1.policy of"),
        (127, "Error getting authority: Could not connect: No such file", "systemctl start dbus polkit"),
        (127, "", "apt-get install polkitd"), (nil, "", "apt-get install polkitd"),
    ])
    func aFailureHasARemedy(_ status: Int32?, _ complaint: String, _ remedy: String) {
        var coordinator = Start.trying.coordinator
        _ = coordinator.ended(id(1), status: status, complaint: complaint, now: at(1))
        guard case .fails(let failure) = coordinator.state else { return #expect(Bool(false), "it fails") }
        #expect(failure.remedy.contains(remedy))
        #expect(failure.cause == (status == nil ? "pkcheck was killed" : failure.cause))
    }

    @Test func silenceIsAReasonOfItsOwn() {
        var coordinator = Start.late.coordinator
        _ = coordinator.ended(id(1), status: nil, complaint: "", now: at(6))
        let failure = PolkitCoordinator.Failure(
            cause: "pkcheck did not answer within 5 s",
            remedy: "systemctl restart polkit",
            since: at(6).wall
        )
        #expect(coordinator.state == .fails(failure))
    }

    /// Goal: people see how long polkit fails and who was refused, although the error text changes.
    @Test func theTroubleIsOne() {
        var coordinator = Start.fails.coordinator
        coordinator.refused()
        _ = coordinator.asked(by: 7, now: at(9).monotonic)
        _ = coordinator.notStarted(id(2), reason: "no pkcheck", now: at(9))
        let failure = PolkitCoordinator.Failure(
            cause: "no pkcheck",
            remedy: "apt-get install polkitd",
            since: at(1).wall,
            refused: 1
        )
        #expect(coordinator.state == .fails(failure))
    }

    /// Goal: at shutdown, waiting applicants are refused, and this is not reported as a polkit failure.
    @Test func theEndOfTheServiceIsNoFailure() {
        var coordinator = Start.judging.coordinator
        _ = coordinator.stopped()
        #expect(words(coordinator.ended(id(2), status: nil, complaint: "", now: at(3))) == ["2 no"])
        #expect(coordinator.deadline == nil && coordinator.state == .unused)
    }
}

private func at(_ seconds: Double) -> Now {
    Now(monotonic: EngineInstant(sinceStart: .seconds(seconds)), wall: WallTime(microseconds: Int64(seconds * 1e6)))
}

private func id(_ number: UInt64) -> PolkitCoordinator.QuestionID { PolkitCoordinator.QuestionID(rawValue: number) }

private func word(_ state: PolkitCoordinator.State) -> String {
    switch state {
    case .unused: "unused"
    case .untried: "untried"
    case .answers: "answers"
    case .fails(let failure): failure.refused == 0 ? "fails" : "fails, refused \(failure.refused)"
    }
}

private func words(_ actions: [PolkitCoordinator.Action]) -> [String] {
    actions.map { action in
        switch action {
        case .askAboutHost(let id): "try \(id.rawValue)"
        case .kill(let id): "kill \(id.rawValue)"
        case .answer(let id, let isAllowed): "\(id.rawValue) \(isAllowed ? "yes" : "no")"
        case .noteAnswers: "note answers"
        case .noteFailure: "note failure"
        }
    }
}
