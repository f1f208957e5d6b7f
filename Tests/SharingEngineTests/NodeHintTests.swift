internal import SystemSimulator
internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingEngine

/// Tests for servers that share a store and notify each other.
struct NodeHintTests {
    /// Servers with one store; hints wait until a test delivers or drops them.
    private struct Nodes {
        var cores: [SharingCore]
        var store = ModelRequestStore()
        var hints: [(sender: Int, hint: NodeHint)] = []
        /// All effects of each server but accesses, hints and notes, since the last ``take(_:)``.
        var effects: [[SharingCore.Effect]]

        init(count: Int = 2) {
            self.cores = (0..<count).map { _ in
                SharingCore(policy: SharingPolicy(), streamsMax: 10, hasPeers: true, now: .at(0))
            }
            self.effects = self.cores.map { _ in [] }
        }

        mutating func feed(_ input: SharingCore.Input, to node: Int, at seconds: Double = 0) throws {
            for effect in self.cores[node].handle(input, now: .at(seconds)) {
                switch effect {
                case .access(let access): try self.run(access, node, at: seconds)
                case .hint(let hint): self.hints.append((node, hint))
                case .note: break
                default:
                    self.effects[node].append(effect)
                    if case .tell(let ticket, _, false) = effect {
                        try self.feed(.told(ticket), to: node, at: seconds)
                    }
                }
            }
        }

        private mutating func run(_ access: SharingCore.Access, _ node: Int, at seconds: Double) throws {
            let (server, now) = (self.cores[node].server, Now.at(seconds).wall)
            switch access {
            case .read(let query):
                let found = try self.store.read { try server.read(query, $0, now: now) }
                try self.feed(.found(found), to: node, at: seconds)
            case .write(let change):
                let (decision, changed) = try self.store.transaction { try server.write(change, $0, now: now) }
                if let changed { self.store = changed }
                try self.feed(.found(decision.reply, decision.effects), to: node, at: seconds)
            }
        }

        mutating func state(_ statement: SharingCore.Statement, to node: Int) throws {
            try self.feed(.stated(statement, from: AddressBlock([192, 0, 2, 1]), 1), to: node)
        }

        mutating func ask(
            _ question: SharingCore.Question,
            _ ticket: UInt64,
            _ node: Int,
            at seconds: Double = 0
        ) throws {
            try self.feed(.asked(question, from: AddressBlock([192, 0, 2, 1]), ticket), to: node, at: seconds)
        }

        /// Delivers the hints to all servers but their sender, until there are none.
        mutating func deliver(at seconds: Double = 0) throws {
            while !self.hints.isEmpty {
                let (sender, hint) = self.hints.removeFirst()
                for node in self.cores.indices where node != sender {
                    try self.feed(.hinted(hint), to: node, at: seconds)
                }
            }
        }

        mutating func take(_ node: Int) -> [SharingCore.Effect] {
            defer { self.effects[node] = [] }
            return self.effects[node]
        }

        /// Registers the sharer's device at the second server, and asks it through the first.
        mutating func begin(follows: Bool = false) throws -> Verified<Request> {
            let minutes: UInt16? = follows ? 60 : nil
            let request = try makeRequest(until: after(86_400), followMinutesMax: minutes, followMinutes: minutes)
            try self.state(.register(try makeRegistration()), to: 1)
            try self.state(.request(request), to: 0)
            self.hints = []
            self.effects = self.cores.map { _ in [] }
            return request
        }
    }

    private func permit(_ request: Verified<Request>) throws -> Verified<ReadPermit> {
        verified(ReadPermit(request: request.value.id, requester: try identity(4)))
    }

    private func update(_ request: Verified<Request>, _ bytes: [UInt8]) throws -> SharingCore.Question {
        let update = SealedUpdate(request: request.value.id, sharer: try identity(3), sealed: [])
        return .update(verified(update), bytes: bytes)
    }

    private func report(_ request: Verified<Request>) throws -> SharingCore.Statement {
        .report(verified(DeviceReport(request: request.value.id, sharer: try identity(3), progress: .woken)))
    }

    /// The states that streams were sent.
    private func states(_ effects: [SharingCore.Effect]) -> [RequestState.Kind] {
        effects.flatMap { effect -> [RequestState.Kind] in
            guard case .tell(_, .states(let states), _) = effect else { return [] }
            return states.map(\.state.kind)
        }
    }

    /// The updates that streams were sent.
    private func updates(_ effects: [SharingCore.Effect]) -> [[UInt8]] {
        effects.compactMap { effect in
            guard case .tell(_, .update(let update), _) = effect else { return nil }
            return update
        }
    }

    @Test func aRequesterSeesAtOnceWhatADeviceReportsToAnotherServer() throws {
        var nodes = Nodes()
        let request = try nodes.begin()
        try nodes.ask(.stream(.states, try self.permit(request)), 3, 0)
        #expect(self.states(nodes.take(0)) == [.accepted])
        try nodes.state(try self.report(request), to: 1)
        #expect(nodes.take(0) == [] && nodes.hints.map(\.hint) == [.changed(request.value.id)])
        try nodes.deliver()
        #expect(self.states(nodes.take(0)) == [.woken])
    }

    /// A client of server 0 watches a request, server 1 stores a change of it, and the hint is lost.
    private func nodesAfterALostHint() throws -> Nodes {
        var nodes = Nodes()
        let request = try nodes.begin()
        try nodes.ask(.stream(.states, try self.permit(request)), 3, 0)
        try nodes.state(try self.report(request), to: 1)
        nodes.hints = []
        _ = nodes.take(0)
        return nodes
    }

