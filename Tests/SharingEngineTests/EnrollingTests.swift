internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for an app's registration with its server, as transcripts and as a matrix of every state with every input.
struct EnrollingTests {
    /// One line per step, `@seconds input -> what is to be done`; `tell(7)` tells the token 7, `tell()` that sharing is paused.
    @Test(arguments: [
        // The app asked, was allowed, and registers. The same permission is sent again, since the token may have
        // changed.
        """
        @0 undecided -> show(undecided)
        @5 allowed -> fetch
        @6 token -> tell(7)
        @7 heard -> show(shared)
        @90 allowed -> fetch
        @91 token -> tell(7)
        @92 heard -> -
        """,
        // A server that was unreachable for minutes gets the registration when it is back, and the person sees the real
        // state.
        """
        @0 allowed -> fetch
        @0 token -> tell(7)
        @10 fail -> show(failing)
        @10.9 timer -> -
        @12 timer -> fetch
        @12 token -> tell(7)
        @22 fail -> -
        @30 timer -> fetch
        @30 token -> tell(7)
        @31 heard -> show(shared)
        """,
        // The same holds if the push service is unreachable at the first start.
        """
        @0 allowed -> fetch
        @30 fail -> show(failing)
        @40 timer -> fetch
        @41 token -> tell(7)
        @42 heard -> show(shared)
        """,
        // A pause that the server did not receive is sent again.
        """
        @0 denied -> tell()
        @10 fail -> show(failing)
        @20 timer -> tell()
        @21 heard -> show(paused)
        """,
        // Always is allowed again: sharing continues at once, even if the last exchange failed.
        """
        @0 denied -> tell()
        @10 fail -> show(failing)
        @10.1 allowed -> fetch
        @10.2 token -> tell(7)
        @10.3 heard -> show(shared)
        """,
        // The person changes the decision during an exchange: the server finally receives the latest one.
        """
        @0 allowed -> fetch
        @1 token -> tell(7)
        @2 denied -> -
        @3 heard -> tell()
        @4 heard -> show(paused)
        """,
        """
        @0 allowed -> fetch
        @1 denied -> -
        @2 token -> tell()
        @3 allowed -> -
        @4 fail -> fetch
        @5 token -> tell(7)
        @6 heard -> show(shared)
        """,
        // While the app must be opened once, the device refuses pushes, so it tells the server that sharing is paused.
        """
        @0 allowed -> fetch
        @1 token -> tell(7)
        @2 heard -> show(shared)
        @3 notinuse -> show(notInUse) tell()
        @4 heard -> -
        @5 allowed -> fetch
        @6 token -> tell(7)
        @7 heard -> show(shared)
        """,
        // The person sees the next step, even if the server was notified late.
        """
        @0 notinuse -> show(notInUse) tell()
        @10 fail -> show(failing)
        @20 timer -> tell()
        @21 heard -> show(notInUse)
        @22 denied -> tell()
        @23 heard -> show(paused)
        """,
        // A server whose database was restored receives the current token within 15 minutes.
        """
        @0 allowed -> fetch
        @1 token -> tell(7)
        @2 heard -> show(shared)
        @901 timer -> -
        @902 timer -> fetch
        @903 token -> tell(7)
        @904 heard -> -
        @1804 timer -> fetch
        """,
        """
        @0 denied -> tell()
        @1 heard -> show(paused)
        @901 timer -> tell()
        """,
    ]) func transcript(_ script: String) throws {
        var (machine, generator) = (Enrolling(), MiddleGenerator())
        for step in try Step.read(script) {
            let input = try Self.input(step.words[0])
            step.expect(machine.handle(input, now: step.now.monotonic, using: &generator).map(Self.text))
        }
    }

    /// Goal: an app whose server is gone for good continues, and tries less and less often.
    @Test func pausesGrowAndNeverEnd() throws {
        var (machine, generator, now) = (Enrolling(), MiddleGenerator(), Now.at(0).monotonic)
        _ = machine.handle(.permission(.allowed), now: now, using: &generator)
        var pauses: [Duration] = []
        for _ in 0..<40 {
            _ = machine.handle(.failed(SharingError(.network, "gone")), now: now, using: &generator)
            let deadline = try #require(machine.deadline)
            pauses.append(now.duration(to: deadline))
            now = deadline
            #expect(machine.handle(.deadlineReached, now: now, using: &generator) == [.fetchToken])
        }
        #expect(pauses == pauses.sorted())
        #expect(pauses.allSatisfy { $0 >= Enrolling.pauseMin && $0 <= Enrolling.pauseMax })
        #expect(pauses.last == Enrolling.pauseMax)
    }

    private static func input(_ word: Substring) throws -> Enrolling.Input {
        switch word {
        case "undecided": .permission(.undecided)
        case "notinuse": .permission(.notInUse)
        case "denied": .permission(.denied)
        case "allowed": .permission(.allowed)
        case "token": .token([7])
        case "heard": .heard
        case "fail": .failed(SharingError(.network, "gone"))
        case "timer": .deadlineReached
        default: throw FixtureError()
        }
    }

    private static func text(_ effect: Enrolling.Effect) -> String {
        switch effect {
        case .fetchToken: "fetch"
        case .tell(let token): token.isEmpty ? "tell()" : "tell(\(token[0]))"
        case .show(.failing): "show(failing)"
        case .show(let status): "show(\(status))"
        }
    }

    // MARK: The matrix

    enum Start: CaseIterable {
        case quiet, fetching, telling, waiting, told

        func machine() throws -> Enrolling {
            var (machine, generator) = (Enrolling(), MiddleGenerator())
            let script: [Substring] =
                switch self {
                case .quiet: []
                case .fetching: ["allowed"]
                case .telling: ["allowed", "token"]
                case .waiting: ["allowed", "token", "fail"]
                case .told: ["allowed", "token", "heard"]
                }
            for word in script {
                let input = try EnrollingTests.input(word)
                _ = machine.handle(input, now: Now.at(0).monotonic, using: &generator)
            }
            return machine
        }
    }

    enum Input: String, CaseIterable {
        case undecided, notinuse, denied, allowed, token, heard, fail, timer
    }

    private static func expected(_ start: Start, _ input: Input) -> String {
        switch (start, input) {
        case (_, .undecided): "show(undecided)"
        case (.fetching, .notinuse), (.telling, .notinuse): "show(notInUse)"
        case (_, .notinuse): "show(notInUse) tell()"
        case (.quiet, .denied), (.waiting, .denied), (.told, .denied): "tell()"
        case (.quiet, .allowed), (.waiting, .allowed), (.told, .allowed), (.waiting, .timer): "fetch"
        case (.fetching, .token): "tell(7)"
        case (.telling, .heard): "show(shared)"
        case (.fetching, .fail), (.telling, .fail): "show(failing)"
        case (.quiet, _), (.fetching, _), (.telling, _), (.waiting, _), (.told, _): "-"
        }
    }

    @Test(arguments: Start.allCases, Input.allCases) func matrix(start: Start, input: Input) throws {
        var (machine, generator) = (try start.machine(), MiddleGenerator())
        let words = try Self.input(Substring(input.rawValue))
        let effects = machine.handle(words, now: Now.at(9).monotonic, using: &generator)
        #expect((effects.isEmpty ? "-" : effects.map(Self.text).joined(separator: " ")) == Self.expected(start, input))
    }
}
