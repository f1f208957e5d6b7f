internal import SharingEngine
internal import Synchronization
internal import Testing
internal import Vocabulary

/// A device's records in memory.
final class ModelRecords: SharerRecords {
    struct Full: Error {}

    private struct Contents {
        var seen = SeenRequests()
        var uses = GrantUses()
        var revoked: Set<GrantID> = []
        var isFull = false
    }

    private let contents = Mutex(Contents())

    var remembered: [RequestID] { self.contents.withLock { $0.seen.entries.map(\.id) } }

    func revoke(_ grant: GrantID) { self.contents.withLock { _ = $0.revoked.insert(grant) } }

    func fill() { self.contents.withLock { $0.isFull = true } }

    func isRevoked(_ grant: GrantID) -> Bool { self.contents.withLock { $0.revoked.contains(grant) } }

    func remember(_ id: RequestID, policy: SharingPolicy, now: WallTime) throws -> SeenRequests.OnReceived {
        try self.contents.withLock { contents in
            guard !contents.isFull else { throw Full() }
            return contents.seen.received(id, policy: policy, now: now)
        }
    }

    func use(_ grant: Grant, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed {
        try self.contents.withLock { contents in
            guard !contents.isFull else { throw Full() }
            return contents.uses.used(grant, policy: policy, now: now)
        }
    }
}

/// A device's answers, as transcripts and as a matrix of every state with every input.
struct AnsweringTests {
    /// One line per step, `@seconds input -> what is to be done`.
    ///
    /// `push N` is the push of request N, `fix` a measurement, `delivered N…` the server's reply with the requests that wait,
    /// `revoke` takes the grant back. `seal(N fix)` seals a fix for request N.
    @Test(arguments: [
        // A fix at hand: one request, no report.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix) post(10s)
        @0.2 delivered -> end
        @2 timer -> -
        """,
        // A fix that takes longer: the requester hears of it twice, and nothing waits for the reports.
        """
        @0 push 1 -> measure
        @0.29 timer -> -
        @0.3 timer -> report(1 woken)
        @1.9 timer -> -
        @2 timer -> report(1 locating)
        @9 timer -> -
        @12 none -> seal(1 unavailable) post(10s)
        @12.1 delivered -> end
        """,
        // One measurement answers all that wait, the oldest first; one that was seen is left out.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix) post(10s)
        @0.2 delivered 2 3 -> seal(2 fix) post(10s)
        @0.3 delivered 2 3 4 -> seal(3 fix) post(10s)
        @0.4 delivered 1 2 4 -> seal(4 fix) post(10s)
        @0.5 delivered 2 -> end
        """,
        // An answer that does not arrive is posted again, as it was sealed, until its patience ends.
        """
        @0 push 1 -> measure
        @1 fix -> seal(1 fix) post(10s)
        @1.1 fail -> -
        @1.5 timer -> post(9.5s)
        @1.6 fail -> -
        @2.3 timer -> post(8.7s)
        @10.9 fail -> end(network)
        """,
        // A server that knows no such request ends it.
        """
        @0 push 1 -> measure
        @1 fix -> seal(1 fix) post(10s)
        @1.1 rejected -> end(refused)
        """,
        // One bad request among those that wait loses none of the others; the failure is told at the end.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix) post(10s)
        @0.2 delivered 2 3 -> seal(2 fix) post(10s)
        @0.3 rejected -> seal(3 fix) post(10s)
        @0.4 delivered -> end(refused)
        """,
        // A refusal takes the course of an answer: it is measured for, and reported on, and told when the fix is there.
        """
        @0 push 5 -> measure
        @0.3 timer -> report(5 woken)
        @2 timer -> report(5 locating)
        @3 fix -> seal(5 refusal) post(10s)
        @3.1 delivered 1 -> seal(1 fix) post(10s)
        @3.2 delivered -> end
        """,
        // Without a fix the refusal is told all the same.
        """
        @0 push 5 -> measure
        @3 none -> seal(5 refusal) post(10s)
        @3.1 delivered -> end
        """,
        // The grant is looked at once more when the answer is sealed.
        """
        @0 push 1 -> measure
        @0.1 revoke -> -
        @0.2 fix -> seal(1 refusal) post(10s)
        @0.3 delivered 2 -> seal(2 refusal) post(10s)
        @0.4 delivered -> end
        """,
        // A disk that takes nothing leaves those that wait to their own pushes.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix) post(10s)
        @0.2 full -> -
        @0.3 delivered 2 -> end
        """,
    ]) func transcript(_ script: String) throws {
        var (machine, generator) = (Answering?.none, MiddleGenerator())
        let records = ModelRecords()
        for step in try Step.read(script) {
            switch step.words[0] {
            case "push":
                let began = try Self.began(step.words[1], records, now: step.now)
                machine = began.machine
                step.expect(began.effects.map(Self.text))
            case "revoke": records.revoke(try makeRequest().value.grant.value.id)
            case "full": records.fill()
            default:
                let input = try Self.input(step.words)
                let effects = machine?.handle(input, records, now: step.now, using: &generator)
                step.expect(try #require(effects).map(Self.text))
            }
        }
    }

    /// Request 5 asks for more than its grant allows; the others may know.
    private static func request(_ number: Substring) throws -> Verified<Request> {
        let id = try #require(UInt8(number))
        return try makeRequest(id, precision: .full, granted: id == 5 ? .reduced : .full)
    }

    private static func began(
        _ number: Substring,
        _ records: ModelRecords,
        now: Now = .at(0)
    ) throws -> (machine: Answering, effects: [Answering.Effect]) {
        let decided = try Receipt.requestReceived(
            self.request(number),
            by: identity(3),
            records,
            policy: SharingPolicy(),
            now: now.wall
        )
        guard case .answer(let receipt) = decided else { throw FixtureError() }
        return Answering.began(receipt, records, policy: SharingPolicy(), now: now)
    }

    private static func input(_ words: [Substring]) throws -> Answering.Input {
        switch words[0] {
        case "fix":
            .measured(.fix(try SharedFix(latitude: 1, longitude: 2, horizontalAccuracy: 3, time: noon)))
        case "none": .measured(.unavailable("no sky"))
        case "delivered": .delivered(pending: try words.dropFirst().map(self.request))
        case "fail": .attemptFailed(SharingError(.network, "no reply"))
        case "rejected": .rejected(SharingError(.refused, "who?"))
        case "timer": .deadlineReached
        default: throw FixtureError()
        }
    }

    private static func text(_ effect: Answering.Effect) -> String {
        func number(_ receipt: Receipt) -> UInt8 { receipt.request.id.bytes[0] }
        switch effect {
        case .measure: return "measure"
        case .report(let progress, let receipt): return "report(\(number(receipt)) \(progress))"
        case .seal(.fix, let receipt): return "seal(\(number(receipt)) fix)"
        case .seal(.refusal, let receipt): return "seal(\(number(receipt)) refusal)"
        case .seal(.unavailable, let receipt): return "seal(\(number(receipt)) unavailable)"
        case .post(let timeout): return "post(\(SharingEngineTests.text(timeout)))"
        case .end(nil): return "end"
        case .end(let error?): return error.code == .network ? "end(network)" : "end(refused)"
        }
    }

    // MARK: The matrix

    enum Start: CaseIterable {
        case measuring, woken, locating, answering, pausing, ended

        /// The machine at second 3.
        func machine(_ records: ModelRecords) throws -> Answering {
            var (machine, _) = try AnsweringTests.began("1", records)
            var generator = MiddleGenerator()
            let script: [(at: Double, words: [Substring])] =
                switch self {
                case .measuring: []
                case .woken: [(0.3, ["timer"])]
                case .locating: [(0.3, ["timer"]), (2, ["timer"])]
                case .answering: [(3, ["fix"])]
                case .pausing: [(3, ["fix"]), (3, ["fail"])]
                case .ended: [(3, ["fix"]), (3, ["delivered"])]
                }
            for (at, words) in script {
                let input = try AnsweringTests.input(words)
                _ = machine.handle(input, records, now: .at(at), using: &generator)
            }
            return machine
        }
    }

    enum Input: String, CaseIterable {
        case fix, none, fail, rejected, timer
        case delivered
        case deliveredMore = "delivered 2"
    }

    private static func expected(_ start: Start, _ input: Input) -> String {
        switch (start, input) {
        case (.measuring, .fix), (.woken, .fix), (.locating, .fix): "seal(1 fix) post(10s)"
        case (.measuring, .none), (.woken, .none), (.locating, .none): "seal(1 unavailable) post(10s)"
        case (.measuring, .timer): "report(1 woken)"
        case (.woken, .timer): "report(1 locating)"
        case (.pausing, .timer): "post(8.5s)"
        case (.answering, .delivered): "end"
        case (.answering, .deliveredMore): "seal(2 fix) post(10s)"
        case (.answering, .rejected): "end(refused)"
        case (.measuring, _), (.woken, _), (.locating, _), (.answering, _), (.pausing, _), (.ended, _): "-"
        }
    }

    @Test(arguments: Start.allCases, Input.allCases) func matrix(start: Start, input: Input) throws {
        let records = ModelRecords()
        let before = try start.machine(records)
        var (machine, generator) = (before, MiddleGenerator())
        let words = input.rawValue.split(separator: " ")
        let effects = machine.handle(try Self.input(words), records, now: .at(4.5), using: &generator)
        #expect((effects.isEmpty ? "-" : effects.map(Self.text).joined(separator: " ")) == Self.expected(start, input))
        if start == .ended { #expect(machine == before) }
    }

    // MARK: Receiving

    @Test func requestIsRememberedBeforeItIsAnswered() throws {
        let records = ModelRecords()
        _ = try Self.began("1", records)
        #expect(records.remembered == [try makeRequest(1).value.id])
        let (request, me) = (try makeRequest(1), try identity(3))
        let again = try Receipt.requestReceived(request, by: me, records, policy: SharingPolicy(), now: noon)
        guard case .drop(let error) = again else { throw FixtureError() }
        #expect(error.code == .replayed)
        records.fill()
        #expect(throws: ModelRecords.Full.self) {
            try Receipt.requestReceived(makeRequest(2), by: me, records, policy: SharingPolicy(), now: noon)
        }
    }

    @Test func requestForSomebodyElseIsNotRemembered() throws {
        let records = ModelRecords()
        let decided = try Receipt.requestReceived(
            makeRequest(),
            by: identity(9),
            records,
            policy: SharingPolicy(),
            now: noon
        )
        guard case .drop(let error) = decided else { throw FixtureError() }
        #expect(error.code == .notForUs && records.remembered.isEmpty)
    }
}
