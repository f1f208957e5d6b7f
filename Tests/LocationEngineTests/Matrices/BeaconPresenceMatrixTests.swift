internal import Testing

@testable internal import WhereaboutsLocationEngine

/// Tests for the presence of a beacon: every state with every input.
@Suite struct BeaconPresenceMatrixTests {
    private enum Start: CaseIterable { case undecided, near, away }

    private static let policy = BeaconPolicy()

    private static func presence(_ start: Start) -> BeaconPresence {
        let state: ConditionState =
            switch start {
            case .undecided: .unknown
            case .near: .satisfied
            case .away: .unsatisfied
            }
        return BeaconPresence(believing: state, at: .seconds(100))
    }

    @Test(arguments: Start.allCases) private func reception(_ start: Start) {
        var presence = Self.presence(start)
        let action = presence.received(at: .seconds(110))
        #expect(presence.state == .near(last: .seconds(110)))
        switch start {
        case .undecided, .away: #expect(action == .enter)
        case .near: #expect(action == .ignore)
        }
    }

    @Test(arguments: Start.allCases) private func aShortSilence(_ start: Start) {
        var presence = Self.presence(start)
        let before = presence
        // A beacon that was never received counts as absent earlier.
        let time = Duration.seconds(start == .undecided ? 104 : 129)
        #expect(presence.silenceLasted(until: time, Self.policy) == .ignore)
        #expect(presence == before)
    }

    @Test(arguments: Start.allCases) private func aLongSilence(_ start: Start) {
        var presence = Self.presence(start)
        let action = presence.silenceLasted(until: .seconds(start == .undecided ? 105 : 130), Self.policy)
        #expect(presence.state == .away && presence.deadline(Self.policy) == nil)
        switch start {
        case .undecided, .near: #expect(action == .leave)
        case .away: #expect(action == .ignore)
        }
    }
}
