internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// The relay's decisions as transcripts: one line per step, `@seconds input -> what others see`.
///
/// `push a2 app sealed` is a push of sender a, who may have two sent in a day, for the relayed app; `-` is a provider that is no
/// sender. `end 1 ok` is Apple's answer to the first push that went out: `ok`, a reason, or `lost`; or `unsent`, with the reason that Apple would
/// have had. `account a` tells a's day, and `waits a` for how many seconds a waits. `fail` before an input lets the store not take it, `lose` lets the commit fail, and `restart` is another process on the same disk.
@Suite struct RelayTests {
    @Test(arguments: [
        // A push is counted before it is sent, waits for its answer, and its outcome is counted.
        """
        @0 push a9 app sealed -> relay(1)
        @0 account a -> sent=1 accepted=0 unanswered=1
        @1 end 1 ok -> answer(1 ok) relayed
        @1 account a -> sent=1 accepted=1 unanswered=0
        @2 end 1 ok -> -
        @2 account a -> sent=1 accepted=1 unanswered=0
        """,
        // Reasons are forwarded, except those about the vendor's key, which only the operator sees. A missing answer is
        // neither.
        """
        @0 push a9 app sealed -> relay(1)
        @0 push a9 app sealed -> relay(2)
        @0 push a9 app sealed -> relay(3)
        @0 push a9 app sealed -> relay(4)
        @1 end 1 Unregistered@7 -> answer(1 Unregistered @7) rejected
        @1 end 2 InvalidProviderToken -> answer(2 InternalServerError) rejected vendor(InvalidProviderToken)
        @1 end 3 lost -> answer(3 ServiceUnavailable) unanswered
        @1 end 4 TooManyRequests -> answer(4 TooManyRequests) rejected
        @1 account a -> sent=4 accepted=0 InvalidProviderToken=1 Unregistered=1 TooManyRequests=1 unanswered=1
        """,
        // A push that never reached Apple is subtracted again: it does not count for the day or as a mistake.
        """
        @0 push a2 app sealed -> relay(1)
        @0 push a2 app sealed -> relay(2)
        @0 push a2 app sealed -> rejected(3 TooManyRequests) day
        @1 end 1 unsent -> answer(1 ServiceUnavailable) unsent
        @1 end 2 unsent:BadTopic -> answer(2 BadTopic) unsent
        @1 account a -> sent=0 accepted=0 unanswered=0
        @2 push a2 app sealed -> relay(3)
        @3 end 3 ok -> answer(3 ok) relayed
        @3 account a -> sent=1 accepted=1 unanswered=0
        """,
        // If the disk rejects that subtraction, the push stays without an outcome.
        """
        @0 push a9 app sealed -> relay(1)
        @1 fail end 1 unsent -> answer(1 ServiceUnavailable)
        @1 account a -> sent=1 accepted=0 unanswered=1
        """,
        // Only sealed location pushes for the vendor's apps are sent, without visible text, and only for senders.
        """
        @0 push a9 app plain -> rejected(1 PayloadEmpty) not_sealed
        @0 push a9 app named -> rejected(2 BadCollapseId) collapse_id
        @0 push a9 other sealed -> rejected(3 BadDeviceToken) app
        @0 push a9 alert sealed -> rejected(4 BadDeviceToken) app
        @0 push - app sealed -> rejected(5 BadDeviceToken) no_sender
        @0 push - other sealed -> rejected(6 BadDeviceToken)
        @0 push - alert sealed -> rejected(7 BadDeviceToken)
        @0 account a -> sent=0 accepted=0 unanswered=0
        """,
        // A push to one of our tokens is not relayed, whatever the payload, even if the token is dead.
        """
        @0 own push a9 app plain -> taken(1) undeliverable
        @0 own push a9 app sealed -> taken(2) undeliverable
        @0 dead push a9 app sealed -> rejected(3 Unregistered @0)
        @0 account a -> sent=0 accepted=0 unanswered=0
        """,
        // The daily limit is for a UTC day and for each sender; an outcome counts for the day of its push.
        """
        @86398 push a2 app sealed -> relay(1)
        @86399 push a2 app sealed -> relay(2)
        @86399 push a2 app sealed -> rejected(3 TooManyRequests) day
        @86399 push b2 app sealed -> relay(3)
        @86399 push a3 app sealed -> relay(4)
        @86400 push a2 app sealed -> relay(5)
        @86400 end 1 ok -> answer(1 ok) relayed
        @86400 account a -> sent=1 accepted=0 unanswered=1
        """,
        // A restart forgets neither today's sent pushes nor those with an unknown outcome.
        """
        @0 push a2 app sealed -> relay(1)
        @1 restart -> -
        @2 end 1 ok -> -
        @2 account a -> sent=1 accepted=0 unanswered=1
        @3 push a2 app sealed -> relay(2)
        @4 push a2 app sealed -> rejected(3 TooManyRequests) day
        """,
        // A push that cannot be recorded is not sent. A push whose outcome cannot be recorded is still answered.
        """
        @0 fail push a9 app sealed -> rejected(1 InternalServerError)
        @0 lose push a9 app sealed -> rejected(2 InternalServerError)
        @1 push a9 app sealed -> relay(1)
        @1 push a9 app sealed -> relay(2)
        @2 fail end 1 ok -> answer(1 ok)
        @2 lose end 2 Unregistered@7 -> answer(2 Unregistered @7)
        @3 account a -> sent=2 accepted=0 unanswered=2
        """,
        // An account is kept for 400 days.
        """
        @0 push a9 app sealed -> relay(1)
        @0 end 1 ok -> answer(1 ok) relayed
        @34560000 sweep -> -
        @1 account a -> sent=1 accepted=1 unanswered=0
        @34646400 sweep -> -
        @1 account a -> sent=0 accepted=0 unanswered=0
        """,
    ]) func script(_ script: String) throws {
        var host = Host()
        for line in script.split(separator: "\n") {
            let sides = line.split(separator: " -> ").map(String.init)
            let outputs = try host.perform(sides[0].split(separator: " ").map(String.init))
            #expect(
                outputs.isEmpty ? sides[1] == "-" : outputs.joined(separator: " ") == sides[1],
                "\(line): \(outputs)"
            )
        }
    }

    /// Goal: the place of a push that was never sent is freed; otherwise a sender would end up with none.
    @Test func placesComeBackHoweverAPushEnds() throws {
        var host = Host()
        for number in 1...(3 * Relay.underWayMax) {
            let word = ["lose", "fail"][number % 2]
            #expect(
                try host.perform(["@0", word, "push", "a9999", "app", "sealed"]).first?.hasPrefix("rejected") == true
            )
            #expect(try host.perform(["@0", "push", "a9999", "app", "sealed"]) == ["relay(\(number))"])
            _ = try host.perform(["@0", word, "end", "\(number)", "ok"])
        }
        for number in 1...Relay.underWayMax {
            let outputs = try host.perform(["@0", "push", "a9999", "app", "sealed"])
            #expect(outputs == ["relay(\(3 * Relay.underWayMax + number))"])
        }
        let outputs = try host.perform(["@0", "push", "a9999", "app", "sealed"])
        #expect(outputs.last == "at_once" && outputs.first?.hasSuffix("TooManyRequests)") == true)
        // Another sender has its own places.
        #expect(try host.perform(["@0", "push", "b9", "app", "sealed"]).first?.hasPrefix("relay") == true)
    }

    /// Goal: a sender that pushes to tokens unknown to Apple must wait, and other senders need not.
    @Test func aSenderWaitsForItsOwnMistakes() throws {
        var host = Host()
        for number in 1...50 {
            _ = try host.perform(["@0", "push", "a999", "app", "sealed"])
            let outputs = try host.perform(["@0", "end", "\(number)", "BadDeviceToken"])
            #expect(outputs.contains("waits") == (number == 50))
        }
        #expect(try host.perform(["@3599", "push", "a999", "app", "sealed"]).last == "mistakes")
        #expect(try host.perform(["@3599", "push", "b999", "app", "sealed"]) == ["relay(51)"])
        #expect(try host.perform(["@3600", "push", "a999", "app", "sealed"]) == ["relay(52)"])
    }

    /// Goal: a restart ends no wait, and a clock that is set back makes no wait longer than an hour.
    @Test func aWaitOutlivesTheProcess() throws {
        var host = Host()
        for number in 1...50 {
            _ = try host.perform(["@100", "push", "a999", "app", "sealed"])
            _ = try host.perform(["@100", "end", "\(number)", "BadDeviceToken"])
        }
        _ = try host.perform(["@200", "restart"])
        #expect(try host.perform(["@200", "waits", "a"]) == ["3500"])
        #expect(try host.perform(["@3699", "push", "a999", "app", "sealed"]).last == "mistakes")
        #expect(try host.perform(["@3699", "push", "b999", "app", "sealed"]) == ["relay(51)"])
        _ = try host.perform(["@3699", "restart"])
        #expect(try host.perform(["@3700", "waits", "a"]) == ["over"])
        #expect(try host.perform(["@3700", "push", "a999", "app", "sealed"]) == ["relay(52)"])
        _ = try host.perform(["@0", "restart"])
        #expect(try host.perform(["@0", "waits", "a"]) == ["3600"])
        #expect(try host.perform(["@0", "push", "a999", "app", "sealed"]).last == "mistakes")
        #expect(try host.perform(["@3600", "push", "a999", "app", "sealed"]) == ["relay(53)"])
        // A wait that has ended is removed from the store.
        _ = try host.perform(["@3701", "sweep"])
        _ = try host.perform(["@0", "restart"])
        #expect(try host.perform(["@0", "waits", "a"]) == ["over"])
    }

    /// Goal: a wait that the disk rejects lasts until the process ends.
    @Test func aWaitThatTheDiskDoesNotTakeIsNoneOfTheNextProcess() throws {
        var host = Host()
        for number in 1...50 {
            _ = try host.perform(["@0", "push", "a999", "app", "sealed"])
            let words = (number == 50 ? ["lose"] : []) + ["end", "\(number)", "BadDeviceToken"]
            _ = try host.perform(["@0"] + words)
        }
        #expect(try host.perform(["@1", "push", "a999", "app", "sealed"]).last == "mistakes")
        _ = try host.perform(["@2", "restart"])
        #expect(try host.perform(["@2", "push", "a999", "app", "sealed"]) == ["relay(51)"])
    }

    /// Goal: an operator finds a push that reached Apple by its apns-id, with Apple's reason.
    @Test func theLifeOfARelayedPushIsTold() throws {
        var host = Host()
        for step in [["@1", "push", "a9", "app", "sealed"], ["@2", "push", "a9", "app", "sealed"]] {
            _ = try host.perform(step)
        }
        _ = try host.perform(["@3", "end", "1", "Unregistered@2"])
        let life = try #require(host.lives(ofAPNSID: "1").first)
        #expect(life.isRelayed && life.topic == "app.location-query" && life.acceptedAt == WallTime(seconds: 1))
        #expect(life.deliveredAt == nil, "it was meant for no device of ours")
        #expect(life.end == PushHistory.Ending(.rejected, at: WallTime(seconds: 3), reason: .unregistered))
        let waiting = try #require(host.lives(ofAPNSID: "2").first)
        #expect(waiting.ending(now: WallTime(seconds: 99)) == nil)
    }

    /// Goal: all outcomes, and all refusals, have different texts in the relay's answers.
    @Test func anAnswerSaysWhoseItIs() {
        #expect(RelayEnd.accepted.rejection == nil)
        #expect(RelayEnd.rejected(.badDeviceToken, timestamp: nil).rejection?.relay == .apple)
        #expect(RelayEnd.rejected(.serviceUnavailable, timestamp: nil).rejection?.relay == .apple)
        #expect(RelayEnd.rejected(.expiredProviderToken, timestamp: nil).rejection?.relay == .vendor)
        #expect(RelayEnd.unanswered.rejection?.relay == .unanswered)
        #expect(RelayEnd.unsent(nil).rejection?.relay == .unsent)
        for refusal in RelayRefusal.allCases {
            #expect(refusal.rejection.relay?.rawValue == refusal.rawValue && refusal.rejection.reason == refusal.reason)
        }
        let ends: [RelayWord] = [.apple, .vendor, .unanswered, .unsent, .unknown]
        let words = Set(RelayRefusal.allCases.compactMap(\.rejection.relay) + ends)
        #expect(words == Set(RelayWord.allCases))
        #expect(RelayWord(header: "day") == .dayIsFull && RelayWord(header: "of a later version") == .unknown)
    }

    /// Goal: for each app, an operator sees whether Apple accepts its key, by the latest answer, and "unknown" before
    /// the first.
    @Test func theStandingOfTheVendorsKeyIsThatOfTheLatestAnswer() throws {
        var host = Host()
        for _ in 0..<4 { _ = try host.perform(["@0", "push", "a9", "app", "sealed"]) }
        #expect(host.relay.standing(of: "app") == nil)
        for (step, end, answer) in [
            (1, "InvalidProviderToken", VendorKeyState.Answer.refused(.invalidProviderToken)), (2, "lost", .silence),
            (3, "BadDeviceToken", .taken), (4, "TopicDisallowed", .refused(.topicDisallowed)),
        ] {
            _ = try host.perform(["@\(step)", "end", "\(step)", end])
            let standing = try #require(host.relay.standing(of: "app"))
            #expect(standing.answer == answer && standing.at == WallTime(seconds: Int64(step)))
            #expect(host.relay.standing(of: "second") == nil)
        }
    }

    /// A sender can do nothing about the vendor's key, but can read all other reasons.
    @Test(arguments: Reason.allCases) func aReasonIsTheSendersUnlessItIsTheVendors(_ reason: Reason) {
        let answer = RelayEnd.rejected(reason, timestamp: nil).rejection?.reason
        let isVendors = reason.status == 403 || [.topicDisallowed, .tooManyProviderTokenUpdates].contains(reason)
        #expect(answer == (isVendors ? .internalServerError : reason))
    }
}

