internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of a sensor, reached by public calls, with every input.
@Suite struct SensorPowerMatrixTests {
    enum Start: CaseIterable {
        case off, searching, knowing, unavailable, lingering, resting

        /// Needed from second 0, with a fix at 4.
        ///
        /// The fix counts until 9, the wait for a fix ends at 10, the receiver is switched off at 35, and a pause ends
        /// at 20.
        var machine: SensorPower {
            var machine = SensorPower(policy: Policy())
            switch self {
            case .off: break
            case .searching: _ = machine.needChanged(to: true, now: second(0))
            case .knowing:
                machine = Start.searching.machine
                _ = machine.measured(tellsAccuracy: true, now: second(4))
            case .unavailable:
                machine = Start.searching.machine
                machine.sourceLost()
            case .lingering:
                machine = Start.knowing.machine
                _ = machine.needChanged(to: false, now: second(5))
            case .resting:
                machine = Start.knowing.machine
                _ = machine.restBegan(for: .seconds(15), now: second(5))
            }
            return machine
        }

        /// The outcomes of the inputs, in the order of ``Input``.
        var row: [String] {
            switch self {
            case .off:
                [
                    "start, searching", "ignore, off", "drop, off", "drop, off", "drop, off", "off", "off",
                    "announce, off", "announce, off", "announce, off", "ignore, off", "ignore, off",
                ]
            case .searching:
                [
                    "ignore, searching", "ignore, searching until 36", "deliver, knowing", "drop, searching",
                    "deliver, knowing", "unavailable", "searching", "announce, searching", "announce, unavailable",
                    "announce, unavailable", "ignore, searching", "ignore, searching",
                ]
            case .knowing:
                [
                    "ignore, knowing", "ignore, knowing until 36", "deliver, knowing", "deliver, knowing",
                    "deliver, knowing", "unavailable", "knowing", "announce, knowing", "announce, unavailable",
                    "announce, unavailable", "stop, resting", "ignore, knowing",
                ]
            case .unavailable:
                [
                    "ignore, unavailable", "ignore, unavailable until 36", "deliver, knowing", "deliver, knowing",
                    "deliver, knowing", "unavailable", "searching", "announce, unavailable", "announce, unavailable",
                    "announce, unavailable", "ignore, unavailable", "ignore, unavailable",
                ]
            case .lingering:
                [
                    "ignore, knowing", "ignore, knowing until 35", "deliver, knowing until 35",
                    "deliver, knowing until 35", "deliver, knowing until 35", "unavailable until 35",
                    "knowing until 35", "announce, knowing until 35", "announce, unavailable until 35", "stop, off",
                    "ignore, knowing until 35", "ignore, knowing until 35",
                ]
            case .resting:
                [
                    "ignore, resting", "ignore, off", "deliver, resting", "deliver, resting", "deliver, resting",
                    "resting", "resting", "announce, resting", "announce, resting", "start, searching",
                    "ignore, resting", "start, searching",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case needed, unneeded, fix, firstVagueFix, vagueFix, lost, ready, early, silence, linger, rest, wake

        func apply(to machine: inout SensorPower) -> String {
            switch self {
            case .needed: words(machine.needChanged(to: true, now: second(6)))
            case .unneeded: words(machine.needChanged(to: false, now: second(6)))
            case .fix: words(machine.measured(tellsAccuracy: true, now: second(6)))
            case .firstVagueFix: words(machine.measured(tellsAccuracy: false, now: second(2)))
            case .vagueFix: words(machine.measured(tellsAccuracy: false, now: second(6)))
            case .lost: words(machine.sourceLost())
            case .ready: words(machine.sourceReady(now: second(6)))
            case .early: words(machine.deadlineReached(now: second(6)))
            case .silence: words(machine.deadlineReached(now: second(10)))
            case .linger: words(machine.deadlineReached(now: second(36)))
            case .rest: words(machine.restBegan(for: .seconds(15), now: second(6)))
            case .wake: words(machine.restEnded(now: second(6)))
            }
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var machine = start.machine
        #expect(input.apply(to: &machine) + Self.state(of: machine) == start.row[input.rawValue])
        // The host's timer never fires repeatedly: work for an instant is done at that instant.
        if case .linger = input { #expect(machine.deadline.map { $0 > second(36) } ?? true) }
    }

    @Test func aTunnelAndTheEndOfTheWay() {
        var machine = SensorPower(policy: Policy())
        play(
            """
            @0 deadline -> off
            @0 need -> start, searching
            @1 vague -> drop, searching
            @2 fix -> deliver, knowing
            @3 fix -> deliver, knowing
            @7 deadline -> announce, knowing
            @8 deadline -> announce, unavailable
            @60 fix -> deliver, knowing
            @61 lost -> unavailable
            @62 ready -> searching
            @63 free -> ignore, searching until 93
            @72 deadline -> announce, unavailable until 93
            @80 need -> ignore, unavailable
            @80 free -> ignore, unavailable until 110
            @110 deadline -> stop, off
            @111 fix -> drop, off
            @112 lost -> off
            """
        ) { step, now in
            let outcome: String
            switch step.first {
            case "need": outcome = words(machine.needChanged(to: true, now: now))
            case "free": outcome = words(machine.needChanged(to: false, now: now))
            case "fix": outcome = words(machine.measured(tellsAccuracy: true, now: now))
            case "vague": outcome = words(machine.measured(tellsAccuracy: false, now: now))
            case "lost": outcome = words(machine.sourceLost())
            case "ready": outcome = words(machine.sourceReady(now: now))
            case "deadline" where machine.isOff: outcome = ""
            case "deadline": outcome = words(machine.deadlineReached(now: now))
            default: outcome = "no such step: "
            }
            return outcome + Self.state(of: machine)
        }
    }

    /// The start that equals a state, and when its receiver is switched off; a new state has no start, so the test
    /// fails until it has a row.
    private static func state(of machine: SensorPower) -> String {
        let start: Start =
            switch machine.state {
            case .off: .off
            case .searching: .searching
            case .knowing: .knowing
            case .unavailable: .unavailable
            case .resting: .resting
            }
        guard case .lingering(let until) = machine.need, start != .off else { return "\(start)" }
        return "\(start) until \(until.sinceStart.components.seconds)"
    }
}

private func words(_ none: Void) -> String { "" }

private func words(_ outcome: SensorPower.OnNeed) -> String {
    switch outcome {
    case .start: "start, "
    case .ignore: "ignore, "
    }
}

private func words(_ outcome: SensorPower.OnMeasurement) -> String {
    switch outcome {
    case .deliver: "deliver, "
    case .drop: "drop, "
    }
}

private func words(_ outcome: SensorPower.OnRest) -> String {
    switch outcome {
    case .stop: "stop, "
    case .ignore: "ignore, "
    }
}

private func words(_ outcome: SensorPower.OnDeadline) -> String {
    switch outcome {
    case .stop: "stop, "
    case .start: "start, "
    case .announce: "announce, "
    }
}
