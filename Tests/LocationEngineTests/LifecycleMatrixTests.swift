internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of an app's life cycle against every input.
@Suite struct LifecycleMatrixTests {
    private static func at(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    enum Start: CaseIterable {
        case notRunning, launching, foreground, leaving, background, unmanaged, suspended, ending, silent

        var machine: Lifecycle {
            var machine = Lifecycle()
            switch self {
            case .notRunning: break
            case .launching: machine.launched(LaunchID(1), .location, until: LifecycleMatrixTests.at(20))
            case .foreground:
                let arrival = Lifecycle.Arrival(phase: .foreground, isManaged: true)
                machine.connected(arrival, runtime: .seconds(10), now: LifecycleMatrixTests.at(10))
            case .leaving:
                machine = Start.foreground.machine
                _ = machine.phaseChanged(to: .background, grace: .seconds(5), now: LifecycleMatrixTests.at(10))
            case .background:
                let arrival = Lifecycle.Arrival(phase: .background, isManaged: true)
                machine.connected(arrival, runtime: .seconds(10), now: LifecycleMatrixTests.at(10))
            case .unmanaged:
                machine.connected(.init(phase: .background), runtime: .seconds(10), now: LifecycleMatrixTests.at(10))
            case .suspended:
                machine = Start.background.machine
                _ = machine.deadlineReached(mayRest: true, runtime: .seconds(10), now: LifecycleMatrixTests.at(20))
            case .ending:
                machine = Start.foreground.machine
                machine.vanished()
            case .silent:
                machine = Start.launching.machine
                _ = machine.deadlineReached(mayRest: true, runtime: .seconds(10), now: LifecycleMatrixTests.at(20))
            }
            return machine
        }
    }

    @Test(arguments: Start.allCases)
    func onlyAStoppedAppIsThawed(_ start: Start) {
        var shown = start.machine
        let expected: Lifecycle.OnPhase = start == .suspended ? .thaw : .ignore
        #expect(shown.phaseChanged(to: .foreground, grace: .seconds(5), now: Self.at(30)) == expected)
        var woken = start.machine
        #expect(woken.woken(runtime: .seconds(10), now: Self.at(30)) == (start == .suspended))
    }

    @Test(arguments: Start.allCases)
    func whatItIsSeenAs(_ start: Start) {
        let machine = start.machine
        #expect(machine.isForeground == (start == .foreground))
        #expect(machine.isSeen == (start == .foreground || start == .leaving))
        #expect(machine.isGone == (start == .notRunning))
        let runs = [Start.foreground, .leaving, .background, .unmanaged, .suspended].contains(start)
        #expect(machine.isRunning == runs)
        #expect(machine.isLaunching == (start == .launching))
        #expect(machine.wasSilent == (start == .silent))
        // Ending an app during its launch is not a failure of the app, because the end was ordered.
        #expect(machine.isManaged == (start != .notRunning && start != .unmanaged))
    }

    @Test(arguments: Start.allCases, [false, true])
    func timeStopsOnlyAManagedAppInTheBackground(_ start: Start, _ mayRest: Bool) {
        var machine = start.machine
        let result = machine.deadlineReached(mayRest: mayRest, runtime: .seconds(10), now: Self.at(40))
        let expected: Lifecycle.OnDeadline =
            switch start {
            case .launching: .launchFailed
            case .background: mayRest ? .freeze : .ignore
            case .notRunning, .foreground, .leaving, .unmanaged, .suspended, .ending, .silent: .ignore
            }
        #expect(result == expected)
        // The next deadline is in the future, so the host's timer does not fire repeatedly.
        #expect(machine.deadline.map { $0 > Self.at(40) } ?? true)
    }

    @Test(arguments: Start.allCases)
    func anEarlyDeadlineIsIgnored(_ start: Start) {
        var machine = start.machine
        #expect(machine.deadlineReached(mayRest: true, runtime: .seconds(10), now: Self.at(11)) == .ignore)
        #expect(machine == start.machine)
    }

    @Test(arguments: Start.allCases)
    func anExitedProcessIsGone(_ start: Start) {
        var machine = start.machine
        machine.exited()
        #expect(machine.isGone && !machine.isManaged)
    }

    @Test(arguments: Start.allCases)
    func onlyAnAppThatIsGoneIsLaunched(_ start: Start) {
        var machine = start.machine
        machine.launched(LaunchID(2), .push, until: Self.at(50))
        #expect((machine != start.machine) == (start == .notRunning))
    }
}