/// Feeds inputs to a gateway as its host does, and records the outputs.
private struct Host {
    private struct Failure: Error {}
    private static let device = DeviceKey(bytes: [1])
    private var gateway = Gateway(relayedApps: ["app", "second"])
    private let store = ModelPushStore()
    private var random = SeededGenerator(seed: 1)
    private var tickets: UInt64 = 0
    private var ids: [PushID] = []

    init() {}

    var relay: Relay { self.gateway.relay }

    func lives(ofAPNSID id: String) -> [PushHistory.Life] { self.gateway.history.lives(ofAPNSID: id) }

    mutating func perform(_ step: [String]) throws -> [String] {
        let seconds = try #require(Int64(step[0].dropFirst()))
        let (now, faults) = (WallTime(seconds: seconds), ["fail", "lose"])
        let words = Array(step.dropFirst(faults.contains(step[1]) ? 2 : 1))
        switch words[0] {
        case "account": return [try self.account(words[1], now)]
        case "waits": return [try self.wait(words[1], now)]
        case "restart":
            self.gateway = Gateway(relayedApps: ["app", "second"])
            return []
        default: break
        }
        let input = try self.input(words)
        var outputs: [Gateway.Output] = []
        do {
            try self.store.transaction { transaction in
                do {
                    let clocks = Now(monotonic: EngineInstant(sinceStart: .seconds(seconds)), wall: now)
                    let store: any PushStoreTransaction =
                        step[1] == "fail"
                        ? FaultyTransaction(base: transaction, fault: .writes)
                        : AnnouncedTransaction(transaction, self.gateway, input, now: now)
                    outputs = try self.gateway.handle(input, store, random: &self.random, now: clocks)
                } catch is FaultyTransaction.Failure {
                    outputs = self.gateway.failed(input)
                }
                if step[1] == "lose" { throw Failure() }
            }
            self.gateway.committed()
        } catch is Failure {
            outputs = self.gateway.commitFailed() + self.gateway.failed(input)
        }
        return outputs.map { self.describe($0) }
    }

