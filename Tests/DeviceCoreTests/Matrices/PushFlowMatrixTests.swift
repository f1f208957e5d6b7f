internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsDeviceCore

/// Tests for the rate limit of pushes from the gateway: every state with every input.
@Suite struct PushFlowMatrixTests {
    /// All at second 0: no push; one push less than a burst; a full burst; two full bursts.
    private enum Start: Int, CaseIterable { case fresh = 0, brimming = 255, held = 256, full = 512 }

    private static func flow(_ start: Start) -> PushFlow {
        var flow = PushFlow()
        for _ in 0..<start.rawValue { _ = flow.arrived(now: second(0)) }
        return flow
    }

    private static func held(_ milliseconds: Int) -> PushFlow.State {
        .held(until: EngineInstant(sinceStart: .milliseconds(milliseconds)))
    }

    @Test(arguments: Start.allCases) private func theStarts(_ start: Start) {
        let flow = Self.flow(start)
        switch start {
        case .fresh, .brimming: #expect(flow.state == .flowing && flow.deadline == nil)
        case .held: #expect(flow.state == Self.held(32_000) && flow.deadline == second(32))
        case .full: #expect(flow.state == Self.held(96_000) && flow.deadline == second(96))
        }
    }

    @Test(arguments: Start.allCases) private func aPushAtOnce(_ start: Start) {
        var flow = Self.flow(start)
        let action = flow.arrived(now: second(0))
        switch start {
        case .fresh: #expect(action == .take && flow.state == .flowing)
        case .brimming: #expect(action == .takeAndHold && flow.state == Self.held(32_000))
        case .held: #expect(action == .take && flow.state == Self.held(32_250))
        case .full: #expect(action == .leave && flow.state == Self.held(96_000))
        }
    }

    @Test(arguments: Start.allCases) private func aPushWhenHalfABurstIsBack(_ start: Start) {
        var flow = Self.flow(start)
        let action = flow.arrived(now: second(32))
        #expect(action == .take)
        switch start {
        case .fresh, .brimming: #expect(flow.state == .flowing)
        case .held: #expect(flow.state == Self.held(32_250))
        case .full: #expect(flow.state == Self.held(96_250))
        }
    }

    @Test(arguments: Start.allCases, [0, 31, 32, 95, 96, 1000]) private func deadline(_ start: Start, _ time: Int) {
        var flow = Self.flow(start)
        flow.deadlineReached(now: second(time))
        switch start {
        case .fresh, .brimming: #expect(flow.state == .flowing)
        case .held: #expect(flow.state == (time < 32 ? Self.held(32_000) : .flowing))
        case .full: #expect(flow.state == (time < 96 ? Self.held(96_000) : .flowing))
        }
    }
}
