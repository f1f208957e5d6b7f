internal import Testing
internal import WhereaboutsLocationEngine

@Suite struct SessionTests {
    @Test func anAlwaysSessionInTheForegroundAsksTwiceAndThenHolds() {
        var device = Device()
        device.connect(1)
        device.declare(1, sessions: [(1, .always)])
        #expect(device.asked == .whenInUse(offersPrecise: true))
        #expect(device.diagnostics(to: 1) == [.authorizationRequestInProgress])
        device.answer(.allowWhileUsing(precise: true))
        #expect(device.asked == .always)
        device.answer(.changeToAlways)
        #expect(device.diagnostics(to: 1) == [[]])
        #expect(device.told(1)?.authorization == .always)
    }

    @Test func refusedAlwaysIsSaidAndNotAskedAgain() {
        var device = Device()
        device.connect(1)
        device.declare(1, sessions: [(1, .always)])
        device.answer(.allowWhileUsing(precise: true))
        device.answer(.keepWhileUsing)
        #expect(device.diagnostics(to: 1) == [.alwaysAuthorizationDenied])
        device.declare(1)
        device.declare(1, sessions: [(2, .always)])
        #expect(device.diagnostics(to: 1) == [.alwaysAuthorizationDenied])
    }

    @Test func inTheBackgroundNobodyIsAskedUntilTheAppReturns() {
        var device = Device()
        device.connect(1, phase: .background)
        device.declare(1, sessions: [(1, .whenInUse)])
        #expect(device.diagnostics(to: 1) == [.insufficientlyInUse])
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.diagnostics(to: 1) == [.authorizationRequestInProgress])
    }

    @Test func aMissingUsageDescriptionIsNotedOnceByItsKey() {
        var manifest = Device.manifest
        manifest.explainsWhenInUse = false
        var device = Device(manifest: manifest)
        device.connect(1)
        device.declare(1, sessions: [(1, .whenInUse)])
        let note = Engine.Effect.note(
            .keyMissing(Device.app, key: "NSLocationWhenInUseUsageDescription")
        )
        #expect(device.effects.contains(note))
        #expect(device.diagnostics(to: 1) == [.authorizationDenied])
        device.declare(1, sessions: [(1, .whenInUse), (2, .whenInUse)])
        #expect(!device.effects.contains(note))
    }

    @Test(arguments: [false, true])
    func everyWayToDieLeavesTheSameLedger(_ politely: Bool) {
        var device = Device()
        device.connect(1)
        device.declare(1, sessions: [(1, .always)])
        if politely {
            device.feed(.terminationBegan(Device.app, by: .person))
            device.declare(1)
        }
        device.feed(.clientVanished(ClientID(1)))
        #expect(device.engine.status(of: Device.app)?.sessions == [.always])
    }

    @Test func invalidationEndsASession() {
        var device = Device()
        device.connect(1)
        device.declare(1, sessions: [(1, .always)])
        device.declare(1)
        device.feed(.clientVanished(ClientID(1)))
        #expect(device.engine.status(of: Device.app)?.sessions == [])
    }

    @Test func whatIsNotRetakenAfterALaunchIsDropped() {
        var device = Device.sharing()
        device.connect(2, phase: .background)
        #expect(device.engine.status(of: Device.app)?.sessions == [.always])
        let effects = device.pass(5)
        #expect(effects.contains(.note(.sessionsDropped(Device.app, count: 1))))
        #expect(device.engine.status(of: Device.app)?.sessions == [])
    }

    /// Goal: one failed start, for example without settings, does not end sharing.
    @Test(arguments: [true, false]) func aSessionOutlivesAStartThatFails(_ connects: Bool) {
        var device = Device.sharing()
        if connects {
            device.connect(2, phase: .background, isManaged: true)
            device.feed(.clientVanished(ClientID(2)))
        } else {
            device.feed(.appStarted(Device.app, Lifecycle.Arrival(isManaged: true)))
        }
        device.feed(.appExited(Device.app, .exited(1)))
        let effects = device.pass(60)
        #expect(!effects.contains { if case .note(.sessionsDropped) = $0 { true } else { false } })
        #expect(device.status?.sessions == [.always])
        _ = device.push()
        #expect(device.refused == nil && device.launched != nil)
    }

    /// Goal: sharing survives if locationd restarts, and the app dies before it has reconnected.
    @Test func aSessionOutlivesAnAppThatDiesAfterARestart() {
        var device = Device.sharing()
        device = device.restored(after: 1, running: [(Device.app, .background)])
        device.feed(.appExited(Device.app, .signalled(9)))
        device.pass(60)
        #expect(device.status?.sessions == [.always])
    }

    @Test func whatIsRetakenInTimeStaysEvenInTheBackground() {
        var device = Device.sharing()
        device.connect(2, phase: .background)
        device.pass(4)
        device.declare(2, sessions: [(1, .always)])
        #expect(device.diagnostics(to: 2) == [[]])
        device.pass(60)
        #expect(device.engine.status(of: Device.app)?.sessions == [.always])
    }

    @Test func aSessionTakenUnseenWaitsForTheForeground() {
        var device = Device(.always)
        device.connect(1, phase: .background)
        device.declare(1, sessions: [(1, .always)], streams: [5])
        #expect(device.diagnostics(to: 1) == [.insufficientlyInUse])
        #expect(device.updates(to: 1) == [.unavailable(.insufficientlyInUse)])
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.diagnostics(to: 1) == [[]])
    }

    @Test func tooLargeADeclarationCutsTheClientOff() {
        var device = Device()
        device.connect(1)
        device.declare(1, streams: Array(1...256))
        #expect(!device.effects.contains(.disconnect(ClientID(1))))
        device.declare(1, streams: Array(1...257))
        #expect(device.effects.contains(.disconnect(ClientID(1))))
    }
}
