internal import SystemSimulator
internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingEngine

/// Tests for one push that serves all current requests: transcripts of the server's decisions, with a store in memory.
struct WakingTests {
    /// A server that knows one device.
    private func bench() throws -> ServerBench {
        var bench = ServerBench()
        _ = try bench.step(["choose", "1"], now: noon)
        return bench
    }

    @Test(arguments: [
        // Requests that arrive while the device is woken are answered by the same push, whether or not the push service
        // has accepted it.
        """
        @0 ask 1 -> push(1>1)
        @0.1 ask 2 -> shared(2)
        @0.2 taken 1 -> 1:pushed 2:pushed
        @0.3 ask 3 -> shared(3) 3:pushed
        @1 answer 1 -> tell(2,3)
        @1.1 answer 2 -> tell(3)
        @1.2 answer 3 -> -
        """,
        // A request that arrives after the device received an empty list gets a push, even immediately.
        """
        @0 ask 1 -> push(1>1)
        @0 taken 1 -> 1:pushed
        @1 answer 1 -> -
        @1 ask 2 -> push(2>1)
        """,
        // A request that arrives while the device answers others is in the next reply; a device that falls silent gets one push.
        """
        @0 ask 1 -> push(1>1)
        @0 taken 1 -> 1:pushed
        @1 ask 2 -> shared(2) 2:pushed
        @2 answer 1 -> tell(2)
        @2.5 ask 3 -> shared(3) 3:pushed
        @2.6 answer 2 -> tell(3)
        @2.7 ask 4 -> shared(4) 4:pushed
        @7.5 look -> -
        @7.6 look -> push(3>1)
        @8 taken 3 -> -
        @9 answer 3 -> tell(4)
        @9.1 answer 4 -> -
        @9.2 ask 5 -> push(5>1)
        """,
        // The reply that listed other requests is lost: the device posts the answer again, and receives the list again.
        """
        @0 ask 1 -> push(1>1)
        @0 taken 1 -> 1:pushed
        @1 ask 2 -> shared(2) 2:pushed
        @2 answer 1 -> tell(2)
        @6 answer 1 -> tell(2)
        @10 look -> -
        @10.5 answer 2 -> -
        """,
        // A push that cannot be made blocks no request.
        """
        @0 ask 1 -> push(1>1)
        @0.5 ask 2 -> shared(2)
        @0.6 refused 1 -> 1:failed
        @0.6 look -> push(2>1)
        @0.7 ask 3 -> shared(3)
        @0.8 gone 2 -> 2:unreachable 3:unreachable
        """,
        // The device does not respond: requesters who waited for a whole push without an answer are told so, and nobody
        // waits forever.
        """
        @0 ask 1 -> push(1>1)
        @0 taken 1 -> 1:pushed
        @5 ask 2 -> shared(2) 2:pushed
        @29 ask 3 -> shared(3) 3:pushed
        @30 look -> 1:unreachable push(2>1)
        @30 taken 2 -> -
        @59 ask 4 -> shared(4) 4:pushed
        @60 look -> 2:unreachable 3:unreachable push(4>1)
        """,
        // Even an answer that comes too late for its own request brings the device the other requests.
        """
        @0 ask 1 -> push(1>1)
        @0 taken 1 -> 1:pushed
        @29 ask 2 -> shared(2) 2:pushed
        @30 look -> 1:unreachable push(2>1)
        @30.1 taken 2 -> -
        @31 answer 1 -> tell(2)
        @31.1 answer 2 -> -
        """,
        // A withdrawn request waits for nothing, and its person is not asked; requests that waited for its push get
        // another one.
        """
        @0 ask 1 -> push(1>1)
        @0 taken 1 -> 1:pushed
        @1 ask 2 -> shared(2) 2:pushed
        @1 ask 3 -> shared(3) 3:pushed
        @2 leave 2 -> 2:expired
        @2 leave 2 -> -
        @3 leave 1 -> 1:expired
        @3 look -> push(3>1)
        @4 answer 3 -> -
        @5 leave 3 -> -
        """,
        // A person may take any time to answer: other requests do not wait for that, and are delivered at once.
        """
        @0 may 1 -> push(1>1)
        @0 taken 1 -> 1:pushed
        @1 asking 1 -> 1:asking
        @2 ask 2 -> push(2>1)
        @2 taken 2 -> 2:pushed
        @3 may 3 -> push(3>1)
        @3 taken 3 -> 3:pushed
        @3.5 ask 4 -> shared(4) 4:pushed
        @4 answer 2 -> tell(1,3,4)
        @4.1 answer 4 -> tell(1,3)
        @4.2 ask 5 -> push(5>1)
        """,
    ]) func transcript(_ script: String) throws {
        var bench = try self.bench()
        for step in try Step.read(script) {
            step.expect(try bench.step(step.words, now: step.now.wall))
        }
    }

