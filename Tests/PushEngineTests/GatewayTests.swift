internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// The gateway's decisions as transcripts: one line per step, `@seconds input -> what others see`.
///
/// `open 1 d` opens link 1 of device d; `push T1 a 100` is a provider's push to the first token that was issued, for topic a,
/// until second 100, and its ticket is its number; `fail` before an input lets the store not take it, `lose` lets the commit fail,
/// and with `blind` the store does not tell all that waits for a device.
@Suite struct GatewayTests {
    @Test(arguments: [
        // A token is issued once. A push waits for its topic, is replaced by a newer one, and waits for the device.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 register 1 d a -> token(T1→1)
        @3 push T1 a 100 -> taken(1)
        @4 topics 1 d a -> deliver(1→1)
        @5 push T1 a 100 -> taken(2) replaced deliver(2→1)
        @6 ack 1 d 2 -> -
        @7 close 1 d -> -
        @8 push T1 a 100 -> taken(3)
        @9 open 2 d -> -
        @10 topics 2 d a -> deliver(3→2)
        """,
        // A newer connection replaces the previous one, whose messages and end are ignored.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 topics 1 d a -> -
        @3 open 2 d -> close(1: a newer connection of this device)
        @4 push T1 a 100 -> taken(1)
        @5 topics 1 d a -> -
        @6 register 1 d b -> -
        @7 close 1 d -> -
        @8 topics 2 d a -> deliver(1→2)
        """,
        // Tokens, pushes and acknowledgements are separate for each device.
        """
        @0 open 1 d -> -
        @1 open 2 e -> -
        @2 register 1 d a -> token(T1→1)
        @3 register 2 e a -> token(T2→2)
        @4 topics 1 d a -> -
        @5 topics 2 e a -> -
        @6 push T2 a 100 -> taken(1) deliver(1→2)
        @7 ack 1 d 1 -> -
        @8 open 3 e -> close(2: a newer connection of this device)
        @9 topics 3 e a -> deliver(1→3)
        @10 unregister 1 d a -> gone(a→1)
        @11 push T2 a 100 -> taken(2) replaced deliver(2→3)
        """,
        // A refused push has a reason. A waiting push is removed with its token, and the next token is a new one.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 push T9 a 100 -> rejected(1 BadDeviceToken)
        @3 push T1 b 100 -> rejected(2 DeviceTokenNotForTopic)
        @4 push T1 a 100 -> taken(3)
        @5 unregister 1 d a -> unregistered gone(a→1)
        @6 push T1 a 100 -> rejected(4 Unregistered @5)
        @7 unregister 1 d a -> gone(a→1)
        @8 push T1 a 100 -> rejected(5 Unregistered @5)
        @9 topics 1 d a -> -
        @10 register 1 d a -> token(T2→1)
        @11 push T2 a 100 -> taken(6) deliver(6→1)
        """,
        // The operator ends a token and its waiting push; other tokens are unaffected, and the device registers again.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 register 1 d b -> token(T2→1)
        @3 push T1 a 100 -> taken(1)
        @4 push T2 b 100 -> taken(2)
        @5 remove T1 -> taken(3) unregistered close(1: the operator removed a token of this device)
        @6 remove T1 -> rejected(4 BadDeviceToken)
        @7 push T1 a 100 -> rejected(5 Unregistered @5)
        @8 open 2 d -> -
        @9 topics 2 d a b -> deliver(2→2)
        @10 register 2 d a -> token(T3→2)
        @11 close 2 d -> -
        @12 fail remove T2 -> rejected(6 InternalServerError)
        @13 remove T2 -> taken(7) unregistered
        @14 open 3 d -> -
        @15 topics 3 d a b -> -
        """,
        // A device that is unknown, or that has nothing stored, cannot be removed; a connected device without a token
        // can.
        """
        @0 forget d -> rejected(1 BadDeviceToken)
        @1 open 1 d -> -
        @2 forget d -> taken(2) close(1: the operator removed this device)
        @3 forget d -> rejected(3 BadDeviceToken)
        @4 open 2 d -> -
        @5 register 2 d a -> token(T1→2)
        @6 close 2 d -> -
        @7 forget d -> taken(4)
        @8 forget d -> rejected(5 BadDeviceToken)
        """,
        // A push for one attempt is delivered or lost.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 push T1 a once -> taken(1) undeliverable
        @3 topics 1 d a -> -
        @4 push T1 a once -> taken(2) deliver(2→1)
        @5 open 2 d -> close(1: a newer connection of this device)
        @6 topics 2 d a -> -
        """,
        // A device counts as used by others if pushes for it arrive a day after its first token.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 push T1 a once -> taken(1) undeliverable
        @86400 push T1 a once -> taken(2) undeliverable
        @86400 open 2 d -> close(1: a newer connection of this device)
        @86401 push T1 a once -> taken(3) known(2) undeliverable
        @86402 push T1 a once -> taken(4) undeliverable
        @86403 open 3 d -> close(2: a newer connection of this device) known(3)
        """,
        // An expired push is removed by the sweep, or when the device connects.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 close 1 d -> -
        @3 push T1 a 10 -> taken(1)
        @10 sweep -> expired(1)
        @11 open 2 d -> -
        @12 topics 2 d a -> -
        @13 close 2 d -> -
        @14 push T1 a 20 -> taken(2)
        @19 sweep -> -
        @20 open 3 d -> -
        @21 topics 3 d a -> expired
        """,
        // A push for a device that is away costs the same, however many pushes wait there: none of them is read.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 close 1 d -> -
        @3 push T1 a 100 -> taken(1)
        @4 blind push T1 a 100 -> taken(2) replaced
        @5 blind push T1 a once -> taken(3) undeliverable
        @6 blind open 2 d -> close(2: the gateway's store failed)
        """,
        // A device that breaks a rule is told which one.
        """
        @0 open 1 d -> -
        @1 register 1 d -> close(1: a topic has 1 to 255 letters, digits, dots, hyphens and underscores)
        @1 register 1 d a\0b -> close(1: a topic has 1 to 255 letters, digits, dots, hyphens and underscores)
        @1 unregister 1 d a\0b -> close(1: a topic has 1 to 255 letters, digits, dots, hyphens and underscores)
        @2 ack 1 d 7 -> close(1: a push id has 16 bytes)
        """,
        // A failed commit changes nothing: its inputs are repeated and find the old state, and other devices are
        // unaffected.
        """
        @0 open 2 e -> -
        @1 open 1 d -> -
        @2 register 1 d a -> token(T1→1)
        @3 topics 1 d a -> -
        @4 lose push T1 a 100 -> close(1: the gateway's store failed) rejected(1 InternalServerError)
        @5 topics 1 d a -> -
        @5 register 2 e b -> token(T2→2)
        @6 open 3 d -> -
        @7 topics 3 d a -> -
        @8 push T1 a 100 -> taken(2) deliver(2→3)
        @9 lose ack 3 d 2 -> close(3: the gateway's store failed) close(3: the gateway's store failed)
        @10 open 4 d -> -
        @11 topics 4 d a -> deliver(2→4)
        """,
        // An input that the store rejects fails alone, and its device continues.
        """
        @0 open 1 d -> -
        @1 register 1 d a -> token(T1→1)
        @2 topics 1 d a -> -
        @3 fail push T1 a 100 -> rejected(1 InternalServerError)
        @4 push T1 a 100 -> taken(2) deliver(2→1)
        @5 fail ack 1 d 2 -> close(1: the gateway's store failed)
        @6 fail register 1 d b -> close(1: the gateway's store failed)
        @7 push T1 a 100 -> taken(3) replaced deliver(3→1)
        """,
    ])
    func script(_ script: String) throws {
        var host = Host()
        let transcript = try script.split(separator: "\n").map { line in
            let step = try #require(line.split(separator: " -> ").first)
            let outputs = try host.perform(step.split(separator: " ").map(String.init))
            return "\(step) -> \(outputs.isEmpty ? "-" : outputs.joined(separator: " "))"
        }
        #expect(transcript.joined(separator: "\n") == script)
    }

