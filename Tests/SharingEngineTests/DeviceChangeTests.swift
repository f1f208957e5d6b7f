internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingEngine

/// Tests for requests in progress while another device is chosen, one is removed, or sharing is paused (ADR 0083).
struct DeviceChangeTests {
    @Test(arguments: [
        // Sharing is paused: a request without a sign from the device ends at once, and an answer in transit comes too
        // late.
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
        // The device has already responded, so it reports itself that it may not answer.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.4 woken 1 -> 1:woken
        @0.9 pause 1 -> -
        @1 answer 1 -> -
        """,
        // Another device, which does not answer, is paused: nothing changes.
        """
        @0 choose 1 -> -
        @1 choose 2 -> -
        @1 ask 1 -> push(1>2)
        @1.1 taken 1 2 -> 1:pushed
        @1.2 pause 1 -> -
        @2 answer 1 -> -
        """,
        // The push service no longer knows the device, so no request waits for pushes that it accepted before.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.5 answer 1 -> -
        @1 ask 2 -> push(2>1)
        @1.1 ask 3 -> shared(3)
        @1.2 gone 2 -> 2:unreachable 3:unreachable
        """,
        // Another device is chosen: delivered requests are answered by the first device, waiting ones are pushed to the
        // other.
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
        // An answer that is posted again, after another device was chosen, brings its device no further requests.
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
        // The chosen device is paused, and so is sharing.
        """
        @0 choose 2 -> -
        @0.1 pause 2 -> -
        @1 choose 1 -> -
        @1 ask 1 -> push(1>1)
        @1.1 taken 1 -> 1:pushed
        @2 remove 1 -> 1:unreachable
        @2.1 ask 2 -> 2:unreachable
        """,
        // The device that has the request is removed: its answer comes too late, and the next request goes to the other
        // device.
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
        // A formerly chosen device is removed, and its requests end; others continue.
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

    /// Goal: a change affects all requests in progress, including more than a device receives at once.
    @Test func nothingUnderWayIsLeftBehind() throws {
        var bench = ServerBench(SharingPolicy(pendingPerSharerMax: 40))
        _ = try bench.step(["choose", "1"], now: noon)
        for number in UInt8(1)...30 { _ = try bench.step(["ask", "\(number)"], now: noon) }
        let ended = try bench.step(["remove", "1"], now: after(1))
        #expect(ended.count == 30)
    }
}
