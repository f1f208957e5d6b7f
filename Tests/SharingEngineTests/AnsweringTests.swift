internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for a device's answers, as transcripts and as a matrix of every state with every input.
struct AnsweringTests {
    /// One line per step, `@seconds input -> what is to be done`.
    ///
    /// `push N` is the push of request N, `fix` a measurement, `delivered N…` the server's reply with the requests that wait,
    /// `late N…` the same of a request that had ended, `revoke` takes the grant back, `remove` the device, `die` ends the process. `seal(N fix)` seals a fix for request N, and `sealed N` is its answer.
    @Test(arguments: [
        // A position is available: one request, and no progress report.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 delivered -> end
        @2 timer -> -
        """,
        // A position that takes longer: the requester gets two progress reports, and nothing waits for them.
        """
        @0 push 1 -> measure
        @0.29 timer -> -
        @0.3 timer -> report(1 woken)
        @1.9 timer -> -
        @2 timer -> report(1 locating)
        @9 timer -> -
        @12 none -> seal(1 unavailable)
        @12 sealed 1 -> post(1 5s)
        @12.1 delivered -> end
        """,
        // One measurement answers all waiting requests, oldest first; an answered one is left out.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 delivered 2 3 -> seal(2 fix)
        @0.2 sealed 2 -> post(2 5s)
        @0.3 delivered 2 3 4 -> seal(3 fix)
        @0.3 sealed 3 -> post(3 5s)
        @0.4 delivered 1 2 4 -> seal(4 fix)
        @0.4 sealed 4 -> post(4 5s)
        @0.5 delivered 2 -> end
        """,
        // An answer that does not arrive is posted again unchanged, while the process has time.
        """
        @0 push 1 -> measure
        @1 fix -> seal(1 fix)
        @1 sealed 1 -> post(1 5s)
        @6 fail -> -
        @6.4 timer -> post(1 5s)
        @11.4 fail -> -
        @12.1 timer -> post(1 5s)
        @17.1 fail -> -
        @18.4 timer -> post(1 5s)
        @23.4 fail -> end(network)
        """,
        // A server that did not respond for 12 s gets the answer then.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @5.1 fail -> -
        @5.5 timer -> post(1 5s)
        @10.5 fail -> -
        @11.2 timer -> post(1 5s)
        @12 delivered -> end
        """,
        // A stored answer is delivered at the request's next push, without another measurement.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 die -> -
        @9 push 1 -> post(1 5s)
        @9.1 delivered -> end
        """,
        // Or at the push of another request, after that one is answered; no answer is sent twice.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 die -> -
        @9 push 2 -> measure
        @9.1 fix -> seal(2 fix)
        @9.1 sealed 2 -> post(2 5s)
        @9.2 delivered -> post(1 5s)
        @9.3 rejected -> end(refused)
        @10 push 3 -> measure
        @10 fix -> seal(3 fix)
        @10 sealed 3 -> post(3 5s)
        @10 delivered -> end
        """,
        // A process dies before the answer is stored: the request is answered at its next delivery.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.2 die -> -
        @9 push 1 -> measure
        @9.1 fix -> seal(1 fix)
        @9.1 sealed 1 -> post(1 5s)
        @9.2 delivered -> end
        """,
        // An answer in transit is not sent again after its grant was revoked.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @5.1 fail -> -
        @5.2 revoke -> -
        @5.5 timer -> end
        """,
        // The same holds for an answer that an earlier process stored.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 die -> -
        @5 revoke -> -
        @9 push 1 -> end
        """,
        // A server that does not know the request ends it.
        """
        @0 push 1 -> measure
        @1 fix -> seal(1 fix)
        @1 sealed 1 -> post(1 5s)
        @1.1 rejected -> end(refused)
        """,
        // One invalid request among the waiting ones does not affect the others; the failure is reported at the end.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 delivered 2 3 4 -> seal(2 fix)
        @0.2 unsealable -> seal(3 fix)
        @0.2 sealed 3 -> post(3 5s)
        @0.3 rejected -> seal(4 fix)
        @0.3 sealed 4 -> post(4 5s)
        @0.4 delivered -> end(refused)
        """,
        // This also holds for the first one.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 unsealable -> end(refused)
        """,
        // A steady stream of requests does not keep the process alive: later ones wait for their own pushes.
        """
        @0 push 1 -> measure
        @24 fix -> seal(1 fix)
        @24 sealed 1 -> post(1 1s)
        @24.9 delivered 2 3 -> seal(2 fix)
        @24.9 sealed 2 -> post(2 0.1s)
        @25 delivered 3 4 -> end
        """,
        // A refusal follows the course of an answer: the device measures, reports progress, and then refuses.
        """
        @0 push 5 -> measure
        @0.3 timer -> report(5 woken)
        @2 timer -> report(5 locating)
        @3 fix -> seal(5 refusal)
        @3 sealed 5 -> post(5 5s)
        @3.1 delivered 1 -> seal(1 fix)
        @3.1 sealed 1 -> post(1 5s)
        @3.2 delivered -> end
        """,
        // Without a position, the refusal is still sent.
        """
        @0 push 5 -> measure
        @3 none -> seal(5 refusal)
        @3 sealed 5 -> post(5 5s)
        @3.1 delivered -> end
        """,
        // A valid friend behind a refused one gets a separate decision, and the other way round.
        """
        @0 push 5 -> measure
        @0.1 fix -> seal(5 refusal)
        @0.1 sealed 5 -> post(5 5s)
        @0.2 delivered 1 6 -> seal(1 fix)
        @0.2 sealed 1 -> post(1 5s)
        @0.3 delivered 6 -> seal(6 refusal)
        @0.3 sealed 6 -> post(6 5s)
        @0.4 delivered -> end
        """,
        // The grant is checked again when the answer is sealed.
        """
        @0 push 1 -> measure
        @0.1 revoke -> -
        @0.2 fix -> seal(1 refusal)
        """,
        // A grant with consent: the measurement waits for the person's answer.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @0.3 timer -> -
        @1 fix -> -
        @2 yes 1 -> -
        @2.9 yes 7 -> seal(7 fix)
        @2.9 sealed 7 -> post(7 5s)
        @3 delivered -> end
        """,
        // A request without consent does not wait for it.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 delivered 7 2 -> seal(2 fix)
        @0.2 sealed 2 -> post(2 5s)
        @0.3 delivered 7 -> report(7 asking) ask(7 19.7s)
        @1 yes 7 -> seal(7 fix)
        @1 sealed 7 -> post(7 5s)
        @1.1 delivered -> end
        """,
        // A late "yes" does not reveal where the person was before the question.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @16 yes 7 -> measure
        @17 fix -> seal(7 fix)
        @17 sealed 7 -> post(7 5s)
        @17.1 delivered -> end
        """,
        // An old position with its time is better than none, if the receiver lost it or finds no new one.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @16 yes 7 -> measure
        @17 none -> seal(7 fix)
        @17 sealed 7 -> post(7 5s)
        """,
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @19 yes 7 -> measure
        @19.9 timer -> -
        @20 timer -> seal(7 fix)
        @20.5 fix -> -
        @20.5 sealed 7 -> post(7 4.5s)
        """,
        // A position that was not found while the person decided is measured again.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 none -> -
        @10 yes 7 -> measure
        @11 fix -> seal(7 fix)
        """,
        // A grant that is revoked while the device measures again gets no position.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @10 yes 7 -> measure
        @10.5 revoke -> -
        @11 fix -> -
        @19.9 timer -> report(7 asking)
        @20 timer -> seal(7 refusal)
        """,
        // A request that waited behind another one is not answered with an old position.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @5 delivered 2 3 -> measure
        @6 fix -> seal(2 fix)
        @6 sealed 2 -> post(2 5s)
        @6.1 delivered 3 -> seal(3 fix)
        """,
        // Or the person's answer for the measurement.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @2 yes 7 -> -
        @20 timer -> -
        @21 fix -> seal(7 fix)
        """,
        // A "no" is reported when the person's time is over, like a missing answer; it cannot be changed.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @2 no 7 -> -
        @3 yes 7 -> -
        @19.9 timer -> report(7 asking)
        @20 timer -> seal(7 refusal)
        @20 sealed 7 -> post(7 5s)
        @20.1 delivered -> end
        """,
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @20 timer -> seal(7 refusal)
        @20.5 fix -> -
        @20.5 yes 7 -> -
        @20.5 sealed 7 -> post(7 4.5s)
        """,
        // A request that breaks another rule causes no question, and takes as long.
        """
        @0 push 8 -> report(8 asking) measure
        @1 fix -> -
        @2 yes 8 -> -
        @20 timer -> seal(8 refusal)
        """,
        // A "yes" for a grant that is revoked in the meantime counts as a "no", and is reported at the same time.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @2 revoke -> -
        @2.9 yes 7 -> -
        @19.9 timer -> report(7 asking)
        @20 timer -> seal(7 refusal)
        @20 sealed 7 -> post(7 5s)
        @20.1 delivered -> end
        """,
        // This also holds if the measurement comes after the "yes".
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 yes 7 -> -
        @2 revoke -> -
        @3 fix -> -
        @4 yes 7 -> -
        @20 timer -> seal(7 refusal)
        @20 sealed 7 -> post(7 5s)
        @20.1 delivered -> end
        """,
        // If a grant is revoked while its person is asked, the requester gets a refusal, at the time of every "no".
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @2 revoke -> -
        @20 timer -> seal(7 refusal)
        @20 sealed 7 -> post(7 5s)
        @20.5 fail -> -
        @21 timer -> post(7 4s)
        @21.1 delivered -> end
        """,
        // A withdrawn question is closed, and no progress report is sent that nobody waits for.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @3.9 timer -> -
        @4 timer -> report(7 asking)
        @4.1 over 1 -> -
        @4.1 over 7 -> withdraw(7) end
        @5 yes 7 -> -
        """,
        """
        @0 push 8 -> report(8 asking) measure
        @4 timer -> report(8 asking)
        @8 timer -> report(8 asking)
        """,
        // A device that learns in the meantime that it was removed sends none, either.
        """
        @0 push 7 -> report(7 asking) ask(7 20s) measure
        @1 fix -> -
        @2 remove -> -
        @20 timer -> seal(7 refusal)
        @20 sealed 7 -> end
        """,
        // The request was withdrawn or has expired: its answer fails, and other waiting requests are answered.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 late 2 -> seal(2 fix)
        @0.2 sealed 2 -> post(2 5s)
        @0.3 delivered -> end(refused)
        """,
        // A request that waited for another answer gets the remaining time, or its own push if that is too short.
        """
        @0 push 1 -> measure
        @0.1 fix -> seal(1 fix)
        @0.1 sealed 1 -> post(1 5s)
        @0.2 delivered 7 -> report(7 asking) ask(7 19.8s)
        @1 yes 7 -> seal(7 fix)
        """,
        """
        @0 push 1 -> measure
        @16 fix -> seal(1 fix)
        @16 sealed 1 -> post(1 5s)
        @16 delivered 7 2 -> seal(2 fix)
        @16 sealed 2 -> post(2 5s)
        @16.1 delivered -> end
        """,
        // A disk that rejects writes stores no answer, so none is sent; waiting requests get their own pushes.
        """
        @0 push 1 -> measure
        @0.1 full -> -
        @0.2 fix -> seal(1 fix)
        @0.2 sealed 1 -> end(refused)
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
            case "die": records.died()
            case "revoke": records.revoke(try makeRequest().value.grant.value.id)
            case "remove": records.removed()
            case "full": records.fill()
            default:
                let input = try Self.input(step.words)
                let effects = machine?.handle(input, records, now: step.now, using: &generator)
                step.expect(try #require(effects).map(Self.text))
            }
        }
        // Otherwise no other process could answer them.
        if machine?.state == .ended { #expect(records.claims.isEmpty) }
    }

    /// Requests 5, 6 and 8 ask for more than their grant allows, and requests 7 and 8 need consent.
    private static func request(_ number: Substring) throws -> Verified<Request> {
        let id = try #require(UInt8(number))
        return try makeRequest(
            id,
            precision: .full,
            granted: [5, 6, 8].contains(id) ? .reduced : .full,
            asksPerson: [7, 8].contains(id)
        )
    }

    static func began(
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

    static func input(_ words: [Substring]) throws -> Answering.Input {
        switch words[0] {
        case "fix":
            .measured(.fix(try SharedFix(latitude: 1, longitude: 2, horizontalAccuracy: 3, time: noon)))
        case "none": .measured(.unavailable("no sky"))
        case "yes", "no": .consented(try digest(of: self.request(words[1]).value), isAllowed: words[0] == "yes")
        case "sealed": .sealed([try #require(UInt8(words[1]))])
        case "unsealable": .unsealable(SharingError(.cannotOpen, "no key"))
        case "delivered": .delivered(pending: try words.dropFirst().map(self.request))
        case "over": .requestEnded(try digest(of: self.request(words[1]).value))
        case "late": .came(tooLate: .init(.refused, "gone"), pending: try words.dropFirst().map(self.request))
        case "fail": .attemptFailed(SharingError(.network, "no reply"))
        case "rejected": .rejected(SharingError(.refused, "who?"))
        case "timer": .deadlineReached
        default: throw FixtureError()
        }
    }

    static func text(_ effect: Answering.Effect) -> String {
        func number(_ receipt: Receipt) -> UInt8 { receipt.request.id.bytes[0] }
        switch effect {
        case .measure: return "measure"
        case .report(let progress, let receipt): return "report(\(number(receipt)) \(progress))"
        case .ask(let receipt, let time): return "ask(\(number(receipt)) \(SharingEngineTests.text(time)))"
        case .withdraw(let receipt): return "withdraw(\(number(receipt)))"
        case .seal(.fix, let receipt): return "seal(\(number(receipt)) fix)"
        case .seal(.refusal, let receipt): return "seal(\(number(receipt)) refusal)"
        case .seal(.unavailable, let receipt): return "seal(\(number(receipt)) unavailable)"
        case .post(let outgoing, let time): return "post(\(outgoing.answer[0]) \(SharingEngineTests.text(time)))"
        case .end(nil): return "end"
        case .end(let error?): return error.code == .network ? "end(network)" : "end(refused)"
        }
    }

    // MARK: The matrix

    enum Start: CaseIterable {
        case measuring, woken, locating, asking, renewing, sealing, answering, pausing, ended

        /// The machine at second 3.
        func machine(_ records: ModelRecords) throws -> Answering {
            var (machine, _) = try AnsweringTests.began([.asking, .renewing].contains(self) ? "7" : "1", records)
            var generator = MiddleGenerator()
            let script: [(at: Double, words: [Substring])] =
                switch self {
                case .measuring: []
                case .woken: [(0.3, ["timer"])]
                case .locating: [(0.3, ["timer"]), (2, ["timer"])]
                case .asking, .sealing: [(3, ["fix"])]
                case .renewing: [(0.5, ["fix"]), (3, ["yes", "7"])]
                case .answering: [(3, ["fix"]), (3, ["sealed", "1"])]
                case .pausing: [(3, ["fix"]), (3, ["sealed", "1"]), (3, ["fail"])]
                case .ended: [(3, ["fix"]), (3, ["sealed", "1"]), (3, ["delivered"])]
                }
            for (at, words) in script {
                let input = try AnsweringTests.input(words)
                _ = machine.handle(input, records, now: .at(at), using: &generator)
            }
            return machine
        }
    }

    enum Input: String, CaseIterable {
        case fix, none, fail, rejected, timer, unsealable, late
        case over = "over 1"
        case yes = "yes 7"
        case no = "no 7"
        case sealed = "sealed 1"
        case delivered
        case deliveredMore = "delivered 2"
    }

    private static func expected(_ start: Start, _ input: Input) -> String {
        switch (start, input) {
        case (.measuring, .fix), (.woken, .fix), (.locating, .fix): "seal(1 fix)"
        case (.measuring, .none), (.woken, .none), (.locating, .none): "seal(1 unavailable)"
        case (.measuring, .timer): "report(1 woken)"
        case (.woken, .timer): "report(1 locating)"
        case (.asking, .timer): "report(7 asking)"
        case (.measuring, .over), (.woken, .over), (.locating, .over): "end"
        case (.asking, .yes), (.renewing, .fix), (.renewing, .none): "seal(7 fix)"
        case (.sealing, .sealed): "post(1 5s)"
        case (.sealing, .unsealable): "end(refused)"
        case (.pausing, .timer): "post(1 5s)"
        case (.answering, .delivered): "end"
        case (.answering, .deliveredMore): "seal(2 fix)"
        case (.answering, .rejected), (.answering, .late): "end(refused)"
        case (.measuring, _), (.woken, _), (.locating, _), (.asking, _), (.renewing, _), (.sealing, _), (.answering, _),
            (.pausing, _), (.ended, _):
            "-"
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

    // MARK: The journal

    /// Goal: the journal records each answer and its delivery, in order.
    @Test(arguments: [
        (["fix", "sealed 1", "delivered"], ["fix", "delivered"]),
        (["none", "sealed 1", "fail", "timer", "delivered"], ["unavailable", "delivered"]),
        (["fix", "sealed 1", "rejected"], ["fix", "declined"]),
        (["fix", "sealed 1", "fail", "revoke", "timer"], ["fix", "withheld"]),
        (["revoke", "fix", "sealed 1", "delivered"], ["refusal", "delivered"]),
        (["fix", "sealed 1", "late"], ["fix", "declined"]),
        (["fix", "full", "sealed 1"], []),
        (["fix", "unsealable"], []),
    ]) func journal(_ inputs: [String], _ expected: [String]) throws {
        let records = ModelRecords()
        var (machine, _) = try Self.began("1", records)
        var generator = MiddleGenerator()
        for (index, input) in inputs.enumerated() {
            switch input {
            case "revoke": records.revoke(try makeRequest().value.grant.value.id)
            case "full": records.fill()
            default:
                let words = input.split(separator: " ")
                _ = machine.handle(try Self.input(words), records, now: .at(3 * Double(index)), using: &generator)
            }
        }
        #expect(records.journal.map(Self.text) == expected)
        #expect(try records.journal.allSatisfy { $0.request == (try Self.request("1")).value.id })
    }

    static func text(_ entry: JournalEntry) -> String {
        switch entry.event {
        case .answered(.fix, _, _): "fix"
        case .answered(.refusal, _, _): "refusal"
        case .answered(.unavailable, _, _): "unavailable"
        case .ended(let end): "\(end)"
        case .over(let reason): "over \(reason)"
        }
    }

    @Test func processThatStopsLeavesItsRequestToOthers() throws {
        for start in Start.allCases where start != .ended {
            let records = ModelRecords()
            var machine = try start.machine(records)
            #expect(!records.claims.isEmpty)
            machine.abandoned(records)
            #expect(records.claims.isEmpty && machine.state == .ended)
        }
    }

    /// Goal: if another process stored an answer in the meantime, only that answer is sent.
    @Test func answerOfAnotherProcessStands() throws {
        let records = ModelRecords()
        var (machine, _) = try Self.began("1", records)
        var generator = MiddleGenerator()
        _ = machine.handle(try Self.input(["fix"]), records, now: .at(1), using: &generator)
        let request = try makeRequest(1).value
        _ = try records.answered(request, [9], saying: .unavailable(""), policy: SharingPolicy(), now: noon)
        let effects = machine.handle(.sealed([1]), records, now: .at(1), using: &generator)
        #expect(effects.map(Self.text) == ["post(9 5s)"])
    }
}