    /// Goal: ten requests at once cost the device one push, and one of its budget.
    @Test func tenRequestersCostOnePush() throws {
        var bench = try self.bench()
        let said = try (UInt8(1)...10).flatMap { try bench.step(["ask", "\($0)"], now: noon) }
        #expect(said == ["push(1>1)"] + (2...10).map { "shared(\($0))" })
        let interval = SharingPolicy().pushPace.interval
        let sharer = try identity(3)
        #expect(try bench.store.view.pushesPaidUntil(of: sharer) == noon.advanced(by: interval))
        _ = try bench.step(["taken", "1"], now: noon)
        for number in 1...9 {
            let told = (number + 1...10).map(String.init).joined(separator: ",")
            #expect(try bench.step(["answer", "\(number)"], now: after(1)) == ["tell(\(told))"])
        }
        #expect(try bench.step(["answer", "10"], now: after(1)).isEmpty)
        #expect(try bench.store.view.pushesPaidUntil(of: sharer) == noon.advanced(by: interval))
    }

    /// Goal: only the requester can withdraw a request.
    @Test(arguments: [FollowingEnd.Reason.bySharer, .byFollower]) func strangersWithdrawNothing(
        _ reason: FollowingEnd.Reason
    ) throws {
        var bench = try self.bench()
        _ = try bench.step(["ask", "1"], now: noon)
        let author = try identity(reason == .bySharer ? 3 : 9)
        let end = FollowingEnd(request: try bench.request(1).value.id, author: author, time: noon, reason: reason)
        let (reply, said) = try bench.decide { try $0.followingEnded(verified(end), bytes: [4], $1, now: noon) }
        #expect(reply == .unknown && said.isEmpty)
    }

    /// Goal: if a clock is set back during a push, no request waits for a push that is over.
    @Test func nobodyWaitsForAPushOfATimeToCome() throws {
        var bench = try self.bench()
        _ = try bench.step(["ask", "1"], now: after(45))
        _ = try bench.step(["taken", "1"], now: after(45))
        #expect(try bench.step(["ask", "2"], now: noon) == ["push(2>1)"])
        #expect(try bench.step(["ask", "3"], now: after(1)) == ["shared(3)"])
    }

    /// Goal: a push for a requester who waited without an answer is charged like any other.
    @Test func thePushOfOneWhoWaitedIsPaidFor() throws {
        var bench = try self.bench()
        for number in ["1", "2"] { _ = try bench.step(["ask", Substring(number)], now: noon) }
        _ = try bench.step(["refused", "1"], now: noon)
        #expect(try bench.step(["look"], now: noon) == ["push(2>1)"])
        let interval = SharingPolicy().pushPace.interval
        #expect(try bench.store.view.pushesPaidUntil(of: identity(3)) == noon.advanced(by: interval * 2))
    }

    /// Goal: a person does not wait for a schedule's occurrence, which the device may leave for minutes.
    @Test func occurrencesWaitForPeopleAndNobodyForOccurrences() throws {
        let person = try makeRequest(1).value
        let first = try makeRequest(
            2,
            until: after(86_400),
            repetition: Repetition(everyMinutes: 60, until: after(80_000))
        )
        let occurrence = first.signed.occurrence(1).value
        #expect(occurrence.occurrence == 1)
        #expect(
            person.answers(for: occurrence) && !occurrence.answers(for: person) && occurrence.answers(for: occurrence)
        )
        let asking = try makeRequest(3, asksPerson: true).value
        #expect(!asking.answers(for: person) && !person.answers(for: asking))
    }
}