    @Test func tooManyTopicsEndTheLink() throws {
        let topics = (0...TokenDecision.topicsMax).map { "t\($0)" }
        var host = Host()
        _ = try host.perform(["@0", "open", "1", "d"])
        #expect(try host.perform(["@1", "topics", "1", "d"] + topics.dropLast()) == [])
        #expect(
            try host.perform(["@2", "topics", "1", "d"] + topics) == [
                "close(1: a device enables at most \(TokenDecision.topicsMax) topics, and \(TokenDecision.badTopic))"
            ]
        )
    }

    @Test func aDeviceHasOnlySoManyTokens() throws {
        var host = Host()
        _ = try host.perform(["@0", "open", "1", "d"])
        for number in 1...TokenDecision.strangerTopicsMax {
            #expect(try host.perform(["@1", "register", "1", "d", "t\(number)"]) == ["token(T\(number)→1)"])
        }
        let first = TokenDecision.strangerTopicsMax + 1
        #expect(try host.perform(["@1", "register", "1", "d", "t\(first)"]) == ["postponed(1 strangerHasEnough)"])
        #expect(try host.perform(["@1", "register", "1", "d", "t1"]) == ["token(T1→1)"])
        // A push came for it, so that somebody relies on it.
        #expect(try host.perform(["@1", "push", "T1", "t1", "100"]).contains("taken(1)"))
        for number in first...TokenDecision.topicsMax {
            #expect(try host.perform(["@1", "register", "1", "d", "t\(number)"]) == ["token(T\(number)→1)"])
        }
        let refused = try host.perform(["@2", "register", "1", "d", "more"])
        #expect(refused.count == 1 && refused.first?.hasPrefix("close(1: this device has tokens for") == true)
    }

    /// Goal: an address gets this many tokens at once, and one more after each interval, whatever its keys.
    ///
    /// Others get theirs.
    @Test func anAddressGetsOnlySoManyTokens() throws {
        var host = Host()
        var issued = 0
        for device in 0... {
            _ = try host.perform(["@0", "open", "\(device)", "d\(device)"])
            var last: [String] = []
            for topic in 0..<TokenDecision.strangerTopicsMax where last.first?.hasPrefix("postponed") != true {
                last = try host.perform(["@0", "register", "\(device)", "d\(device)", "t\(topic)"])
                if last.first?.hasPrefix("token") == true { issued += 1 }
            }
            if last == ["postponed(\(device) addressHasEnough)"] { break }
        }
        #expect(issued == TokenDecision.addressBurst)
        _ = try host.perform(["@0", "open", "9999", "elsewhere"])
        #expect(try host.perform(["@0", "register", "9999", "elsewhere", "t"]).first?.hasPrefix("token") == true)
        let interval = TokenDecision.addressInterval.components.seconds
        _ = try host.perform(["@\(interval)", "open", "1", "d0late0"])
        #expect(try host.perform(["@\(interval)", "register", "1", "d0late0", "t"]).first?.hasPrefix("token") == true)
        #expect(
            try host.perform(["@\(interval)", "register", "1", "d0late0", "u"]) == ["postponed(1 addressHasEnough)"]
        )
    }

    /// Goal: a token accepts this many pushes at once, and one more after each interval.
    ///
    /// Other tokens are unaffected.
    @Test func aTokenTakesOnlySoManyPushes() throws {
        var host = Host()
        for step in [["@0", "open", "1", "d"], ["@0", "register", "1", "d", "a"], ["@0", "register", "1", "d", "b"]] {
            _ = try host.perform(step)
        }
        for number in 1...ValidPush.tokenBurst {
            #expect(try host.perform(["@0", "push", "T1", "a", "100"]).contains("taken(\(number))"))
        }
        let next = ValidPush.tokenBurst + 1
        #expect(try host.perform(["@0", "push", "T1", "a", "100"]) == ["rejected(\(next) TooManyRequests)"])
        #expect(try host.perform(["@0", "push", "T2", "b", "100"]).contains("taken(\(next + 1))"))
        #expect(try host.perform(["@1", "push", "T1", "a", "100"]).contains("taken(\(next + 2))"))
    }

    /// Goal: the history of a push contains what is on disk, and nothing that the disk did not store.
    @Test func theLifeOfAPushIsKnown() throws {
        var host = Host()
        for step in [
            ["@0", "open", "1", "d"], ["@0", "register", "1", "d", "a"], ["@1", "push", "T1", "a", "100"],
            ["@2", "topics", "1", "d", "a"], ["@3", "ack", "1", "d", "1"], ["@4", "push", "T1", "a", "100"],
            ["@5", "push", "T1", "a", "100"], ["@6", "unregister", "1", "d", "a"],
            ["@7", "register", "1", "d", "a"], ["@8", "lose", "push", "T2", "a", "100"],
        ] { _ = try host.perform(step) }
        let lives = (1...4).map { host.lives(ofAPNSID: "\($0)") }
        #expect(lives.map(\.count) == [1, 1, 1, 0])
        #expect(
            lives.compactMap { $0.first?.end } == [
                PushHistory.Ending(.acknowledged, at: WallTime(seconds: 3)),
                PushHistory.Ending(.replaced, at: WallTime(seconds: 5)),
                PushHistory.Ending(.unregistered, at: WallTime(seconds: 6)),
            ]
        )
        #expect(lives[0].first?.deliveredAt == WallTime(seconds: 2))
    }

    /// Goal: an expired push is counted and reported as expired before the sweep, for a connected device and for one
    /// that is away.
    @Test(arguments: [["@2", "topics", "1", "d", "b"], ["@2", "close", "1", "d"]])
    func whatHadExpiredIsNotReplaced(_ step: [String]) throws {
        var host = Host()
        for step in [
            ["@0", "open", "1", "d"], ["@0", "register", "1", "d", "a"], ["@1", "push", "T1", "a", "10"], step,
        ] { _ = try host.perform(step) }
        #expect(try host.perform(["@11", "push", "T1", "a", "100"]) == ["taken(2)", "expired"])
        #expect(try host.perform(["@12", "push", "T1", "a", "100"]) == ["taken(3)", "replaced"])
        #expect(
            (1...3).map { host.lives(ofAPNSID: "\($0)").first?.end } == [
                PushHistory.Ending(.expired, at: WallTime(seconds: 10)),
                PushHistory.Ending(.replaced, at: WallTime(seconds: 12)), nil,
            ]
        )
    }

    /// Goal: a push for one attempt that its device has received is counted and reported as acknowledged, once,
    /// whatever its expiration.
    @Test(arguments: ["once", "1"]) func oneAttemptIsAcknowledged(_ expiration: String) throws {
        var host = Host()
        for step in [
            ["@2", "open", "1", "d"], ["@2", "register", "1", "d", "a"], ["@2", "topics", "1", "d", "a"],
            ["@3", "push", "T1", "a", expiration], ["@4", "ack", "1", "d", "1"], ["@5", "ack", "1", "d", "1"],
        ] { _ = try host.perform(step) }
        #expect(host.lives(ofAPNSID: "1").first?.end == PushHistory.Ending(.acknowledged, at: WallTime(seconds: 4)))
        #expect(host.acknowledgedCount == 1)
    }

    /// Goal: only data that a device repeats, or that the store does not keep, may be lost in a power failure.
    @Test(arguments: [
        "crash": ["open 1 d", "close 1 d", "ack 1 d 1"],
        "powerFailure": [
            "push T1 a 100", "register 1 d a", "unregister 1 d a", "topics 1 d a", "sweep", "forget d", "remove T1",
        ],
    ])
    func whatMustSurvive(_ loss: String, _ inputs: [String]) throws {
        var host = Host()
        for words in inputs {
            let input = try host.input(words.split(separator: " ").map(String.init))
            #expect("\(input.mustSurvive)" == loss, "\(words)")
        }
    }

    /// Goal: each push has one outcome in the trace and in the counters: the sweep's or the device's, whichever comes
    /// first.
    @Test func theSweepAndTheDevicesWordAreOneEnd() throws {
        var host = Host()
        for step in [
            ["@0", "open", "1", "d"], ["@0", "register", "1", "d", "a"], ["@0", "topics", "1", "d", "a"],
            ["@1", "push", "T1", "a", "10"],
        ] { _ = try host.perform(step) }
        #expect(try host.perform(["@11", "sweep"]) == ["expired(1)"])
        #expect(try host.perform(["@12", "ack", "1", "d", "1"]) == [])
        #expect(host.acknowledgedCount == 0)
        #expect(try host.perform(["@13", "push", "T1", "a", "20"]) == ["taken(2)", "deliver(2→1)"])
        #expect(try host.perform(["@21", "ack", "1", "d", "2"]) == [])
        #expect(host.acknowledgedCount == 1)
        #expect(try host.perform(["@22", "sweep"]) == [])
        #expect(
            (1...2).map { host.lives(ofAPNSID: "\($0)").first?.end } == [
                PushHistory.Ending(.expired, at: WallTime(seconds: 10)),
                PushHistory.Ending(.acknowledged, at: WallTime(seconds: 21)),
            ]
        )
    }

    /// Goal: a token lives as long as its device confirms it, or a provider pushes to it.
    @Test func aTokenThatNobodyUsesIsDropped() throws {
        let day: Int64 = 86_400
        var host = Host()
        for step in [
            ["@0", "open", "1", "d"], ["@0", "register", "1", "d", "unused"],
            ["@0", "register", "1", "d", "confirmed"],
            ["@0", "register", "1", "d", "pushed"], ["@\(50 * day)", "register", "1", "d", "confirmed"],
            ["@\(50 * day)", "push", "T3", "pushed", "once"], ["@\(91 * day)", "sweep"],
        ] { _ = try host.perform(step) }
        #expect(try host.perform(["@\(91 * day)", "push", "T1", "unused", "once"]) == ["rejected(2 BadDeviceToken)"])
        #expect(try host.perform(["@\(91 * day)", "push", "T2", "confirmed", "once"]).first == "taken(3)")
        #expect(try host.perform(["@\(91 * day)", "push", "T3", "pushed", "once"]).first == "taken(4)")
    }
}

