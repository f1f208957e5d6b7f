internal import Testing
internal import WhereaboutsLocationEngine

/// Tests for an app in the foreground, in the background, suspended, terminated, and back.
@Suite struct LifecycleTests {
    /// An app with While Using that records a workout, and was sent to the background.
    private func workout(policy: Policy = Policy()) -> Device {
        var device = Device(.whileUsing, policy: policy)
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .whenInUse)], streams: [5], activities: [(2, .backgroundSession)])
        device.fix()
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(3)
        return device
    }

    /// Fixes of a moving device, one a second.
    private func drive(_ device: inout Device, seconds: Int) {
        for second in 0..<seconds {
            device.pass(1)
            device.fix(latitude: 425_000_000 + Int32(second) * 2000)
        }
    }

    @Test func anAppWithSomethingToDeliverRunsInTheBackground() {
        var device = self.workout()
        self.drive(&device, seconds: 60)
        #expect(device.updates(to: 1).first?.fix != nil)
        #expect(device.status?.process == .background)
    }

    @Test func anAppWithNothingToDeliverIsSuspendedAndResumedWithoutItsDoing() {
        var device = self.workout()
        device.feed(.sensed(.lost(.receiver)))
        #expect(device.updates(to: 1) == [.unavailable(.locationUnavailable)])
        let effects = device.pass(20)
        #expect(effects.contains(.process(.freeze(Device.app))))
        #expect(device.status?.process == .suspended)
        device.feed(.sensed(.ready(.receiver)))
        device.fix()
        let thaw = device.effects.firstIndex(of: .process(.thaw(Device.app)))
        let update = device.effects.firstIndex { if case .tell(_, .update) = $0 { true } else { false } }
        #expect(thaw != nil && update != nil)
        if let thaw, let update { #expect(thaw < update) }
        #expect(device.status?.process == .background)
    }

    @Test func nothingIsSentToASuspendedApp() {
        var device = self.workout()
        device.feed(.sensed(.lost(.receiver)))
        device.pass(20)
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.told(1) == nil)
        #expect(device.diagnostics(to: 1).isEmpty)
        #expect(device.updates(to: 1).isEmpty)
        // A suspended app receives missed changes when it resumes.
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.effects.contains(.process(.thaw(Device.app))))
        #expect(device.told(1)?.authorization == .denied)
        #expect(device.diagnostics(to: 1).contains(.authorizationDenied))
        #expect(device.updates(to: 1) == [.unavailable(.authorizationDenied)])
    }

    @Test func anAppNobodyLaunchedIsNeverStopped() {
        var device = Device()
        device.connect(1, phase: .background)
        #expect(!device.pass(3600).contains(.process(.freeze(Device.app))))
    }

    @Test func aTerminatedAppIsLaunchedWhenThereIsALocation() {
        var device = self.workout()
        device.pass(5)
        device.feed(.clientVanished(ClientID(1)))
        #expect(device.relaunched == nil)
        device.feed(.appExited(Device.app, .signalled(9)))
        device.pass(15)
        device.fix()
        #expect(device.relaunched == .location)
        // Only once: the next fix waits for the process.
        device.fix(latitude: 425_001_000)
        #expect(device.relaunched == nil)
        device.connect(2, phase: .background, isManaged: true)
        #expect(device.told(2)?.launchReason == .location)
        device.declare(2, streams: [1], activities: [(2, .backgroundSession)])
        device.fix(latitude: 425_002_000)
        #expect(device.updates(to: 2).first?.fix != nil)
        device.pass(60)
        #expect(device.status?.hasBackgroundSession == true)
    }

    @Test func whatIsNotTakenUpAfterTheRelaunchIsGone() {
        var device = self.workout()
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.fix()
        #expect(device.relaunched == .location)
        device.connect(2, phase: .background, isManaged: true)
        let effects = device.pass(5)
        #expect(effects.contains(.note(.sessionsDropped(Device.app, count: 3))))
        #expect(device.status?.hasBackgroundSession == false)
        // A new one cannot begin in the background.
        device.declare(2, streams: [1], activities: [(2, .backgroundSession)])
        #expect(device.diagnostics(to: 2) == [.insufficientlyInUse])
        #expect(device.updates(to: 2) == [.unavailable(.insufficientlyInUse)])
    }

    @Test func withoutWhatKeepsItInUseAWhenInUseAppIsNotLaunched() {
        var device = Device(.whileUsing)
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .whenInUse)], streams: [5])
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.fix()
        #expect(device.relaunched == nil)
        #expect(device.pass(31).contains(.sensor(.receiver, isOn: false)))
    }

    @Test func alwaysWithItsSessionIsLaunched() {
        var device = Device(.always)
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)], streams: [5])
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.fix()
        #expect(device.relaunched == .location)
    }

    @Test func anAppThatCrashesOnEveryRelaunchIsLeftAloneLonger() {
        var device = self.workout()
        var launches: [Double] = []
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .signalled(11)))
        for second in 0..<200 {
            let effects = device.pass(1)
            device.fix(latitude: 425_000_000 + Int32(second) * 2000)
            guard
                (effects + device.effects).contains(where: { if case .process(.launchApp) = $0 { true } else { false } }
                )
            else {
                continue
            }
            launches.append(device.seconds)
            let client = UInt64(launches.count) + 10
            device.connect(client, phase: .background, isManaged: true)
            device.declare(client, streams: [1], activities: [(2, .backgroundSession)])
            device.feed(.appExited(Device.app, .signalled(11)))
        }
        let pauses = zip(launches.dropFirst(), launches).map { $0 - $1 }
        #expect(launches.count >= 3)
        #expect(zip(pauses.dropFirst(), pauses).allSatisfy { $0 > $1 * 1.5 })
    }

    @Test func aLaunchThatNeverConnectsIsGivenUp() {
        var device = self.workout()
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.fix()
        #expect(device.relaunched == .location)
        device.feed(.appStarted(Device.app, .init(phase: .background, isManaged: true, reason: .location)))
        #expect(device.pass(10).contains(.process(.killApp(Device.app))))
        device.feed(.appExited(Device.app, .signalled(9)))
        #expect(device.effects.contains(.note(.appFailed(Device.app, .neverConnected))))
    }

    @Test(arguments: [true, false])
    func whatAPersonClosesIsKeptOrForgottenByPolicy(_ keeps: Bool) {
        var policy = Policy()
        policy.closingKeepsClaims = keeps
        var device = self.workout(policy: policy)
        device.feed(.terminationBegan(Device.app, by: .person))
        device.declare(1)
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .signalled(15)))
        #expect(device.status?.hasBackgroundSession == keeps)
        device.fix()
        #expect((device.relaunched != nil) == keeps)
    }

    @Test func aStoppedAppGoesOnToHearThatItEnds() {
        var device = self.workout()
        device.feed(.sensed(.lost(.receiver)))
        device.pass(20)
        device.feed(.terminationBegan(Device.app, by: .system))
        #expect(device.effects.contains(.process(.thaw(Device.app))))
    }

    @Test func aManagerThatAllowsBackgroundUpdatesKeepsTheAppRunning() {
        var device = Device(.whileUsing)
        device.connect(1, isManaged: true)
        let options = StandardOptions(allowsBackground: true)
        device.declare(1, Declaration(streams: [.init(id: 1, service: .standard(options))]))
        device.fix()
        device.feed(.phaseChanged(Device.app, .background))
        device.feed(.sensed(.lost(.receiver)))
        #expect(!device.pass(3600).contains(.process(.freeze(Device.app))))
        #expect(device.engine.indicators == [.init(bundle: Device.app, kind: .locationInBackground)])
    }

    @Test func aManagersUpdatesDoNotBeginInTheBackgroundWhileUsing() {
        var device = Device(.whileUsing)
        device.connect(1, phase: .background)
        let options = StandardOptions(allowsBackground: true)
        device.declare(1, Declaration(streams: [.init(id: 1, service: .standard(options))]))
        #expect(device.updates(to: 1) == [.unavailable(.insufficientlyInUse)])
    }

    @Test func onlyAProcessNobodyLaunchedSaysHowItIsShown() {
        var device = Device()
        device.connect(1)
        device.feed(.phaseReported(ClientID(1), .background))
        device.pass(5)
        #expect(device.status?.process == .background)
        var managed = Device()
        managed.connect(1, isManaged: true)
        managed.feed(.phaseReported(ClientID(1), .background))
        #expect(managed.status?.process == .foreground)
    }
}
