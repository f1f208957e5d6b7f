internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct DeviceSideTests {
    // MARK: The matrix.

    /// Every state, and how to reach it by public calls.
    enum Start: String, CaseIterable {
        case idle
        case connecting
        case proving
        case open
        case asking
        case waiting
        case stopped
    }

    /// An input, at the earliest time at which it can arrive.
    enum Happening: String, CaseIterable {
        case start
        case challenge
        case noChallenge
        case welcome
        case token
        case gone
        case push
        case pong
        case goAway
        case unknown
        case ended
        case early
        case due
        case stop
    }

    /// The state after each input, by its first letter; `-` if nothing happens.
    static let table = """
                    start challenge noChallenge welcome token gone push pong goAway unknown ended early due stop
        idle        c     -         -           -       -     -    -    -    -      -       -     -     -   s
        connecting  -     p         w           w       w     w    w    w    w      -       w     -     w   s
        proving     -     w         w           o       w     w    w    w    w      -       w     -     w   s
        open        -     w         w           -       o     o    o    -    w      -       w     -     a   s
        asking      -     w         w           o       o     o    o    o    w      o       w     -     w   s
        waiting     -     -         -           -       -     -    -    -    -      -       -     -     c   s
        stopped     -     -         -           -       -     -    -    -    -      -       -     -     -   -
        """

    static func side(in start: Start) throws -> DeviceSide {
        var side = DeviceSide()
        let steps: [DeviceSide.Input] =
            switch start {
            case .idle: []
            case .connecting: [.started]
            case .proving: [.started, .received(.challenge(nonce: LinkWords.nonce))]
            case .open, .asking:
                [
                    .started, .received(.challenge(nonce: LinkWords.nonce)),
                    .received(.welcome(keepalive: .seconds(210))),
                ]
            case .waiting: [.started, .connectionEnded(reason: "")]
            case .stopped: [.started, .stopped]
            }
        var generator = Longest()
        for step in steps { _ = side.handle(step, now: try LinkWords.instant("@0"), using: &generator) }
        if start == .asking {
            _ = side.handle(.deadlineReached, now: try #require(side.deadline), using: &generator)
        }
        return side
    }

    static func letter(_ side: DeviceSide) -> String {
        switch side.state {
        case .idle: "i"
        case .connecting: "c"
        case .proving: "p"
        // The next ping is sent in 210 s; the answer to the last one is expected within 10 s.
        case .open(let since, let keepalive):
            since.duration(to: keepalive.deadline).components.seconds % 210 == 0 ? "o" : "a"
        case .waiting: "w"
        case .stopped: "s"
        }
    }

    static func input(_ happening: Happening) throws -> DeviceSide.Input {
        switch happening {
        case .start: .started
        case .challenge: .received(.challenge(nonce: LinkWords.nonce))
        case .noChallenge: .received(.challenge(nonce: LinkWords.nonce.dropLast()))
        case .welcome: .received(.welcome(keepalive: .seconds(210)))
        case .token: .received(.registered(topic: "a", token: try LinkWords.token("a")))
        case .gone: .received(.unregistered(topic: "a"))
        case .push: .received(.push(try LinkWords.push("1")))
        case .pong: .received(.pong(1))
        case .goAway: .received(.goAway(reason: "why"))
        case .unknown: .received(nil)
        case .ended: .connectionEnded(reason: "why")
        case .early, .due: .deadlineReached
        case .stop: .stopped
        }
    }

    @Test func everyInputInEveryState() throws {
        var rows = [Happening.allCases.map(\.rawValue)]
        for start in Start.allCases {
            var row = [start.rawValue]
            for happening in Happening.allCases {
                var side = try Self.side(in: start)
                let before = side
                let due = try side.deadline ?? LinkWords.instant("@1000")
                let now = happening == .due ? due : EngineInstant(sinceStart: due.sinceStart - .milliseconds(1))
                var generator = Longest()
                let effects = side.handle(try Self.input(happening), now: now, using: &generator)
                row.append(side == before && effects.isEmpty ? "-" : Self.letter(side))
            }
            rows.append(row)
        }
        #expect(rows == Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) })
    }

    // MARK: Transcripts.

    /// One line per step, `@seconds input -> effects | the next deadline`; every wait is the longest that can be drawn.
    @Test(arguments: [
        // The device sends all its wishes after it has proven its key, and then the changes.
        """
        @0 register b -> - | never
        @0 register a -> - | never
        @0 topics a b -> - | never
        @0 start -> connect | 10
        @1 challenge -> sign | 10
        @2 unregister b -> - | 10
        @2 welcome 210 -> register(a) unregister(b) topics(a b) connected | 212
        @3 token a -> token(a) | 212
        @3 gone b -> gone(b) | 212
        @4 topics a b -> - | 212
        @4 topics a -> topics(a) | 212
        @5 push 1 -> push(1) | 212
        @6 saved 1 -> ack(1) | 212
        @7 register c -> register(c) | 212
        @8 unregister c -> unregister(c) | 212
        @9 end -> disconnect lost(1.5) disconnected(why) | 10.5
        @10 unregister a -> - | 10.5
        @10 saved 1 -> - | 10.5
        @10.5 due -> connect | 20.5
        @11 challenge -> sign | 20.5
        @11 welcome 210 -> unregister(a) unregister(c) topics(a) connected | 221
        @12 register a -> register(a) | 221
        @13 end -> disconnect lost(4.5) disconnected(why) | 17.5
        @17.5 due -> connect | 27.5
        @18 challenge -> sign | 27.5
        @18 welcome 210 -> unregister(a) register(a) unregister(c) topics(a) connected | 228
        @19 gone a -> gone(a) | 228
        @19 gone c -> gone(c) | 228
        @20 end -> disconnect lost(13.5) disconnected(why) | 33.5
        @33.5 due -> connect | 43.5
        @34 challenge -> sign | 43.5
        @34 welcome 210 -> register(a) topics(a) connected | 244
        """,
        // Pauses grow up to a limit; only a link that lasted longer than the limit resets them.
        """
        @0 start -> connect | 10
        @10 due -> disconnect lost(1.5) disconnected(no welcome within 10.0 seconds) | 11.5
        @11 due -> - | 11.5
        @11.5 due -> connect | 21.5
        @12 end -> disconnect lost(4.5) disconnected(why) | 16.5
        @12 end -> - | 16.5
        @16.5 due -> connect | 26.5
        @17 challenge -> sign | 26.5
        @26.5 due -> disconnect lost(13.5) disconnected(no welcome within 10.0 seconds) | 40
        @40 due -> connect | 50
        @41 goaway too busy -> disconnect lost(30) disconnected(the gateway ended the link: too busy) | 71
        @71 due -> connect | 81
        @72 challenge -> sign | 81
        @72 welcome 210 -> topics() connected | 282
        @102 end -> disconnect lost(30) disconnected(why) | 132
        @132 due -> connect | 142
        @133 challenge -> sign | 142
        @133 welcome 210 -> topics() connected | 343
        @163.1 end -> disconnect lost(1.5) disconnected(why) | 164.6
        """,
        // After a link that lasted, the gateway is probably restarting: for ten seconds, no pause is longer than two.
        """
        @0 start -> connect | 10
        @1 challenge -> sign | 10
        @1 welcome 210 -> topics() connected | 211
        @32 end -> disconnect lost(1.5) disconnected(why) | 33.5
        @33.5 due -> connect | 43.5
        @33.6 end -> disconnect lost(2) disconnected(why) | 35.6
        @35.6 due -> connect | 45.6
        @41.9 end -> disconnect lost(2) disconnected(why) | 43.9
        @43.9 due -> connect | 53.9
        @44 end -> disconnect lost(1.5) disconnected(why) | 45.5
        @45.5 due -> connect | 55.5
        @46 end -> disconnect lost(4.5) disconnected(why) | 50.5
        """,
        // An operator may restart two or three times; a gateway that keeps closing its links does not count as
        // restarting.
        """
        @0 start -> connect | 10
        @1 challenge -> sign | 10
        @1 welcome 210 -> topics() connected | 211
        @32 end -> disconnect lost(1.5) disconnected(why) | 33.5
        @33.5 due -> connect | 43.5
        @34 challenge -> sign | 43.5
        @34 welcome 210 -> topics() connected | 244
        @43 end -> disconnect lost(1.5) disconnected(why) | 44.5
        @44.5 due -> connect | 54.5
        @44.6 end -> disconnect lost(2) disconnected(why) | 46.6
        @46.6 due -> connect | 56.6
        @47 challenge -> sign | 56.6
        @47 welcome 210 -> topics() connected | 257
        @48 end -> disconnect lost(1.5) disconnected(why) | 49.5
        @49.5 due -> connect | 59.5
        @50 challenge -> sign | 59.5
        @50 welcome 210 -> topics() connected | 260
        @59 end -> disconnect lost(1.5) disconnected(why) | 60.5
        @60.5 due -> connect | 70.5
        @61 challenge -> sign | 70.5
        @61 welcome 210 -> topics() connected | 271
        @62 end -> disconnect lost(4.5) disconnected(why) | 66.5
        """,
        // A ping checks the path; any received message counts as an answer.
        """
        @0 start -> connect | 10
        @0 challenge -> sign | 10
        @0 welcome 210 -> topics() connected | 210
        @100 push 1 -> push(1) | 210
        @210 due -> ping(1) | 220
        @211 pong 1 -> - | 420
        @420 due -> ping(2) | 430
        @421 unknown -> - | 630
        @630 due -> ping(3) | 640
        @639 due -> - | 640
        @640 due -> disconnect lost(1.5) disconnected(the gateway did not answer a ping within 10.0 seconds) | 641.5
        """,
        // A device that slept for two hours sends a ping when it wakes, with the usual time limit for a dead path.
        """
        @0 start -> connect | 10
        @0 challenge -> sign | 10
        @0 welcome 210 -> topics() connected | 210
        @7300 due -> ping(1) | 7310
        @7310 due -> disconnect lost(1.5) disconnected(the gateway did not answer a ping within 10.0 seconds) | 7311.5
        """,
        // The gateway's interval is limited to a range. If it is shorter than the time limit, an answer has only as
        // long.
        """
        @0 start -> connect | 10
        @0 challenge -> sign | 10
        @0 welcome 0 -> topics() connected | 1
        @1 due -> ping(1) | 2
        @2 due -> disconnect lost(1.5) disconnected(the gateway did not answer a ping within 1.0 seconds) | 3.5
        @3.5 due -> connect | 13.5
        @4 challenge -> sign | 13.5
        @4 welcome 100000 -> topics() connected | 604
        """,
        // A gateway that continues without a proof of the key is rejected.
        """
        @0 start -> connect | 10
        @1 push 1 -> disconnect lost(1.5) disconnected(the gateway continued before the device had proven its key) | 2.5
        """,
        """
        @0 start -> connect | 10
        @1 badchallenge -> disconnect lost(1.5) disconnected(the gateway sent an invalid challenge) | 2.5
        """,
        // A missing token is requested again with each ping; a token that was refused is not.
        """
        @0 register a -> - | never
        @0 register a/b -> leftout(1) | never
        @0 start -> connect | 10
        @0 challenge -> sign | 10
        @0 welcome 210 -> register(a) topics() connected | 210
        @210 due -> ping(1) register(a) | 220
        @211 token a -> token(a) | 420
        @420 due -> ping(2) | 430
        """,
        // Stopped for good.
        """
        @0 start -> connect | 10
        @1 stop -> disconnect | never
        @2 start -> - | never
        @3 end -> - | never
        """,
    ])
    func script(_ script: String) throws {
        var side = DeviceSide()
        var generator = Longest()
        let transcript = try script.split(separator: "\n").map { line in
            let step = try #require(line.split(separator: " -> ").first)
            let words = step.split(separator: " ").map(String.init)
            let input = try Self.input(Array(words.dropFirst()))
            let effects = side.handle(input, now: try LinkWords.instant(words[0]), using: &generator)
            let text = effects.isEmpty ? "-" : effects.map(Self.text).joined(separator: " ")
            return "\(step) -> \(text) | \(LinkWords.text(side.deadline))"
        }
        #expect(transcript.joined(separator: "\n") == script)
    }

    static func input(_ words: [String]) throws -> DeviceSide.Input {
        switch (words[0], words.count) {
        case ("start", 1): .started
        case ("register", 2): .registrationWanted(topic: words[1])
        case ("unregister", 2): .registrationUnwanted(topic: words[1])
        case ("topics", _): .topicsEnabled(Array(words.dropFirst()))
        case ("saved", 2): .pushSaved(try LinkWords.id(words[1]))
        case ("challenge", 1): .received(.challenge(nonce: LinkWords.nonce))
        case ("badchallenge", 1): .received(.challenge(nonce: []))
        case ("welcome", 2): .received(.welcome(keepalive: .seconds(try #require(Int64(words[1])))))
        case ("token", 2): .received(.registered(topic: words[1], token: try LinkWords.token(words[1])))
        case ("gone", 2): .received(.unregistered(topic: words[1]))
        case ("push", 2): .received(.push(try LinkWords.push(words[1])))
        case ("pong", 2): .received(.pong(try #require(UInt64(words[1]))))
        case ("goaway", _): .received(.goAway(reason: words.dropFirst().joined(separator: " ")))
        case ("unknown", 1): .received(nil)
        case ("end", 1): .connectionEnded(reason: "why")
        case ("due", 1): .deadlineReached
        case ("stop", 1): .stopped
        default: preconditionFailure("unknown step: \(words.joined(separator: " "))")
        }
    }

    static func text(_ effect: DeviceSide.Effect) -> String {
        switch effect {
        case .connect: "connect"
        case .disconnect: "disconnect"
        case .sign(let nonce): nonce == LinkWords.nonce ? "sign" : "sign something else"
        case .send(let message): LinkWords.text(message)
        case .tell(.connected): "connected"
        case .tell(.disconnected(let reason)): "disconnected(\(reason))"
        case .tell(.registered(let topic, _)): "token(\(topic))"
        case .tell(.unregistered(let topic)): "gone(\(topic))"
        case .tell(.push(let push)): "push(\(push.id.low))"
        case .note(.lost(_, let pause)): "lost(\(LinkWords.text(pause)))"
        case .note(.topicsLeftOut(let count)): "leftout(\(count))"
        }
    }

    // MARK: Bounds.

    @Test func topicsOverTheLimitAreLeftOut() throws {
        var side = try Self.side(in: .open)
        let topics = (0...TokenDecision.topicsMax).map { "t\($0)" }
        var generator = Longest()
        let now = try LinkWords.instant("@1")
        let all = Array(topics.dropLast())
        #expect(
            side.handle(.topicsEnabled(topics), now: now, using: &generator)
                == [.note(.topicsLeftOut(count: 1)), .send(.request(.enableTopics(all)))]
        )
        #expect(side.handle(.topicsEnabled(all), now: now, using: &generator) == [])
    }
}
