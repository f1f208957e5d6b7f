internal import Testing
internal import WhereaboutsLocationEngine

/// Goal: when an app that shares loses its session, the person sees it, and the app is notified so that it tells its
/// server.
struct SharingLossTests {
    private static let stopped = Engine.Indicator(bundle: Device.app, kind: .sharingStopped)

    /// An app that shared, was launched in the background, and did not retake its session in time.
    private func lost(policy: Policy = Policy()) -> Device {
        var device = Device.sharing(policy: policy)
        device.connect(2, phase: .background, isManaged: true)
        device.pass(5)
        #expect(device.status?.sessions == [])
        return device
    }

    private func isLaunched(_ effects: [Engine.Effect]) -> Bool {
        effects.contains { if case .process(.launchApp) = $0 { true } else { false } }
    }

    @Test func thePersonSeesItUntilTheAppIsOpened() {
        var device = self.lost()
        #expect(device.engine.indicators == [Self.stopped])
        #expect(device.status?.needsOpening == true)
        _ = device.push()
        #expect(device.refused == .noAlwaysSession)
        device.declare(2, sessions: [(1, .always)])
        #expect(device.diagnostics(to: 2) == [.insufficientlyInUse])
        #expect(device.engine.indicators == [Self.stopped])
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.diagnostics(to: 2) == [[]])
        #expect(device.engine.indicators == [])
        _ = device.push()
        #expect(device.launched != nil)
    }

    /// Goal: the process that did not retake its session gets no notification; the next process does.
    @Test func theAppIsLaunchedOnceToHearOfIt() {
        var device = self.lost()
        device.feed(.clientVanished(ClientID(2)))
        #expect(!self.isLaunched(device.effects))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(device.relaunched == .location)
        device.connect(3, phase: .background, isManaged: true)
        device.declare(3, sessions: [(1, .always)])
        #expect(device.diagnostics(to: 3) == [.insufficientlyInUse])
        device.feed(.clientVanished(ClientID(3)))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(!self.isLaunched(device.effects + device.pass(7200)))
        #expect(device.engine.indicators == [Self.stopped])
    }

    @Test func theAppThatHeardOfItIsNotLaunched() {
        var device = self.lost()
        device.declare(2, sessions: [(1, .always)])
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(!self.isLaunched(device.effects + device.pass(7200)))
    }

    @Test func theAppThatCrashesIsLaunchedLater() {
        var device = self.lost()
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .signalled(11)))
        #expect(!self.isLaunched(device.effects))
        #expect(self.isLaunched(device.pass(600)))
    }

    @Test func theLossOutlivesARestart() {
        let device = self.lost().rebooted()
        #expect(device.engine.indicators == [Self.stopped])
    }

    @Test func theAppThatGivesItsSessionUpHasLostNothing() {
        var device = Device.sharing()
        device.connect(2, phase: .background, isManaged: true)
        device.declare(2, sessions: [(1, .always)])
        device.declare(2)
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(!self.isLaunched(device.effects + device.pass(600)))
        #expect(device.engine.indicators == [] && device.status?.needsOpening == false)
    }

    @Test func thePersonIsNotToldWhatTheyDecided() {
        var device = self.lost()
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.engine.indicators == [])
        device.feed(.authorizationSet(Device.app, .always))
        #expect(device.engine.indicators == [Self.stopped])
    }

    /// Goal: for an app without pushes, no end of sharing is shown.
    @Test func theAppThatTakesNoPushesNeedsNotBeOpened() {
        var device = self.lost()
        device.feed(.pushMonitoringStopped(ClientID(2)))
        #expect(device.engine.indicators == [])
    }

    /// A policy in which a closed app keeps no sessions.
    @Test func closingTheAppEndsSharingWithAWord() {
        var policy = Policy()
        policy.closingKeepsClaims = false
        var device = Device(policy: policy)
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)])
        device.feed(.authorizationSet(Device.app, .always))
        device.feed(.pushTokenRequested(ClientID(1), request: 9))
        device.feed(.pushTokenReceived(Device.app, [1, 2, 3]))
        device.feed(.terminationBegan(Device.app, by: .person))
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(device.engine.indicators == [Self.stopped])
        #expect(device.relaunched == .location)
    }
}
