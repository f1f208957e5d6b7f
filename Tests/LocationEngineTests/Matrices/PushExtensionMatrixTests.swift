internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of a push extension, reached by public calls, with every input.
@Suite struct PushExtensionMatrixTests {
    enum Start: CaseIterable {
        case idle, waiting, held, starting, running, warned, finishing

        /// Launched at second 0 with push 1 (warning at 25, end at 30), and connected at second 5.
        var machine: PushExtension {
            var machine = PushExtension(policy: Policy())
            switch self {
            case .idle: break
            case .waiting: _ = machine.pushReceived(made(1, .considerate), now: now(0))
            case .held:
                for _ in 0..<Policy().extensionFailuresMax {
                    _ = machine.pushReceived(made(1), now: now(0))
                    machine.launching(LaunchID(1), now: second(0))
                    _ = machine.exited(LaunchID(1), now: second(0))
                }
            case .starting:
                _ = machine.pushReceived(made(1), now: now(0))
                machine.launching(LaunchID(1), now: second(0))
            case .running:
                machine = Start.starting.machine
                _ = machine.connected(ClientID(1), launch: LaunchID(1), now: second(5))
            case .warned:
                machine = Start.running.machine
                _ = machine.deadlineReached(now: second(25))
            case .finishing:
                machine = Start.running.machine
                _ = machine.completed(id(1), by: ClientID(1), now: second(10))
            }
            return machine
        }

