internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// Tests the pool with a server and a network that are driven by a seed.
@Suite struct PushPoolSimulationTests {
    /// A connection as the server sees it.
    private struct Server {
        var hasSettings = false
        /// The unanswered streams; whether the server processed each.
        var streams: [(id: Int32, ticket: UInt64, isProcessed: Bool)] = []
        var isClosing = false
    }

    private var pool = PushPool(pushesMax: 50, seed: 7)
    private var servers: [Int: Server] = [:]
    private var now = EngineInstant(sinceStart: .zero)
    private var submitted: Set<UInt64> = []
    private var outcomes: [UInt64: PushPool.Outcome] = [:]
    private var processed: [UInt64: Int] = [:]
    private var hasEnded = false

    private mutating func feed(_ input: PushPool.Input) {
        let wall = WallTime(seconds: 1_800_000_000).advanced(by: self.now.sinceStart)
        for effect in self.pool.handle(input, now: Now(monotonic: self.now, wall: wall)) {
            switch effect {
            case .connect(let id): self.servers[id] = Server()
            case .send(let ticket, let id, let stream):
                #expect(self.servers[id]?.hasSettings == true)
                self.servers[id]?.streams.append((stream, ticket, false))
            case .reset(let id, let stream): self.servers[id]?.streams.removeAll { $0.id == stream }
            case .close(let id): self.servers[id]?.isClosing = true
            case .finish(let ticket, let outcome):
                #expect(self.outcomes[ticket] == nil, "a push ends once")
                self.outcomes[ticket] = outcome
            case .ended: self.hasEnded = true
            case .makeToken, .ping, .note: break
            }
        }
    }

    /// An event on one of the connections.
    private mutating func happen(_ random: inout SeededGenerator) {
        guard let id = self.servers.keys.sorted().randomElement(using: &random), let server = self.servers[id] else {
            return
        }
        if server.isClosing {
            self.servers[id] = nil
            return self.feed(.connectionEnded(connection: id))
        }
        guard server.hasSettings else {
            if Int.random(in: 0..<4, using: &random) == 0 {
                self.servers[id] = nil
                return self.feed(.connectionEnded(connection: id))
            }
            self.servers[id]?.hasSettings = true
            return self.feed(.settingsReceived(connection: id, streamsMax: Int.random(in: 0...3, using: &random)))
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            self.servers[id] = nil
            self.feed(.connectionEnded(connection: id))
        case 1:
            let last = server.streams.last { $0.isProcessed }?.id ?? 0
            self.servers[id]?.streams.removeAll { $0.id > last }
            self.feed(.goAwayReceived(connection: id, lastStream: last, nil))
        case 2: self.feed(.settingsReceived(connection: id, streamsMax: Int.random(in: 0...4, using: &random)))
        case 3: self.feed(.heard(connection: id))
        default:
            guard let index = server.streams.indices.randomElement(using: &random) else { return }
            let stream = server.streams[index]
            if !stream.isProcessed, Int.random(in: 0..<5, using: &random) == 0 {
                self.servers[id]?.streams.remove(at: index)
                self.feed(.streamEnded(connection: id, stream: stream.id, isRefused: true))
            } else if !stream.isProcessed {
                self.servers[id]?.streams[index].isProcessed = true
                self.processed[stream.ticket, default: 0] += 1
            } else {
                self.servers[id]?.streams.remove(at: index)
                let isStale = Int.random(in: 0..<20, using: &random) == 0
                // The answer says that the request was not processed.
                if isStale { self.processed[stream.ticket, default: 0] -= 1 }
                let verdict: PushVerdict =
                    isStale ? .rejected(.expiredProviderToken, timestamp: nil) : .accepted(.init())
                self.feed(.answered(connection: id, stream: stream.id, verdict))
            }
        }
    }

    private mutating func advance(by duration: Duration) {
        let until = self.now.advanced(by: duration)
        while let deadline = self.pool.deadline, deadline <= until {
            self.now = max(self.now, deadline)
            let before = self.pool.deadline
            self.feed(.deadlineReached)
            if self.pool.deadline == before {
                Issue.record("the deadline stays at \(deadline.sinceStart)")
                return
            }
        }
        self.now = until
    }

    /// Goal: whatever happens, each push ends once and in time, and the server processes none twice.
    @Test(arguments: 0..<300 as Range<UInt64>) func everyPushEndsOnceAndIsProcessedAtMostOnce(seed: UInt64) {
        var world = PushPoolSimulationTests()
        var random = SeededGenerator(seed: seed)
        var ticket: UInt64 = 0
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                ticket += 1
                world.submitted.insert(ticket)
                let timeout = Duration.milliseconds(Int64.random(in: 1...20_000, using: &random))
                world.feed(.submitted(ticket: ticket, deadline: world.now.advanced(by: timeout)))
            case 4: world.feed(.cancelled(ticket: UInt64.random(in: 0...ticket, using: &random)))
            case 5: world.advance(by: .milliseconds(Int64.random(in: 0...4000, using: &random)))
            default: world.happen(&random)
            }
            #expect(world.pool.connectionsOpen < 20)
        }
        world.feed(.shutdownBegan)
        // The greatest timeout of a push.
        world.advance(by: .seconds(21))
        #expect(Set(world.outcomes.keys) == world.submitted)
        for id in world.servers.keys.sorted() { world.feed(.connectionEnded(connection: id)) }
        #expect(world.hasEnded)
        for (ticket, times) in world.processed { #expect(times <= 1, "push \(ticket)") }
        for (ticket, outcome) in world.outcomes {
            if case .answered(.accepted) = outcome { #expect(world.processed[ticket] == 1) }
            if case .timedOut(wasSent: false) = outcome { #expect(world.processed[ticket, default: 0] == 0) }
        }
    }
}