    /// Goal: without any hint, a reader gets the state with the next poll.
    @Test func aLostHintCostsAPoll() throws {
        var nodes = try self.nodesAfterALostHint()
        try nodes.feed(.deadlineReached, to: 0, at: EventStreams.pollInterval / .seconds(1))
        #expect(self.states(nodes.take(0)) == [.woken])
    }

    @Test func aNewConnectionOfTheHintsReadsForAllStreams() throws {
        var nodes = try self.nodesAfterALostHint()
        try nodes.feed(.hintsMissed, to: 0)
        #expect(self.states(nodes.take(0)) == [.woken])
    }

    @Test func aFollowerSeesUpdatesThatADeviceSendsToAnotherServer() throws {
        var nodes = Nodes()
        let request = try nodes.begin(follows: true)
        let id = request.value.id
        // Without a follower, the other server gets nothing.
        try nodes.ask(try self.update(request, [1]), 3, 1)
        #expect(nodes.hints.isEmpty && nodes.take(1) == [.reply(3, .shown(isWatched: false))])
        // A new follower gets the newest update at once.
        try nodes.ask(.stream(.updates, try self.permit(request)), 4, 0)
        #expect(nodes.hints.map(\.hint) == [.watched(id, wantsNewest: true)])
        try nodes.deliver()
        #expect(self.updates(nodes.take(0)) == [[1]])
        try nodes.ask(try self.update(request, [2]), 5, 1)
        #expect(nodes.take(1) == [.reply(5, .shown(isWatched: true))])
        try nodes.deliver()
        #expect(self.updates(nodes.take(0)) == [[2]])
        // The same update is not sent twice: the follower would report a fault.
        try nodes.feed(.hinted(.update([2], of: id)), to: 0)
        #expect(nodes.take(0) == [])
    }

    /// Goal: a live share counts as watched while the follower's server repeats that, and not much longer.
    @Test func theReportOfAFollowerIsRepeatedAndExpires() throws {
        var nodes = Nodes()
        let request = try nodes.begin(follows: true)
        let poll = EventStreams.pollInterval / .seconds(1)
        try nodes.ask(.stream(.updates, try self.permit(request)), 3, 0)
        nodes.hints = []
        try nodes.feed(.deadlineReached, to: 0, at: poll)
        #expect(nodes.hints.map(\.hint) == [.watched(request.value.id, wantsNewest: true)])
        try nodes.deliver(at: poll)
        try nodes.feed(.streamClosed(3), to: 0, at: poll)
        let end = poll + UpdateBoard.watchedElsewhere / .seconds(1)
        for (ticket, time) in [(UInt64(4), end - 1), (5, end + 1)] {
            try nodes.ask(try self.update(request, [UInt8(ticket)]), ticket, 1, at: time)
        }
        #expect(nodes.take(1).suffix(2) == [.reply(4, .shown(isWatched: true)), .reply(5, .shown(isWatched: false))])
    }

    /// Goal: when a device changes its server, the old server's update never replaces the newer one.
    @Test func onlyTheServerThatGotTheNewestUpdateSendsIt() throws {
        var nodes = Nodes(count: 3)
        let request = try nodes.begin(follows: true)
        try nodes.ask(.stream(.updates, try self.permit(request)), 3, 0)
        try nodes.deliver()
        for (node, update) in [(1, UInt8(1)), (2, 2)] {
            try nodes.ask(try self.update(request, [update]), 4, node)
            try nodes.deliver()
        }
        #expect(self.updates(nodes.take(0)) == [[1], [2]])
        try nodes.feed(.hintsMissed, to: 0)
        try nodes.deliver()
        #expect(self.updates(nodes.take(0)) == [])
    }

    @Test func theEndOfALiveShareReachesAFollowerOfAnotherServer() throws {
        var nodes = Nodes()
        let request = try nodes.begin(follows: true)
        try nodes.ask(.stream(.updates, try self.permit(request)), 3, 0)
        _ = nodes.take(0)
        let end = FollowingEnd(request: request.value.id, author: try identity(3), time: noon, reason: .bySharer)
        try nodes.state(.end(verified(end), bytes: [9]), to: 1)
        try nodes.deliver()
        #expect(nodes.take(0).last == .tell(3, .ended(.bySharer, statement: [9]), isLast: true))
    }

    @Test func hintsAreTexts() throws {
        let id = try makeRequest().value.id
        let hints: [NodeHint] = [
            .changed(id), .watched(id, wantsNewest: true), .watched(id, wantsNewest: false),
            .update([0, 255, 7], of: id),
        ]
        for hint in hints { #expect(NodeHint(hint.text) == hint) }
        for text in ["", "c", "c\(id)0", "x\(id)", "u\(id)", "u\(id)=", String("c\(id)".dropLast())] {
            #expect(NodeHint(text) == nil)
        }
        // PostgreSQL limits a text to 7,999 bytes, and the server a body to 4,096.
        #expect(NodeHint.update(Array(repeating: 0, count: 4096), of: id).text.utf8.count < 8000)
    }

    @Test func theQueueKeepsTheNewestUpdateAndIsBounded() throws {
        var queue = HintQueue()
        let id = try makeRequest().value.id
        for hint in [NodeHint.update([1], of: id), .changed(id), .changed(id), .update([2], of: id)] { queue.add(hint) }
        #expect(queue.takeBatch() == [.update([2], of: id), .changed(id)])
        for number in 0...HintQueue.waitingMax { queue.add(.changed(RequestID(high: 0, low: UInt64(number)))) }
        var batches: [[NodeHint]] = []
        while batches.last?.isEmpty != true { batches.append(queue.takeBatch()) }
        #expect(batches.map(\.count).max() == HintQueue.batchMax)
        #expect(batches.joined().count == HintQueue.waitingMax)
        #expect(batches.first?.first == .changed(RequestID(high: 0, low: 0)))
    }
}
