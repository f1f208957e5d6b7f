internal import Testing
internal import WhereaboutsLocationEngine

/// Tests for sessions, explicit and implicit, and for the elements of their streams.
@Suite struct StreamTests {
    @Test func readingUpdatesCountsAsASession() {
        var device = Device()
        device.connect(1)
        device.declare(1, streams: [5])
        #expect(device.asked == .whenInUse(offersPrecise: true))
        #expect(device.updates(to: 1) == [.unavailable(.authorizationRequestInProgress)])
        device.answer(.allowWhileUsing(precise: false))
        // An implicit session never asks for full accuracy.
        #expect(device.asked == nil)
    }

    @Test func theKeyTurnsImplicitSessionsOff() {
        var manifest = Device.manifest
        manifest.requiresExplicitSessions = true
        var device = Device(manifest: manifest)
        device.connect(1)
        device.declare(1, streams: [5])
        #expect(device.asked == nil)
        #expect(device.updates(to: 1) == [.unavailable(.serviceSessionRequired)])
        device.feed(.authorizationSet(Device.app, .whileUsing))
        #expect(device.updates(to: 1).isEmpty)
        // A session without a requirement is enough once there is an authorization.
        device.declare(1, sessions: [(1, .none)], streams: [5])
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
    }

    @Test func aSessionThatAsksForNothingNeverAsks() {
        var device = Device()
        device.connect(1)
        device.declare(1, sessions: [(1, .none)])
        #expect(device.asked == nil)
        #expect(device.diagnostics(to: 1) == [[]])
    }

    @Test func alwaysWithoutItsSessionIsNotEffectiveUnseen() {
        var device = Device(.always)
        device.connect(1)
        device.declare(1, streams: [5])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(5)
        device.fix()
        #expect(device.updates(to: 1).isEmpty)
        device.declare(1, sessions: [(1, .always)], streams: [5])
        #expect(device.diagnostics(to: 1) == [.insufficientlyInUse])
        #expect(device.updates(to: 1).isEmpty)
    }

    @Test func alwaysThatNeedsNoSessionIsEffectiveUnseen() {
        var policy = Policy()
        policy.alwaysNeedsSession = false
        var device = Device(.always, policy: policy)
        device.connect(1)
        device.declare(1, streams: [5])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(5)
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
    }

    @Test func readingThatDoesNotAskLeavesItToTheManager() {
        var policy = Policy()
        policy.readingAsks = false
        var device = Device(policy: policy)
        device.connect(1)
        device.declare(1, streams: [5])
        #expect(device.asked == nil && device.updates(to: 1) == [.unavailable(.insufficientlyInUse)])
        device.feed(.authorizationRequested(ClientID(1), .whenInUse))
        #expect(device.asked == .whenInUse(offersPrecise: true))
    }

    @Test func alwaysWithASessionTakenInTheForegroundIs() {
        var device = Device(.always)
        device.connect(1)
        device.declare(1, sessions: [(1, .always)], streams: [5])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
        // Another session may begin while the first one is active.
        device.declare(1, sessions: [(1, .always), (2, .always)], streams: [5])
        #expect(device.diagnostics(to: 1) == [[]])
    }

    @Test func aClassicManagerNeedsNoSession() {
        var device = Device(.always)
        device.connect(1)
        let options = StandardOptions(allowsBackground: true)
        device.declare(1, Declaration(streams: [.init(id: 1, service: .standard(options))]))
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
        #expect(device.engine.indicators.isEmpty)
    }

    @Test func layeredSessionsNeedNotKnowOfEachOther() {
        var device = Device()
        device.connect(1)
        device.declare(1, sessions: [(1, .none), (2, .whenInUse), (3, .always)])
        device.answer(.allowWhileUsing(precise: true))
        device.answer(.keepWhileUsing)
        #expect(device.diagnostics(to: 1) == [.alwaysAuthorizationDenied])
        device.declare(1, sessions: [(1, .none), (2, .whenInUse)])
        #expect(device.status?.sessions == [.none, .whenInUse])
    }

    @Test func oneLocationIsOneElement() {
        var device = Device(.whileUsing)
        device.connect(1)
        device.declare(1, Declaration(streams: [.init(id: 1, service: .once(desiredAccuracy: 0))]))
        device.fix()
        #expect(device.updates(to: 1).count == 1)
        device.pass(1)
        device.fix(latitude: 425_010_000)
        #expect(device.updates(to: 1).isEmpty)
        // No other client needs the receiver.
        #expect(device.pass(60).contains(.sensor(.receiver, isOn: false)))
    }

    @Test func theDistanceFilterHoldsNearPositionsBack() {
        var device = Device(.whileUsing)
        device.connect(1)
        let options = StandardOptions(distanceFilter: 100_000)
        device.declare(1, Declaration(streams: [.init(id: 1, service: .standard(options))]))
        device.fix()
        #expect(device.updates(to: 1).count == 1)
        // At 50 m north, then at 150 m.
        device.fix(latitude: 425_004_500)
        #expect(device.updates(to: 1).isEmpty)
        device.fix(latitude: 425_013_500)
        #expect(device.updates(to: 1).count == 1)
    }

    @Test func manyStreamsOfManyAppsAreAllServed() {
        var device = Device()
        for number in 1...20 {
            let bundle = BundleID("com.example.App\(number)")
            device.feed(.appInstalled(bundle, Device.manifest))
            device.feed(.authorizationSet(bundle, .whileUsing))
            let client = ClientID(UInt64(number))
            device.feed(
                .clientConnected(client, Principal(bundle: bundle, role: .app), Lifecycle.Arrival(phase: .foreground))
            )
            device.declare(UInt64(number), streams: [1, 2, 3])
        }
        device.fix()
        #expect(device.effects.count { if case .tell(_, .update) = $0 { true } else { false } } == 60)
    }
}