/// Feeds inputs to a gateway as its host does, and records the outputs.
private struct Host {
    private struct Failure: Error {}
    private var gateway = Gateway()
    private let store = ModelPushStore()
    private var random = SeededGenerator(seed: 1)
    private var tickets: UInt64 = 0
    private var tokens: [DeviceToken] = []
    private var ids: [UInt64: PushID] = [:]
    /// The pushes that were counted as acknowledged.
    private(set) var acknowledgedCount = 0

    mutating func perform(_ step: [String]) throws -> [String] {
        let now = WallTime(seconds: try #require(Int64(step[0].dropFirst())))
        let isFault = ["blind", "fail", "lose"].contains(step[1])
        let input = try self.input(Array(step.dropFirst(isFault ? 2 : 1)))
        var outputs: [Gateway.Output] = []
        do {
            try self.store.transaction { transaction in
                do {
                    let store: any PushStoreTransaction =
                        switch step[1] {
                        case "fail": FaultyTransaction(base: transaction, fault: .writes)
                        case "blind": FaultyTransaction(base: transaction, fault: .pushes)
                        // The reads for removing a token depend on the token's record.
                        default:
                            if case .tokenRemoved = input {
                                transaction
                            } else {
                                AnnouncedTransaction(transaction, self.gateway, input, now: now)
                            }
                        }
                    let clocks = Now(monotonic: EngineInstant(sinceStart: .seconds(now.seconds)), wall: now)
                    outputs = try self.gateway.handle(input, store, random: &self.random, now: clocks)
                } catch is FaultyTransaction.Failure {
                    outputs = self.gateway.failed(input)
                }
                if step[1] == "lose" { throw Failure() }
            }
            self.acknowledgedCount += self.gateway.committed().count
        } catch is Failure {
            outputs = self.gateway.commitFailed() + self.gateway.failed(input)
        }
        return outputs.compactMap { self.describe($0) }
    }

    func lives(ofAPNSID id: String) -> [PushHistory.Life] { self.gateway.history.lives(ofAPNSID: id) }

    mutating func input(_ words: [String]) throws -> Gateway.Input {
        switch (words[0], words.count) {
        case ("push", 4):
            self.tickets += 1
            return .pushReceived(try self.push(words), ticket: self.tickets)
        case ("sweep", 1): return .sweepDue
        case ("forget", 2):
            self.tickets += 1
            return .deviceRemoved(DeviceKey(bytes: Array(words[1].utf8)), ticket: self.tickets)
        case ("remove", 2):
            self.tickets += 1
            return .tokenRemoved(try self.token(words[1]), ticket: self.tickets)
        default: break
        }
        let link = LinkID(try #require(UInt64(words[1])))
        let device = DeviceKey(bytes: Array(words[2].utf8))
        let rest = Array(words.dropFirst(3))
        switch (words[0], rest.count) {
        // Devices with numbers are behind one address.
        case ("open", 0):
            return .linkOpened(link, device, AddressBlock(words[2].last?.isNumber == true ? [1] : device.bytes))
        case ("close", 0): return .linkClosed(link, device)
        case ("register", 0): return .requested(.register(topic: ""), link, device)
        case ("register", 1): return .requested(.register(topic: rest[0]), link, device)
        case ("unregister", 1): return .requested(.unregister(topic: rest[0]), link, device)
        case ("topics", _): return .requested(.enableTopics(rest), link, device)
        case ("ack", 1):
            let id = self.ids[try #require(UInt64(rest[0]))]
            return .requested(.acknowledge(id: id?.bytes ?? [0]), link, device)
        default: preconditionFailure("unknown step: \(words.joined(separator: " "))")
        }
    }

    private func token(_ name: String) throws -> DeviceToken {
        let number = try #require(Int(name.dropFirst()))
        return self.tokens.indices.contains(number - 1)
            ? self.tokens[number - 1] : try #require(DeviceToken(bytes: [0]))
    }

    private func push(_ words: [String]) throws -> ValidPush {
        ValidPush(
            id: "\(self.tickets)",
            token: try self.token(words[1]),
            topic: words[2],
            payload: [UInt8(truncatingIfNeeded: self.tickets)],
            priority: .immediate,
            expiration: words[3] == "once" ? .once : .until(try #require(Int64(words[3]))),
            collapseID: nil
        )
    }

    /// The words for an output in a script; nil for `finished`.
    private mutating func describe(_ output: Gateway.Output) -> String? {
        switch output {
        case .reply(let ticket, nil): return "taken(\(ticket))"
        case .reply(let ticket, let rejection?):
            let since = rejection.timestamp.map { " @\($0.seconds)" } ?? ""
            return "rejected(\(ticket) \(rejection.reason.rawValue)\(since))"
        case .deliver(let push, let link):
            self.ids[UInt64(push.payload[0])] = push.id
            return "deliver(\(push.payload[0])→\(link.rawValue))"
        case .registered(let record, let link):
            if !self.tokens.contains(record.token) { self.tokens.append(record.token) }
            let number = self.tokens.firstIndex(of: record.token).map { $0 + 1 } ?? 0
            return "token(T\(number)→\(link.rawValue))"
        case .unregistered(let topic, let link): return "gone(\(topic)→\(link.rawValue))"
        case .close(let link, let reason): return "close(\(link.rawValue): \(reason))"
        case .finished: return nil
        case .postponed(let link, let reason): return "postponed(\(link.rawValue) \(reason.rawValue))"
        // A device's first token enrols it, which most scripts do not test.
        case .trusted(let link, let trust): return trust == .known ? "known(\(link.rawValue))" : nil
        case .note(let note): return note.rawValue
        case .expired(let count): return "expired(\(count))"
        // Their scripts are those of `RelayTests`.
        case .relay, .answer, .relayNote: return "relayed"
        }
    }
}
