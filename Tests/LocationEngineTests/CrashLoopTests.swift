internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of the crash counter against every input.
@Suite struct CrashLoopTests {
    private static func at(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    /// The pause is 10 s after the third failure in a row, and an hour at most.
    private static let rule = CrashLoop.Rule(tolerated: 2, backoff: Backoff(from: .seconds(10), to: .seconds(3600)))

    enum Start: CaseIterable {
        case free, tolerated, held, probation

        var machine: CrashLoop {
            var machine = CrashLoop()
            let failures =
                switch self {
                case .free: 0
                case .tolerated: 2
                case .held, .probation: 3
                }
            for _ in 0..<failures { machine.failed(CrashLoopTests.rule, now: CrashLoopTests.at(100)) }
            if self == .probation { machine.deadlineReached(now: CrashLoopTests.at(110)) }
            return machine
        }
    }

    @Test(arguments: Start.allCases) func whereItIs(_ start: Start) {
        let expected: CrashLoop.State =
            switch start {
            case .free: .free(failures: 0)
            case .tolerated: .free(failures: 2)
            case .held: .held(until: Self.at(110), failures: 3)
            case .probation: .free(failures: 3)
            }
        #expect(start.machine.state == expected)
        #expect(start.machine.isHeld == (start == .held))
        #expect(start.machine.deadline == (start == .held ? Self.at(110) : nil))
    }

    @Test(arguments: Start.allCases) func aFailure(_ start: Start) {
        var machine = start.machine
        machine.failed(Self.rule, now: Self.at(200))
        let expected: CrashLoop.State =
            switch start {
            case .free: .free(failures: 1)
            case .tolerated: .held(until: Self.at(210), failures: 3)
            case .held, .probation: .held(until: Self.at(220), failures: 4)
            }
        #expect(machine.state == expected)
    }

    @Test(arguments: Start.allCases) func aSuccessForgetsFailuresAndLetsTheHoldRun(_ start: Start) {
        var machine = start.machine
        machine.succeeded()
        #expect(machine.state == (start == .held ? .held(until: Self.at(110), failures: 0) : .free(failures: 0)))
        machine.failed(Self.rule, now: Self.at(105))
        #expect(machine.deadline == (start == .held ? Self.at(110) : nil))
    }

    @Test(arguments: Start.allCases) func forgivenIsNew(_ start: Start) {
        var machine = start.machine
        machine.forgiven()
        #expect(machine == CrashLoop())
    }

    @Test(arguments: Start.allCases) func anEarlyDeadlineIsIgnored(_ start: Start) {
        var machine = start.machine
        machine.deadlineReached(now: Self.at(109))
        #expect(machine == start.machine)
        machine.deadlineReached(now: Self.at(110))
        #expect(!machine.isHeld)
    }

    @Test func eachCrashOfAnAppDoublesThePauseUpToALimit() {
        let rule = Policy().relaunchCrashLoop
        var machine = CrashLoop()
        var now = 0
        var pauses: [Int] = []
        for _ in 0..<12 {
            machine.failed(rule, now: Self.at(now))
            #expect(machine.isHeld)
            let until = Int((machine.deadline?.sinceStart ?? .zero) / .seconds(1))
            pauses.append(until - now)
            machine.deadlineReached(now: Self.at(until))
            now = until
        }
        #expect(pauses.prefix(4) == [10, 20, 40, 80])
        #expect(pauses.last == 3600)
        machine.forgiven()
        machine.failed(rule, now: Self.at(now))
        #expect(machine.deadline == Self.at(now + 10))
    }

    @Test func anExtensionIsHeldFromItsThirdFailureInARow() {
        var machine = CrashLoop()
        var holds: [Bool] = []
        for _ in 0..<3 {
            machine.failed(Policy().extensionCrashLoop, now: Self.at(0))
            holds.append(machine.isHeld)
        }
        #expect(holds == [false, false, true])
        #expect(machine.deadline == Self.at(60))
    }
}
