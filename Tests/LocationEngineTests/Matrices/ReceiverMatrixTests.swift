internal import Testing
internal import Vocabulary

@testable internal import LocationEngine

/// Every state of the receiver, reached by public calls, with every input.
@Suite struct ReceiverMatrixTests {
    enum Start: CaseIterable {
        case off, searching, fixed, unavailable, lingering

        /// Needed from second 0, with a fix at 4; a fix stands until 9, patience ends at 10, lingering at 35.
        var machine: Receiver {
            var machine = Receiver(policy: Policy())
            switch self {
            case .off: break
            case .searching: _ = machine.needChanged(to: true, now: second(0))
            case .fixed:
                machine = Start.searching.machine
                _ = machine.fixReceived(tellsAccuracy: true, now: second(4))
            case .unavailable:
                machine = Start.searching.machine
                machine.sourceLost()
            case .lingering:
                machine = Start.fixed.machine
                _ = machine.needChanged(to: false, now: second(5))
            }
            return machine
        }

        /// The outcomes of the inputs, in the order of ``Input``.
        var row: [String] {
            switch self {
            case .off:
                [
                    "start, searching", "ignore, off", "drop, off", "drop, off", "drop, off", "off", "off",
                    "announce, off", "announce, off", "announce, off",
                ]
            case .searching:
                [
                    "ignore, searching", "ignore, searching until 36", "deliver, fixed", "drop, searching",
                    "deliver, fixed", "unavailable", "searching", "announce, searching", "announce, unavailable",
                    "announce, unavailable",
                ]
            case .fixed:
                [
                    "ignore, fixed", "ignore, fixed until 36", "deliver, fixed", "deliver, fixed", "deliver, fixed",
                    "unavailable", "fixed", "announce, fixed", "announce, unavailable", "announce, unavailable",
                ]
            case .unavailable:
                [
                    "ignore, unavailable", "ignore, unavailable until 36", "deliver, fixed", "deliver, fixed",
                    "deliver, fixed", "unavailable", "searching", "announce, unavailable", "announce, unavailable",
                    "announce, unavailable",
                ]
            case .lingering:
                [
                    "ignore, fixed", "ignore, fixed until 35", "deliver, fixed until 35", "deliver, fixed until 35",
                    "deliver, fixed until 35", "unavailable until 35", "fixed until 35", "announce, fixed until 35",
                    "announce, unavailable until 35", "stop, off",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case needed, unneeded, fix, firstVagueFix, vagueFix, lost, ready, early, silence, linger

        func apply(to machine: inout Receiver) -> String {
            switch self {
            case .needed: words(machine.needChanged(to: true, now: second(6)))
            case .unneeded: words(machine.needChanged(to: false, now: second(6)))
            case .fix: words(machine.fixReceived(tellsAccuracy: true, now: second(6)))
            case .firstVagueFix: words(machine.fixReceived(tellsAccuracy: false, now: second(2)))
            case .vagueFix: words(machine.fixReceived(tellsAccuracy: false, now: second(6)))
            case .lost: words(machine.sourceLost())
            case .ready: words(machine.sourceReady(now: second(6)))
            case .early: words(machine.deadlineReached(now: second(6)))
            case .silence: words(machine.deadlineReached(now: second(10)))
            case .linger: words(machine.deadlineReached(now: second(36)))
            }
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var machine = start.machine
        #expect(input.apply(to: &machine) + Self.state(of: machine) == start.row[input.rawValue])
        // The host's timer never spins: what is due at an instant is done at it.
        if case .linger = input { #expect(machine.deadline.map { $0 > second(36) } ?? true) }
    }

    @Test func aTunnelAndTheEndOfTheWay() {
        var machine = Receiver(policy: Policy())
        play(
            """
            @0 deadline -> off
            @0 need -> start, searching
            @1 vague -> drop, searching
            @2 fix -> deliver, fixed
            @3 fix -> deliver, fixed
            @7 deadline -> announce, fixed
            @8 deadline -> announce, unavailable
            @60 fix -> deliver, fixed
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
            case "fix": outcome = words(machine.fixReceived(tellsAccuracy: true, now: now))
            case "vague": outcome = words(machine.fixReceived(tellsAccuracy: false, now: now))
            case "lost": outcome = words(machine.sourceLost())
            case "ready": outcome = words(machine.sourceReady(now: now))
            case "deadline" where machine.isOff: outcome = ""
            case "deadline": outcome = words(machine.deadlineReached(now: now))
            default: outcome = "no such step: "
            }
            return outcome + Self.state(of: machine)
        }
    }

    /// The start that a state is, and until when the receiver lingers in it; a new state has no start, and so no row.
    private static func state(of machine: Receiver) -> String {
        let start: Start =
            switch machine.state {
            case .off: .off
            case .searching: .searching
            case .fixed: .fixed
            case .unavailable: .unavailable
            }
        guard case .lingering(let until) = machine.need, start != .off else { return "\(start)" }
        return "\(start) until \(until.sinceStart.components.seconds)"
    }
}

private func words(_ none: Void) -> String { "" }

private func words(_ outcome: Receiver.OnNeed) -> String {
    switch outcome {
    case .start: "start, "
    case .ignore: "ignore, "
    }
}

private func words(_ outcome: Receiver.OnFix) -> String {
    switch outcome {
    case .deliver: "deliver, "
    case .drop: "drop, "
    }
}

private func words(_ outcome: Receiver.OnDeadline) -> String {
    switch outcome {
    case .stop: "stop, "
    case .announce: "announce, "
    }
}