        /// The outcomes of the inputs, in the order of ``Input``: the action, the state, and how many pushes wait in it.
        var row: [String] {
            switch self {
            case .idle:
                [
                    "wait, idle 1", "wait, idle 1", "refuse, idle 0", "refuse, idle 0", "ignore, idle 0",
                    "ignore, idle 0", "stale, idle 0", "stale, idle 0", "ignore, idle 0", "ignore, idle 0",
                    "ignore, idle 0",
                ]
            case .waiting:
                [
                    "wait, idle 2", "wait, idle 2", "refuse, idle 1", "refuse, idle 1", "ignore, idle 1",
                    "ignore, idle 1", "stale, idle 1", "stale, idle 1", "ignore, idle 1", "ignore, idle 1",
                    "ignore, idle 1",
                ]
            case .held:
                [
                    "wait, held 1", "wait, held 1", "refuse, held 0", "refuse, held 0", "ignore, held 0",
                    "ignore, held 0", "stale, held 0", "stale, held 0", "ignore, held 0", "ignore, held 0",
                    "ignore, idle 0",
                ]
            case .starting:
                [
                    "wait, starting 2", "wait, starting 2", "hand 1, running 0", "refuse, starting 1",
                    "ignore, starting 1", "ignore, starting 1", "lost 1, idle 0", "stale, starting 1",
                    "ignore, starting 1", "ignore, starting 1", "kill, starting 1",
                ]
            case .running:
                [
                    "hand 9, running 0", "hand 9, running 0", "refuse, running 0", "refuse, running 0",
                    "last, finishing 0", "ignore, running 0", "lost 1, idle 0", "stale, running 0",
                    "ignore, running 0", "warn, warned 0", "warn, warned 0",
                ]
            case .warned:
                [
                    "wait, warned 1", "wait, warned 1", "refuse, warned 0", "refuse, warned 0", "last, finishing 0",
                    "ignore, warned 0", "lost 1, idle 0", "stale, warned 0", "ignore, warned 0", "ignore, warned 0",
                    "kill, finishing 0",
                ]
            case .finishing:
                [
                    "wait, finishing 1", "wait, finishing 1", "refuse, finishing 0", "refuse, finishing 0",
                    "ignore, finishing 0", "ignore, finishing 0", "lost, idle 0", "stale, finishing 0",
                    "ignore, finishing 0", "kill, finishing 0", "kill, finishing 0",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case push, patientPush, connected, strangerConnected, completed, strangerCompleted, exited, strangerExited,
            early
        case warning, end

        func apply(to machine: inout PushExtension) -> String {
            switch self {
            case .push: words(machine.pushReceived(made(9), now: now(11)))
            case .patientPush: words(machine.pushReceived(made(9, .passive), now: now(11)))
            case .connected: words(machine.connected(ClientID(1), launch: LaunchID(1), now: second(11)))
            case .strangerConnected: words(machine.connected(ClientID(2), launch: LaunchID(2), now: second(11)))
            case .completed: words(machine.completed(id(1), by: ClientID(1), now: second(11)))
            case .strangerCompleted: words(machine.completed(id(1), by: ClientID(2), now: second(11)))
            case .exited: words(machine.exited(LaunchID(1), now: second(11)))
            case .strangerExited: words(machine.exited(LaunchID(2), now: second(11)))
            case .early: words(machine.deadlineReached(now: second(11)))
            case .warning: words(machine.deadlineReached(now: second(25)))
            case .end: words(machine.deadlineReached(now: second(60)))
            }
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var machine = start.machine
        #expect(input.apply(to: &machine) + Self.state(of: machine) == start.row[input.rawValue])
        // The receiver is needed only in states that lead to an answer.
        let works: Set<Start> = [.starting, .running, .warned]
        #expect(machine.needsReceiver == works.contains(Self.start(of: machine)))
        #expect(machine.isActive == !([.idle, .held] as Set<Start>).contains(Self.start(of: machine)))
    }

    /// The start that equals a state; a new state has no start, so the test fails until it has a row.
    private static func start(of machine: PushExtension) -> Start {
        switch machine.state {
        case .idle: machine.crashLoop.isHeld ? .held : .idle
        case .starting: .starting
        case .running: .running
        case .warned: .warned
        case .finishing: .finishing
        }
    }

    private static func state(of machine: PushExtension) -> String {
        "\(Self.start(of: machine)) \(machine.waiting.count)"
    }

    /// Goal: one process handles all pushes that arrive in its time; a later push gets the next process.
    @Test func aProcessTheNextOneAndTheirEnds() {
        var machine = PushExtension(policy: Policy())
        play(
            """
            @0 push 1 -> wait, idle 1
            @0 due -> true
            @0 launch 1 -> starting 1
            @1 push 2 -> wait, starting 2
            @2 connect 1 -> hand 1 2, running 0
            @3 push 3 -> hand 3, running 0
            @4 done 2 -> more, running 0
            @24 deadline -> ignore, running 0
            @25 deadline -> warn, warned 0
            @26 push 4 -> wait, warned 1
            @27 done 1 -> more, warned 1
            @27 done 1 -> ignore, warned 1
            @30 deadline -> kill, finishing 1
            @31 done 3 -> ignore, finishing 1
            @31 exit 1 -> lost 3, idle 1
            @31 due -> true
            @31 launch 2 -> starting 1
            @32 exit 1 -> stale, starting 1
            @61 deadline -> kill, starting 1
            @62 connect 2 -> hand 4, running 0
            @62 exit 2 -> lost 4, idle 0
            @62 due -> false
            """
        ) { step, now in
            let number = step.count > 1 ? UInt64(step[1]) ?? 0 : 0
            let outcome: String
            switch step[0] {
            case "push":
                outcome = words(machine.pushReceived(made(number, at: now), now: Now(monotonic: now, wall: noon)))
            case "due": return "\(machine.isDue(isAwake: false, now: now))"
            case "launch":
                machine.launching(LaunchID(number), now: now)
                outcome = ""
            case "connect": outcome = words(machine.connected(ClientID(number), launch: LaunchID(number), now: now))
            case "done": outcome = words(machine.completed(id(number), by: ClientID(1), now: now))
            case "deadline": outcome = words(machine.deadlineReached(now: now))
            case "exit": outcome = words(machine.exited(LaunchID(number), now: now))
            default: outcome = "no such step: "
            }
            return outcome + Self.state(of: machine)
        }
    }

}

private let noon = WallTime(seconds: 43_200)

private func now(_ seconds: Int) -> Now { Now(monotonic: second(seconds), wall: noon) }

private func id(_ number: UInt64) -> PushID { PushID(high: 8, low: number) }

private func made(
    _ number: UInt64,
    _ priority: Push.Priority = .immediate,
    at received: EngineInstant = second(0)
) -> Push {
    Push(
        id: id(number),
        bundle: BundleID("a"),
        payload: [],
        priority: priority,
        expiration: WallTime(seconds: 86_400),
        received: received
    )
}

private func words(_ outcome: PushExtension.OnPush) -> String {
    switch outcome {
    case .hand(let push, _): "hand \(push.id.low), "
    case .wait: "wait, "
    case .waitDisplacing(let push): "wait for \(push.low), "
    case .drop: "drop, "
    }
}

private func words(_ outcome: PushExtension.OnConnected) -> String {
    switch outcome {
    case .hand(let pushes): "hand \(pushes.map { "\($0.id.low)" }.joined(separator: " ")), "
    case .refuse: "refuse, "
    }
}

private func words(_ outcome: PushExtension.OnCompleted) -> String {
    switch outcome {
    case .forget: "more, "
    case .forgetAndFinish: "last, "
    case .ignore: "ignore, "
    }
}

private func words(_ lost: [PushID]?) -> String {
    guard let lost else { return "stale, " }
    return (["lost"] + lost.map { "\($0.low)" }).joined(separator: " ") + ", "
}

private func words(_ outcome: PushExtension.OnDeadline) -> String {
    switch outcome {
    case .warn: "warn, "
    case .kill: "kill, "
    case .ignore: "ignore, "
    }
}
