internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// Behaviour as transcripts: one line per step, `@seconds input -> effects`.
///
/// `push 1 a 100` admits push 1 for topic a that expires at second 100; `push 1 a once` one that is not stored.
@Suite struct DeviceQueueTests {
    @Test(arguments: [
        // A push is stored while the device is away, delivered after its topic is enabled, repeated on each link, and
        // removed when acknowledged.
        """
        @0 push 1 a 100 -> store(1)
        @1 open -> -
        @2 topics b -> -
        @3 topics a b -> deliver(1)
        @4 topics a -> -
        @5 close -> -
        @6 open -> -
        @7 topics a -> deliver(1)
        @8 ack 1 -> remove(1)
        @9 ack 1 -> -
        @10 open -> -
        @11 topics a -> -
        """,
        // A push is delivered at once to a connected device; a second open is a new link.
        """
        @0 open -> -
        @1 topics a -> -
        @2 push 1 a 100 -> store(1) deliver(1)
        @3 push 2 b 100 -> store(2)
        @4 open -> -
        @5 push 3 a 100 -> store(3)
        @6 topics a b -> deliver(2) deliver(3)
        """,
        // A device has one push for each topic; a late acknowledgement of a replaced one is ignored.
        """
        @0 push 1 a 100 -> store(1)
        @1 push 2 b 100 -> store(2)
        @2 push 3 a 100 -> store(3)
        @3 open -> -
        @4 topics a b -> deliver(2) deliver(3)
        @5 push 4 a 100 -> store(4) deliver(4)
        @6 ack 3 -> -
        @7 ack 4 -> remove(4)
        """,
        // Expired pushes are dropped instead of delivered, at the exact second.
        """
        @0 push 1 a 10 -> store(1)
        @1 push 2 b 11 -> store(2)
        @2 open -> -
        @10 topics a b -> remove(1) expired deliver(2)
        """,
        // A push for one attempt is delivered or lost, is never stored, and replaces nothing.
        """
        @0 push 1 a once -> undeliverable
        @1 push 2 a 100 -> store(2)
        @2 open -> -
        @3 push 3 a once -> undeliverable
        @4 topics a -> deliver(2)
        @5 push 4 a once -> deliver(4)
        @6 ack 4 -> -
        @7 open -> -
        @8 topics a -> deliver(2)
        """,
        // A push that had expired when its topic was unregistered counts as expired, at the exact second.
        """
        @0 push 1 a 10 -> store(1)
        @1 push 2 b 11 -> store(2)
        @10 unregister a -> remove(1) expired
        @10 unregister b -> remove(2) unregistered
        """,
        // An unregistered topic loses its push; topics of a device that is away have no effect.
        """
        @0 push 1 a 100 -> store(1)
        @1 topics a -> -
        @2 unregister a -> remove(1) unregistered
        @3 close -> -
        @4 open -> -
        @5 topics a -> -
        """,
    ])
    func script(_ script: String) throws {
        var queue = DeviceQueue(stored: [])
        let transcript = try script.split(separator: "\n").map { line in
            let step = try #require(line.split(separator: " -> ").first)
            let words = step.split(separator: " ").map(String.init)
            let now = WallTime(seconds: try #require(Int64(words[0].dropFirst())))
            let effects = queue.handle(try Self.input(Array(words.dropFirst())), now: now).map(Self.describe)
            return "\(step) -> \(effects.isEmpty ? "-" : effects.joined(separator: " "))"
        }
        #expect(transcript.joined(separator: "\n") == script)
    }

    /// Goal: a push that the store removed as expired has no second outcome, whatever its device reports.
    @Test func whatExpiredIsForgottenWithTheStore() throws {
        var queue = DeviceQueue(stored: [try Self.push("1", "a", "10"), try Self.push("2", "b", "11")])
        queue.expiredRemoved(now: WallTime(seconds: 10))
        #expect(queue == DeviceQueue(stored: [try Self.push("2", "b", "11")]))
        let effects = queue.handle(.pushAcknowledged(try Self.push("1", "a", "10").id), now: WallTime(seconds: 10))
        #expect(effects.isEmpty)
    }

    @Test func aLoadedQueueIsTheStoredOne() throws {
        let push = try Self.push("1", "a", "100")
        var stored = DeviceQueue(stored: [])
        _ = stored.handle(.pushAdmitted(push), now: WallTime(seconds: 0))
        #expect(stored == DeviceQueue(stored: [push]))
    }

    @Test func topicListsAreBounded() {
        let topics = (0..<TokenDecision.topicsMax).map { "topic.\($0)" }
        #expect(TopicList(topics) != nil)
        #expect(TopicList(topics + ["one.more"]) == nil)
        #expect(TopicList([""]) == nil)
        #expect(TopicList([String(repeating: "t", count: 256)]) == nil)
    }

    @Test(arguments: [
        (TokenDecision.strangerTopicsMax - 1, false, true, TokenDecision.issue),
        (TokenDecision.strangerTopicsMax, false, true, .postpone(.strangerHasEnough)),
        (TokenDecision.topicsMax - 1, true, true, .issue), (0, true, false, .postpone(.storeIsFull)),
    ])
    func registrationsAreBounded(tokens: Int, isKnown: Bool, hasRoom: Bool, expected: TokenDecision) {
        let enrolment = Enrolment(tokensCount: tokens, isKnown: isKnown, since: nil, hasRoom: hasRoom)
        #expect(TokenDecision.decide(topic: "new", enrolment: enrolment) == expected)
    }

    /// Goal: a device is trusted because of others' actions, and an attacker cannot create two devices that vouch for
    /// each other at once.
    @Test(
        arguments: [
            (nil, false, ConnectionTrust.stranger), (1000, false, .enrolled), (1000, true, .enrolled),
            (0, false, .enrolled),
            (0, true, .known),
        ] as [(Int64?, Bool, ConnectionTrust)]
    )
    func aDeviceIsTrusted(since: Int64?, isKnown: Bool, expected: ConnectionTrust) {
        let since = since.map { WallTime(seconds: $0) }
        let enrolment = Enrolment(tokensCount: 1, isKnown: isKnown, since: since, hasRoom: true)
        #expect(enrolment.trust(now: WallTime(seconds: 86_400)) == expected)
    }

    @Test(arguments: [("", 0), ("a\0b", 0), ("new", TokenDecision.topicsMax)])
    func aRegistrationAgainstTheRulesIsRefused(topic: String, tokens: Int) {
        let enrolment = Enrolment(tokensCount: tokens, isKnown: true, since: nil, hasRoom: true)
        guard case .refuse = TokenDecision.decide(topic: topic, enrolment: enrolment) else {
            Issue.record("a device got a token against the rules")
            return
        }
    }

    @Test func pushIDsKeepTheirBytes() throws {
        let bytes = (0..<16).map { UInt8($0 * 17) }
        #expect(try #require(PushID(bytes: bytes)).bytes == bytes)
        #expect(PushID(bytes: bytes.dropLast()) == nil)
    }

    static func push(_ id: String, _ topic: String, _ expiration: String) throws -> StoredPush {
        let number = try #require(UInt8(id))
        return StoredPush(
            id: try #require(PushID(bytes: Array(repeating: number, count: 16))),
            topic: topic,
            payload: [],
            priority: .immediate,
            expiration: expiration == "once" ? .once : .until(try #require(Int64(expiration))),
            collapseID: nil
        )
    }

    static func input(_ words: [String]) throws -> DeviceQueue.Input {
        switch (words.first, words.count) {
        case ("open", 1): .linkOpened
        case ("close", 1): .linkClosed
        case ("topics", _): .topicsEnabled(try #require(TopicList(Array(words.dropFirst()))))
        case ("push", 4): .pushAdmitted(try Self.push(words[1], words[2], words[3]))
        case ("ack", 2): .pushAcknowledged(try Self.push(words[1], "", "once").id)
        case ("unregister", 2): .topicUnregistered(words[1])
        default: preconditionFailure("unknown step: \(words.joined(separator: " "))")
        }
    }

    static func describe(_ effect: DeviceQueue.Effect) -> String {
        switch effect {
        case .store(let push): "store(\(push.id.bytes[0]))"
        case .remove(let id): "remove(\(id.bytes[0]))"
        case .deliver(let push): "deliver(\(push.id.bytes[0]))"
        case .note(let note): note.rawValue
        }
    }
}
