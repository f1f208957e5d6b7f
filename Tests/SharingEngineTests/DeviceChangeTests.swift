internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingEngine

/// Requests under way while another device of the person is chosen, one is removed, or sharing is paused (ADR 0083).
struct DeviceChangeTests {
    @Test(arguments: [
        // Sharing is paused: whatever no device was heard of ends at once, and an answer that was on its way comes too late.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.5 ask 2 -> shared(2) 2:pushed
        @0.9 pause 1 -> 1:unreachable 2:unreachable
        @1 pause 1 -> -
        @1.1 answer 1 -> -
        @1.2 look -> -
        """,
        // The device was heard of: it says for itself that it may not tell.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.4 woken 1 -> 1:woken
        @0.9 pause 1 -> -
        @1 answer 1 -> -
        """,
        // Another device that does not answer is paused: that is its own business.
        """
        @0 choose 1 -> -
        @1 choose 2 -> -
        @1 ask 1 -> push(1>2)
        @1.1 taken 1 2 -> 1:pushed
        @1.2 pause 1 -> -
        @2 answer 1 -> -
        """,
        // The push service knows the device no more: nobody waits for the pushes that it took before.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.5 answer 1 -> -
        @1 ask 2 -> push(2>1)
        @1.1 ask 3 -> shared(3)
        @1.2 gone 2 -> 2:unreachable 3:unreachable
        """,
        // Another device is chosen: who was told answers, and is notified of nobody else; who waited is asked for at the other one.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @1 ask 2 -> shared(2) 2:pushed
        @2 choose 2 -> -
        @2 look -> push(2>2)
        @2.1 ask 3 -> push(3>2)
        @2.1 taken 3 2 -> 3:pushed
        @2.2 ask 4 -> shared(4) 4:pushed
        @2.3 answer 1 -> -
        @3 answer 3 -> tell(4)
        @3.1 answer 2 -> -
        @3.2 answer 4 -> -
        """,
        // An answer that is posted once more, after another device was chosen, brings its device nothing.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @1 answer 1 -> -
        @2 choose 2 -> -
        @2 ask 2 -> push(2>2)
        @2.1 ask 3 -> shared(3)
        @2.2 answer 1 -> -
        @2.3 answer 2 -> tell(3)
        """,
        // The one that is chosen is paused, and so is sharing.
        """
        @0 choose 2 -> -
        @0.1 pause 2 -> -
        @1 choose 1 -> -
        @1 ask 1 -> push(1>1)
        @1.1 taken 1 -> 1:pushed
        @2 remove 1 -> 1:unreachable
        @2.1 ask 2 -> 2:unreachable
        """,
        // The device that was told is removed: its answer comes too late, and the next request goes to the other one.
        """
        @0 choose 1 -> -
        @1 choose 2 -> -
        @1 ask 1 -> push(1>2)
        @1.1 taken 1 2 -> 1:pushed
        @1.4 woken 1 -> 1:woken
        @1.5 ask 2 -> shared(2) 2:pushed
        @2 remove 2 -> 1:unreachable 2:unreachable
        @2.1 ask 3 -> push(3>1)
        @2.2 answer 1 -> -
        @2.3 remove 2 -> -
        @3 answer 3 -> -
        """,
        // A device that was chosen before is removed, and with it what it was notified of; the others go on.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @1 choose 2 -> -
        @1.1 ask 2 -> push(2>2)
        @1.2 taken 2 2 -> 2:pushed
        @2 remove 1 -> 1:unreachable
        @2.1 ask 3 -> shared(3) 3:pushed
        @3 answer 2 -> tell(3)
        """,
    ]) func transcript(_ script: String) throws {
        var bench = ServerBench()
        for step in try Step.read(script) {
            step.expect(try bench.step(step.words, now: step.now.wall))
        }
    }

    /// Goal: a change reaches all that is under way, also behind as many as a device is notified of at once.
    @Test func nothingUnderWayIsLeftBehind() throws {
        var bench = ServerBench(SharingPolicy(pendingPerSharerMax: 40))
        _ = try bench.step(["choose", "1"], now: noon)
        for number in UInt8(1)...30 { _ = try bench.step(["ask", "\(number)"], now: noon) }
        let ended = try bench.step(["remove", "1"], now: after(1))
        #expect(ended.count == 30)
    }
}