    private mutating func input(_ words: [String]) throws -> Gateway.Input {
        switch words[0] {
        case "push": return try self.push(words, token: [9])
        // For a token that was issued here.
        case "own": return try self.push(Array(words.dropFirst()), token: try self.token(1, isDead: false))
        case "dead": return try self.push(Array(words.dropFirst()), token: try self.token(2, isDead: true))
        case "end": return .relayEnded(self.ids[try #require(Int(words[1])) - 1], try self.end(words[2]))
        case "sweep": return .sweepDue
        default: preconditionFailure("unknown step: \(words.joined(separator: " "))")
        }
    }

    private func token(_ number: UInt8, isDead: Bool) throws -> [UInt8] {
        let token = try #require(DeviceToken(bytes: [number]))
        let device = DeviceKey(bytes: [number])
        try self.store.transaction { transaction in
            guard try transaction.record(of: token) == nil else { return }
            let topic = "app.location-query"
            try transaction.insert(
                TokenRecord(token: token, device: device, topic: topic, usedAt: WallTime(seconds: 0), isPushed: true)
            )
            if isDead { try transaction.unregister(topic: topic, of: device, at: WallTime(seconds: 0)) }
        }
        return [number]
    }

    private mutating func push(_ words: [String], token: [UInt8]) throws -> Gateway.Input {
        self.tickets += 1
        let name = Sender.Name(teamID: String(words[1].prefix(1)), keyID: "k")
        let sender = Int(words[1].dropFirst()).map { Sender(name, pushesADay: $0) }
        let topic = ["app": "app.location-query", "other": "other.location-query", "alert": "app"][words[2]]
        let sealed = #"{"aps":{},"whereabouts":{"sealed":"AAAA"}}"#
        return .pushReceived(
            ValidPush(
                id: "\(self.tickets)",
                token: try #require(DeviceToken(bytes: token)),
                topic: try #require(topic),
                payload: Array((words[3] == "plain" ? "{}" : sealed).utf8),
                priority: .immediate,
                expiration: .once,
                collapseID: words[3] == "named" ? "Alice" : nil
            ),
            from: sender,
            ticket: self.tickets
        )
    }

    private func end(_ word: String) throws -> RelayEnd {
        switch word {
        case "ok": return .accepted
        case "lost": return .unanswered
        case "unsent": return .unsent(nil)
        case let word where word.hasPrefix("unsent:"): return .unsent(Reason(rawValue: String(word.dropFirst(7))))
        default:
            let parts = word.split(separator: "@").map(String.init)
            let time = parts.count > 1 ? WallTime(seconds: try #require(Int64(parts[1]))) : nil
            return .rejected(try #require(Reason(rawValue: parts[0])), timestamp: time)
        }
    }

    private func account(_ name: String, _ now: WallTime) throws -> String {
        var account = SenderAccount()
        try self.store.transaction { transaction in
            account = try transaction.account(of: Sender.Name(teamID: name, keyID: "k"), on: AccountDay(now))
        }
        let rejected = account.rejected.map { " \($0.reason.rawValue)=\($0.count)" }.joined()
        return "sent=\(account.sent) accepted=\(account.accepted)\(rejected) unanswered=\(account.unanswered)"
    }

    private func wait(_ name: String, _ now: WallTime) throws -> String {
        let clocks = Now(monotonic: EngineInstant(sinceStart: .seconds(now.seconds)), wall: now)
        var rest: Duration?
        try self.store.transaction { transaction in
            rest = try self.gateway.relay.waits(Sender.Name(teamID: name, keyID: "k"), transaction, now: clocks)
        }
        return rest.map { "\($0.components.seconds)" } ?? "over"
    }

    private static func words(_ rejection: Rejection?) -> String {
        guard let rejection else { return "ok" }
        return rejection.reason.rawValue + (rejection.timestamp.map { " @\($0.seconds)" } ?? "")
    }

    private func number(_ id: PushID) -> Int { (self.ids.firstIndex(of: id) ?? -1) + 1 }

    private mutating func describe(_ output: Gateway.Output) -> String {
        switch output {
        case .reply(let ticket, nil): return "taken(\(ticket))"
        case .reply(let ticket, let rejection?): return "rejected(\(ticket) \(Self.words(rejection)))"
        case .relay(_, let id, _):
            self.ids.append(id)
            return "relay(\(self.ids.count))"
        case .answer(let id, let rejection): return "answer(\(self.number(id)) \(Self.words(rejection)))"
        case .relayNote(.refused(let refusal)): return refusal.rawValue
        case .relayNote(.ended(let end)): return end.historyEnd.rawValue
        case .relayNote(.vendorRefused(let reason)): return "vendor(\(reason.rawValue))"
        case .relayNote(.senderWaits): return "waits"
        case .note(let note): return note.rawValue
        case .deliver, .registered, .unregistered, .close, .finished, .postponed, .trusted, .expired:
            return "of a device"
        }
    }
}
