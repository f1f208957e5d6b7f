internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the follower's side of live sharing, as transcripts.
struct WatchingTests {
    /// One line per step, `@seconds input -> what is to be done`.
    ///
    /// `update 1.4 90` is the fourth update of the first run, which announces 90 s of silence at most; `update 1.4 90 other` one of another
    /// following. `signed bySharer` is an end with a signature, `closed time` one without.
    @Test(arguments: [
        // Updates in order, with a gap, and the newest one again on another stream; an older one is reported as a
        // disturbance.
        """
        @1 update 1.0 90 -> place
        @2 update 1.1 90 -> place
        @3 update 1.4 90 -> place(missed 2)
        @4 lost -> -
        @4.4 timer -> watch
        @5 update 1.4 90 -> -
        @6 update 1.3 90 -> disturbed
        @7 update 1.5 90 other -> disturbed
        @8 forged -> disturbed
        @9 update 2.1 90 -> place(missed 1)
        @10 update 1.9 90 -> disturbed
        """,
        // Silence counts as a loss after the announced period, but not as an end for an hour.
        """
        @1 update 1.0 90 -> place
        @90.9 timer -> -
        @91 timer -> silent(90s)
        @200 update 1.1 3600 -> place
        @3000 timer -> -
        @3800 timer -> silent(3600s)
        @7399 timer -> -
        @7400 timer -> post(lost) end(lost)
        @7401 update 1.2 90 -> -
        """,
        // The app was never launched.
        """
        @60 timer -> silent(60s)
        @3660 timer -> post(lost) end(lost)
        """,
        // Each side can end it, as can its time and the server.
        """
        @1 signed bySharer -> end(bySharer)
        """,
        """
        @1 stop -> post(byFollower) end(byFollower)
        """,
        """
        @1 closed revoked -> end(revoked)
        """,
        """
        @1 update 1.0 65535 -> place
        @10804 timer -> -
        @10805 timer -> end(time)
        """,
        """
        @1 hidden -> post(byFollower) end(lost)
        """,
        // Neither side can end it in the other's name.
        """
        @1 signed byFollower sharer -> disturbed
        @2 signed bySharer follower -> disturbed
        @3 signed byFollower -> end(byFollower)
        """,
        // An unreachable server is tried again and again.
        """
        @0 lost -> -
        @0.4 timer -> watch
        @1 lost -> -
        @1.6 timer -> -
        @1.7 timer -> watch
        """,
    ]) func transcript(_ script: String) throws {
        let request = try Self.request()
        var (machine, effects) = Watching.began(request, now: .at(0))
        #expect(effects == [.watch])
        var generator = MiddleGenerator()
        for step in try Step.read(script) {
            effects = machine.handle(try Self.input(step.words), now: step.now.monotonic, using: &generator)
            step.expect(effects.map(Self.text))
        }
    }

    private static func request() throws -> Request {
        try makeRequest(until: after(86_400), followMinutesMax: 180, followMinutes: 180).value
    }

    private static func input(_ words: [Substring]) throws -> Watching.Input {
        let request = try self.request()
        switch words[0] {
        case "update":
            let number = words[1].split(separator: ".").compactMap { UInt32($0) }
            let update = FollowedUpdate(
                number: .init(run: number[0], count: number[1]),
                time: noon,
                silenceMax: UInt16(words[2]) ?? 0,
                place: .unknown("")
            )
            let id = words.count == 3 ? request.id : try makeRequest(9).value.id
            let sealed = SealedUpdate(request: id, sharer: request.grant.value.sharer, sealed: [])
            return .opened(Verified(Signed(value: sealed, signature: [])), update)
        case "signed":
            let reason = try #require(FollowingEnd.Reason.allCases.first { "\($0)" == words[1] })
            let side = words.count == 3 ? words[2] : reason == .byFollower ? "follower" : "sharer"
            let author = side == "follower" ? request.grant.value.requester : request.grant.value.sharer
            let end = FollowingEnd(request: request.id, author: author, time: noon, reason: reason)
            return .ended(Verified(Signed(value: end, signature: [])))
        case "closed": return .closed(try #require(FollowingEnd.Reason.allCases.first { "\($0)" == words[1] }))
        case "forged": return .unreadable(SharingError(.badSignature, "forged"))
        case "lost": return .streamLost
        case "hidden": return .streamRefused("not shown")
        case "stop": return .stopped
        case "timer": return .deadlineReached
        default: throw FixtureError()
        }
    }

    private static func text(_ effect: Watching.Effect) -> String {
        switch effect {
        case .watch: "watch"
        case .tell(let update): self.text(update)
        case .post(let reason): "post(\(reason))"
        case .end(let update): self.text(update)
        }
    }

    private static func text(_ update: FollowUpdate) -> String {
        switch update {
        case .request: "request"
        case .place(_, _, let missed): missed == 0 ? "place" : "place(missed \(missed))"
        case .silent(let time): "silent(\(SharingEngineTests.text(time)))"
        case .disturbed: "disturbed"
        case .ended(let reason, _): "end(\(reason))"
        }
    }
}
