internal import Testing

@testable internal import WhereaboutsLocationEngine

/// Goal: an app receives a change of its authorization before anything that follows from it.
@Suite struct AuthorizationOrderTests {
    enum Change: CaseIterable {
        case denied, allowedAgain, reduced, preciseAgain, servicesOff, servicesOn

        /// The previous change, which this one reverses.
        fileprivate var setup: Engine.Input? {
            switch self {
            case .denied, .reduced, .servicesOff: nil
            case .allowedAgain: Self.denied.input
            case .preciseAgain: Self.reduced.input
            case .servicesOn: Self.servicesOff.input
            }
        }

        fileprivate var input: Engine.Input {
            switch self {
            case .denied: .authorizationSet(Device.app, .never)
            case .allowedAgain: .authorizationSet(Device.app, .always)
            case .reduced: .accuracySet(Device.app, precise: false)
            case .preciseAgain: .accuracySet(Device.app, precise: true)
            case .servicesOff: .servicesSwitched(on: false)
            case .servicesOn: .servicesSwitched(on: true)
            }
        }
    }

    /// The kinds of messages that the last input sent to a client, in order.
    private func news(_ device: Device, to client: UInt64 = 1) -> [String] {
        device.effects.compactMap { effect in
            guard case .tell(ClientID(client), let message) = effect else { return nil }
            return switch message {
            case .state: "state"
            case .update: "update"
            case .monitor(.event, _): "event"
            default: nil
            }
        }
    }

    @Test(arguments: Change.allCases) func theChangeComesBeforeTheUpdate(_ change: Change) {
        var device = Device(.always)
        device.connect(1)
        device.declare(1, streams: [1])
        device.fix()
        if let setup = change.setup { device.feed(setup) }
        device.feed(change.input)
        let first = self.news(device)
        #expect(first.first == "state", "\(first)")
        #expect(first.count { $0 == "state" } == 1, "\(first)")
    }

    @Test func aSuspendedAppLearnsOfItBeforeTheLocationThatResumesIt() {
        var device = Device(.always)
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)], streams: [1])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        // A change that a suspended process does not receive.
        device.feed(.sensed(.ready(.compass)))
        #expect(self.news(device).isEmpty)
        device.fix()
        #expect(self.news(device) == ["state", "update"])
    }

    @Test func aSuspendedAppLearnsOfItBeforeTheEventThatResumesIt() throws {
        var device = Device.monitoring()
        device.add("home", assuming: .unsatisfied)
        device.be(north: 500)
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        // A change that a suspended process does not receive.
        device.feed(.sensed(.ready(.compass)))
        #expect(self.news(device).isEmpty)
        var news: [String] = []
        for _ in 0..<400 where news.isEmpty {
            device.pass(1)
            news += self.news(device)
            device.fix()
            news += self.news(device)
        }
        #expect(news == ["state", "event"])
    }
}
