internal import Foundation
internal import Testing

@testable internal import SystemSimulator

struct ScenarioTests {
    @Test(arguments: [3, 24, 117] as [UInt64]) func aScenarioSurvivesItsFile(seed: UInt64) throws {
        let scenario = Scenario(seed: seed)
        let read = try JSONDecoder().decode(Scenario.self, from: JSONEncoder().encode(scenario))
        #expect(read == scenario)
        let (first, again) = (SimulatedRun(scenario), SimulatedRun(read))
        #expect(first.trace.hash == again.trace.hash && first.trace.count == again.trace.count)
        #expect(SimulatedRun(Scenario(seed: seed + 1)).trace.hash != first.trace.hash)
    }

    /// Scenarios that once found a fault, of the system or of an auditor.
    @Test(arguments: try KeptScenario.all()) func whatOnceFailedPasses(_ kept: KeptScenario) throws {
        let run = SimulatedRun(try kept.read())
        #expect(run.violation == nil, "replay it: simulate --replay \(kept.path)")
    }

    @Test func scenariosAreKept() throws {
        #expect(try KeptScenario.all().count >= 3)
    }

    /// Goal: a scenario keeps only the acts that make it fail.
    ///
    /// Method: the server is still down when all faults end, among many harmless acts.
    @Test func whatIsNotNeededIsLeftOut() throws {
        var scenario = Scenario.withoutServer
        let violation = try #require(SimulatedRun(scenario).violation)
        let smaller = scenario.shrunk(violation)
        #expect(smaller.acts == [Scenario.serverEnds])
        #expect(smaller.deaths.isEmpty && smaller.grants.count == 1 && smaller.healsAt == 3)
        #expect(smaller.devices.count == 1 && smaller.requesters.count == 1)
        let left = try #require(SimulatedRun(smaller).violation)
        #expect(left.rule == violation.rule)
        #expect(scenario.shrunk(violation) == smaller)
        // Without the fault, there is no failure.
        scenario.acts.removeAll { $0 == Scenario.serverEnds }
        #expect(SimulatedRun(scenario).violation == nil)
    }

    @Test func theRuleIsTheSameWhoeverBreaksIt() {
        let one = Violation(what: "device 1 lost push 23", instant: .start)
        let other = Violation(what: "device 2 lost push 4", instant: .start)
        #expect(one.rule == other.rule)
        #expect(one.rule != Violation(what: "device 1 kept push 23", instant: .start).rule)
    }
}

extension Scenario {
    /// The server is down until after the end of the run, so the last request has no answer.
    static let serverEnds = Act(at: 2000, what: .kill(.server, milliseconds: 10_000_000))

    static var withoutServer: Scenario {
        var scenario = Scenario(seed: 1)
        let friends = AppPlan(kind: .friends, isExplicit: false, isReduced: false)
        scenario.healsAt = 60
        scenario.devices = Array(repeating: DevicePlan(speed: 0, apps: [friends], habit: .allowsAll), count: 2)
        scenario.requesters = Array(repeating: RequesterPlan(clockError: 0), count: 2)
        scenario.grants = [0, 1].map { place in
            GrantPlan(device: place, app: 0, requester: place, isFull: true, holds: -3600...1_000_000, interval: 0)
        }
        scenario.acts = [Self.serverEnds]
        for second in 1...12 {
            scenario.acts.append(Act(at: second * 4000, what: .open(device: second % 2, app: 0)))
            scenario.acts.append(Act(at: second * 4000 + 500, what: .ask(grant: 1, precisely: true, xWing: false)))
            scenario.acts.append(Act(at: second * 4000 + 2000, what: .hide(device: second % 2, app: 0)))
        }
        scenario.deaths = [Death(node: .device(1), write: 3, isAfter: true)]
        return scenario
    }
}
