internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// Goal: the relay's account equals what was sent, whatever Apple, the disk and the process do (with a seed).
@Suite struct RelaySimulationTests {
    private struct Lost: Error {}

    /// The account of one sender, kept independently of the relay's.
    private struct Books: Equatable {
        var sent = 0
        var accepted = 0
        var rejected = 0
    }

    private static let day = AccountDay(WallTime(seconds: 0))
    private static let pushesADay = 150
    private static let names = ["a", "b", "c"].map { Sender.Name(teamID: $0, keyID: "k") }

    private var gateway = Gateway(relayedApps: ["app"])
    private let store = ModelPushStore()
    private var random: SeededGenerator
    private var tickets: UInt64 = 0
    /// The pushes in flight at Apple, including those without a waiting sender.
    private var out: [(id: PushID, sender: Sender.Name, isOfThisProcess: Bool)] = []
    private var books: [Sender.Name: Books] = [:]
    private var answered: Set<PushID> = []

    init() { self.random = SeededGenerator(seed: 0) }

    /// Handles an input in a transaction that may be lost.
    private mutating func feed(_ input: Gateway.Input, at seconds: Int64) throws -> [Gateway.Output] {
        let isLost = Int.random(in: 0..<8, using: &self.random) == 0
        let isRefused = Int.random(in: 0..<8, using: &self.random) == 0
        var outputs: [Gateway.Output] = []
        do {
            try self.store.transaction { transaction in
                do {
                    let store: any PushStoreTransaction =
                        isRefused ? FaultyTransaction(base: transaction, fault: .writes) : transaction
                    let now = Now(
                        monotonic: EngineInstant(sinceStart: .seconds(seconds)),
                        wall: WallTime(seconds: seconds)
                    )
                    outputs = try self.gateway.handle(input, store, random: &self.random, now: now)
                } catch is FaultyTransaction.Failure {
                    outputs = self.gateway.failed(input)
                }
                if isLost { throw Lost() }
            }
            self.gateway.committed()
        } catch is Lost {
            outputs = self.gateway.commitFailed() + self.gateway.failed(input)
        }
        return outputs
    }

    private mutating func push(at seconds: Int64) throws {
        self.tickets += 1
        let sender = Self.names[Int.random(in: 0..<3, using: &self.random)]
        let push = ValidPush(
            id: "\(self.tickets)",
            token: try #require(DeviceToken(bytes: [1])),
            topic: "app.location-query",
            payload: Array(#"{"aps":{},"whereabouts":{"sealed":"AAAA"}}"#.utf8),
            priority: .immediate,
            expiration: .once,
            collapseID: nil
        )
        let from = Sender(sender, pushesADay: Self.pushesADay)
        var ends = 0
        for output in try self.feed(.pushReceived(push, from: from, ticket: self.tickets), at: seconds) {
            switch output {
            case .relay(_, let id, _):
                self.out.append((id, sender, true))
                self.books[sender, default: Books()].sent += 1
                ends += 1
            case .reply: ends += 1
            default: break
            }
        }
        #expect(ends == 1, "a push goes out or is answered, and never both")
        let underWay = self.out.count { $0.sender == sender && $0.isOfThisProcess }
        #expect(underWay <= Relay.underWayMax && underWay == self.gateway.relay.underWay(of: sender))
    }

    /// Apple answers a push, possibly one from before a restart.
    private mutating func end(at seconds: Int64) throws {
        guard let index = self.out.indices.randomElement(using: &self.random) else { return }
        let flight = self.out.remove(at: index)
        let ends: [RelayEnd] = [
            .accepted, .rejected(.badDeviceToken, timestamp: nil), .rejected(.forbidden, timestamp: nil), .unanswered,
            .unsent(nil),
        ]
        let end = try #require(ends.randomElement(using: &self.random))
        let isRepeated = Int.random(in: 0..<4, using: &self.random) == 0
        for _ in 0..<(isRepeated ? 2 : 1) {
            for output in try self.feed(.relayEnded(flight.id, end), at: seconds) {
                switch output {
                case .answer(let id, let rejection):
                    #expect(flight.isOfThisProcess || self.gateway.relay.flight(id) == nil)
                    // A repeated outcome whose first report could be written answers no sender, because the host knows
                    // no such request.
                    self.answered.insert(id)
                    #expect(rejection == end.rejection)
                case .relayNote(.ended(.accepted)): self.books[flight.sender, default: Books()].accepted += 1
                case .relayNote(.ended(.unsent)): self.books[flight.sender, default: Books()].sent -= 1
                case .relayNote(.ended(.rejected)): self.books[flight.sender, default: Books()].rejected += 1
                default: break
                }
            }
        }
        #expect(self.answered.contains(flight.id) || !flight.isOfThisProcess, "who asked hears the end")
    }

    private func check() throws {
        try self.store.transaction { transaction in
            for name in Self.names {
                let account = try transaction.account(of: name, on: Self.day)
                let rejected = account.rejected.reduce(0) { $0 + $1.count }
                let books = Books(sent: account.sent, accepted: account.accepted, rejected: rejected)
                #expect(books == self.books[name] ?? Books())
                #expect(account.sent <= Self.pushesADay && account.unanswered >= 0)
            }
        }
    }

    private mutating func run(_ seed: UInt64) throws {
        self.random = SeededGenerator(seed: seed)
        for step in 0..<1500 {
            // Within one day, in which a wait of an hour ends.
            let seconds = Int64(step) * 50
            switch Int.random(in: 0..<200, using: &self.random) {
            case 0:
                self.gateway = Gateway(relayedApps: ["app"])
                self.out = self.out.map { ($0.id, $0.sender, false) }
            case 1..<120: try self.push(at: seconds)
            default: try self.end(at: seconds)
            }
            if step.isMultiple(of: 100) { try self.check() }
        }
        try self.check()
        #expect(self.books.values.contains { $0.accepted > 10 && $0.rejected > 10 })
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func theMeterIsWhatWentOut(_ seed: UInt64) throws {
        var simulation = RelaySimulationTests()
        try simulation.run(seed)
    }
}
