internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for a requester's program, as transcripts and as a matrix of every state with every input.
struct AskingTests {
    /// One line per step, `@seconds input -> what is to be done`.
    ///
    /// `told KIND` is a state from the stream, `told answered sealed` one with an answer, `fail` a post without a reply, `hidden` a
    /// stream that the server does not show, `opened other` an answer to somebody else's request.
    @Test(arguments: [
        // From the request to the opened answer; nothing happens after the end.
        """
        @0 ask 60 -> post(5s)
        @1 accepted -> follow
        @1.1 told accepted -> tell(accepted)
        @1.2 told pushed -> tell(pushed)
        @1.3 told woken -> tell(woken)
        @2 told answered sealed -> open
        @2 opened fix -> end(answered)
        @3 lost -> -
        @60 timer -> -
        """,
        // A state that a new stream repeats is shown once; pauses grow until there is a new state.
        """
        @0 ask 60 -> post(5s)
        @1 accepted -> follow
        @2 told accepted -> tell(accepted)
        @3 lost -> -
        @3.3 timer -> -
        @3.4 timer -> follow
        @3.5 told accepted -> -
        @3.6 told pushed -> tell(pushed)
        @4 lost -> -
        @4.4 timer -> follow
        @5 lost -> -
        @5.6 timer -> -
        @5.7 timer -> follow
        @6 told unreachable -> end(unreachable)
        """,
        // The post is repeated, also for a busy server, until its time limit.
        """
        @0 ask 60 -> post(5s)
        @0.1 fail -> explain(no reply)
        @0.5 timer -> post(5s)
        @0.6 busy -> explain(full)
        @1.3 timer -> post(5s)
        @9.9 fail -> end(failed)
        """,
        // The request's deadline has priority over the post's time limit.
        """
        @0 ask 5 -> post(5s)
        @0.1 fail -> explain(no reply)
        @0.5 timer -> post(4.5s)
        @4.9 timer -> -
        @5 timer -> end(expired)
        """,
        // A server that stays unreachable costs the time up to the deadline, and ends in one final state.
        """
        @0 ask 3 -> post(3s)
        @1 accepted -> follow
        @1.1 lost -> -
        @1.5 timer -> follow
        @1.6 lost -> -
        @2.3 timer -> follow
        @2.4 lost -> -
        @3 timer -> end(expired)
        """,
        // Only the requester can see a refusal inside the answer.
        """
        @0 ask 60 -> post(5s)
        @1 accepted -> follow
        @2 told answered sealed -> open
        @2 opened refusal -> end(refused)
        """,
    ]) func transcript(_ script: String) throws {
        var (machine, generator) = (Asking?.none, MiddleGenerator())
        for step in try Step.read(script) {
            let effects: [Asking.Effect]
            if step.words[0] == "ask" {
                let patience = Duration.seconds(try #require(Int(step.words[1])))
                let began = try Self.began(patience: patience, now: step.now)
                machine = began.machine
                effects = began.effects
            } else {
                let input = try Self.input(step.words)
                effects = try #require(machine?.handle(input, now: step.now, using: &generator))
            }
            step.expect(effects.map(Self.text))
        }
    }

    private static func began(
        patience: Duration = .seconds(60),
        now: Now = .at(0)
    ) throws -> (machine: Asking, effects: [Asking.Effect]) {
        Asking.began(try makeRequest().value, server: "https://a", patience: patience, now: now.monotonic)
    }

    private static func input(_ words: [Substring]) throws -> Asking.Input {
        switch words[0] {
        case "accepted": return .replied(.accepted)
        case "refused": return .replied(.refused("no", serverTime: nil))
        case "toosoon": return .replied(.tooSoon("later", until: after(99)))
        case "busy": return .replied(.busy("full"))
        case "rejected": return .replied(.rejected("what?"))
        case "fail": return .attemptFailed("no reply")
        case "told":
            let kind = try #require(RequestState.Kind(rawValue: String(words[1])))
            return .told(RequestState(kind, at: noon, reason: "so"), answer: words.count > 2 ? [1] : nil)
        case "lost": return .streamLost
        case "hidden": return .streamRefused("who?")
        case "opened": return try self.opened(words[1])
        case "unreadable": return .unreadable(SharingError(.cannotOpen, "torn"))
        case "timer": return .deadlineReached
        default: throw FixtureError()
        }
    }

    private static func opened(_ what: Substring) throws -> Asking.Input {
        let request = try makeRequest(what == "other" ? 9 : 2).value
        let sealed = SealedAnswer(request: request.id, sharer: try identity(3), sealed: [])
        let content: Answer.Content =
            switch what {
            case "refusal": .refusal(.notConsented)
            case "unavailable": .unavailable("no sky")
            default: .fix(try SharedFix(latitude: 1, longitude: 2, horizontalAccuracy: 3, time: noon))
            }
        let timings = DeviceTimings(started: .zero, fix: .zero, sealed: .zero)
        return .opened(Verified(Signed(value: sealed, signature: [])), Answer(content: content, timings: timings))
    }

    private static func text(_ effect: Asking.Effect) -> String {
        switch effect {
        case .post(let timeout): "post(\(SharingEngineTests.text(timeout)))"
        case .follow: "follow"
        case .open: "open"
        case .explain(let why): "explain(\(why))"
        case .tell(let update): "tell(\(update.state.kind))"
        case .end(let update): "end(\(update.state.kind))"
        }
    }

    // MARK: The matrix

    enum Start: CaseIterable {
        case posting, pausing, following, apart, opening, ended

        /// The machine, one second after its start.
        func machine() throws -> Asking {
            var (machine, _) = try AskingTests.began()
            var generator = MiddleGenerator()
            let script: [[Substring]] =
                switch self {
                case .posting: []
                case .pausing: [["fail"]]
                case .following: [["accepted"], ["told", "accepted"]]
                case .apart: [["accepted"], ["told", "accepted"], ["lost"]]
                case .opening: [["accepted"], ["told", "answered", "sealed"]]
                case .ended: [["refused"]]
                }
            for words in script { _ = machine.handle(try AskingTests.input(words), now: .at(1), using: &generator) }
            return machine
        }
    }

    enum Input: String, CaseIterable {
        case accepted, refused, toosoon, busy, rejected, fail, lost, hidden, unreadable
        case toldKnown = "told accepted"
        case toldNew = "told locating"
        case toldFinal = "told failed"
        case toldAnswered = "told answered sealed"
        case toldWithout = "told answered"
        case openedFix = "opened fix"
        case openedOther = "opened other"
        case openedUnavailable = "opened unavailable"
        case early = "timer 1.1"
        case pause = "timer 1.5"
        case deadline = "timer 60"
    }

    private static func expected(_ start: Start, _ input: Input) -> String {
        switch (start, input) {
        case (.ended, _): "-"
        case (_, .deadline): "end(expired)"
        case (_, .early): "-"
        case (.posting, .accepted): "follow"
        case (.posting, .refused): "end(refused)"
        case (.posting, .toosoon): "end(tooSoon)"
        case (.posting, .rejected): "end(failed)"
        case (.posting, .busy): "explain(full)"
        case (.posting, .fail): "explain(no reply)"
        case (.pausing, .pause): "post(5s)"
        case (.apart, .pause): "follow"
        case (.following, .toldNew): "tell(locating)"
        case (.following, .toldFinal), (.following, .toldWithout), (.following, .hidden): "end(failed)"
        case (.following, .toldAnswered): "open"
        case (.opening, .openedFix): "end(answered)"
        case (.opening, .openedOther), (.opening, .openedUnavailable), (.opening, .unreadable): "end(failed)"
        case (.posting, _), (.pausing, _), (.following, _), (.apart, _), (.opening, _): "-"
        }
    }

    @Test(arguments: Start.allCases, Input.allCases) func matrix(start: Start, input: Input) throws {
        let before = try start.machine()
        var (machine, generator) = (before, MiddleGenerator())
        let words = input.rawValue.split(separator: " ")
        let now = words[0] == "timer" ? Now.at(try #require(Double(words[1]))) : .at(1.1)
        let effects = machine.handle(try Self.input(words), now: now, using: &generator)
        #expect((effects.isEmpty ? "-" : effects.map(Self.text).joined(separator: " ")) == Self.expected(start, input))
        // Every state but the last has a deadline, and the last one never changes.
        #expect((machine.deadline == nil) == (machine.state == .ended))
        if start == .ended { #expect(machine == before) }
        for case .end(let update) in effects {
            #expect(update.state.kind.isFinal && machine.state == .ended && effects.count == 1)
            #expect(update.elapsed == EngineInstant(sinceStart: .zero).duration(to: now.monotonic))
        }
    }

    /// Goal: time alone leads every state to exactly one end.
    ///
    /// Method: the timer fires at each deadline, and no post and no stream ever succeeds.
    @Test(arguments: Start.allCases) func deadlinesLeadToTheEnd(start: Start) throws {
        var (machine, generator, ends, rounds) = (try start.machine(), MiddleGenerator(), 0, 0)
        while let deadline = machine.deadline {
            let now = Now(monotonic: deadline, wall: noon)
            var effects = machine.handle(.deadlineReached, now: now, using: &generator)
            effects += machine.handle(.attemptFailed("no"), now: now, using: &generator)
            effects += machine.handle(.streamLost, now: now, using: &generator)
            for case .end in effects { ends += 1 }
            rounds += 1
            try #require(rounds < 100)
        }
        #expect(ends == (start == .ended ? 0 : 1))
    }

    /// Goal: the server gives the same reply for all refusals, and a requester with the grant can still derive the
    /// reason.
    @Test(
        arguments: [
            (Precision.reduced, 0, 0, "The grant allows only reduced precision; ask for that."),
            (.full, 3600, 3600, "The grant has expired; ask for a new one."),
            (.full, 200, 0, "Your clock is 200 s ahead of the server's; set it, and ask again."),
            (.full, 0, 200, "Your clock is 200 s behind the server's; set it, and ask again."),
            (.full, 60, 0, "no"),
            // A reply is dated in whole seconds, and its date may be a second old.
            (.full, 0, -1, "no"),
            (.full, 0, nil, "no"),
        ] as [(Precision, Int, Int?, String)]
    )
    func refusalIsExplainedAsFarAsOneCanKnow(granted: Precision, now: Int, server: Int?, why: String) throws {
        let request = try makeRequest(granted: granted, expires: after(90_000)).value
        let policy = SharingPolicy(lifetimeMax: .seconds(90_000))
        var (machine, _) = Asking.began(
            request,
            server: "https://a",
            patience: .seconds(9000),
            policy: policy,
            now: Now.at(Double(now)).monotonic
        )
        var generator = MiddleGenerator()
        let reply = Asking.Reply.refused("no", serverTime: server.map { after($0) })
        let effects = machine.handle(.replied(reply), now: .at(Double(now)), using: &generator)
        guard case .end(let update)? = effects.first else { throw FixtureError() }
        #expect(update.state.kind == .refused && update.state.reason == why)
        #expect(update.state.rule == Refusal.allCases.first { $0.reason == why })
    }

    /// Goal: a program can distinguish a missing device from a permission that has ended.
    @Test func theServersRuleIsTheCode() throws {
        var (machine, _) = try Self.began()
        var generator = MiddleGenerator()
        let reply = Asking.Reply.refused("no", rule: .unknownDevice, serverTime: nil)
        guard case .end(let update)? = machine.handle(.replied(reply), now: .at(0), using: &generator).first else {
            throw FixtureError()
        }
        #expect(update.state.kind == .refused && update.state.code == "unknownDevice")
    }

    /// Goal: a requester's program says when the grant allows requests, since the server gives the same reply for all
    /// refusals.
    @Test func theGrantItselfSaysWhenItsHoursBegin() throws {
        // Noon of the tests is eight o'clock, UTC.
        let hours = try hoursInUTC(420, 470)
        var (machine, _) = Asking.began(
            try makeRequest(hours: hours).value,
            server: "https://a",
            patience: .seconds(60),
            now: Now.at(0).monotonic
        )
        var generator = MiddleGenerator()
        let effects = machine.handle(.replied(.refused("no", serverTime: noon)), now: .at(0), using: &generator)
        let tomorrow = RequestState(.tooSoon, at: after(23 * 3600), rule: .outsideHours)
        #expect(effects == [.end(RequestUpdate(state: tomorrow, elapsed: .zero))])
    }

    @Test func theEndSaysWhenAndWhy() throws {
        var (machine, _) = try Self.began()
        var generator = MiddleGenerator()
        let effects = machine.handle(try Self.input(["toosoon"]), now: .at(2), using: &generator)
        let state = RequestState(.tooSoon, at: after(99), reason: "later")
        #expect(effects == [.end(RequestUpdate(state: state, elapsed: .seconds(2)))])
        (machine, _) = try Self.began(patience: .seconds(5))
        let expired = machine.handle(.deadlineReached, now: .at(5), using: &generator)
        guard case .end(let update)? = expired.first else { throw FixtureError() }
        #expect(update.state.reason == "No final state came from https://a within 5.0 seconds.")
    }

    /// Goal: the same time and random values make the same request, byte for byte.
    @Test func requestsAreReplayable() throws {
        let grant = try makeRequest().value.grant
        func make() -> Request {
            var generator = MiddleGenerator()
            return Request(
                under: grant,
                precision: .reduced,
                suite: .xWing,
                publicKey: [7],
                using: &generator,
                now: noon
            )
        }
        #expect(make() == make())
        #expect(make().issued == noon && make().expires == after(120))
    }
}
