internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Tests for processes: "started" is reported by the system, "connected" by the process.
@Suite struct ProcessTests {
    private let app = CoreOnPaper.app

    @Test func aProcessThatSaysNothingIsNotConnected() {
        var core = CoreOnPaper()
        #expect(core.order(.run(self.app, .foreground)) == ["start app (user)"])
        #expect(core.report(.appStarted(self.app)) == [])
        let principal = Principal(bundle: self.app, role: .app)
        #expect(core.report(.connectionOpened(CoreOnPaper.client, principal, Caller())) == [])
        #expect(!core.core.engine.knows(CoreOnPaper.client))
        #expect(core.report(.messageReceived(.declaration(Declaration()), from: CoreOnPaper.client)) == ["state"])
        #expect(core.core.engine.knows(CoreOnPaper.client))
    }

    @Test func whoeverStartsAnAppHearsThatItStaysOrThatItDoesNot() {
        var core = CoreOnPaper()
        _ = core.order(.run(self.app, .foreground))
        _ = core.report(.appStarted(self.app))
        #expect(core.wait(.milliseconds(499)) == [])
        #expect(core.wait(.milliseconds(1)) == ["answer 1: done"])
        _ = core.report(.appEnded(self.app, .exited(0)))
        _ = core.order(.run(self.app, .foreground))
        _ = core.report(.appStarted(self.app))
        #expect(core.report(.appEnded(self.app, .exited(127))).contains("answer 2: ended at once"))
        _ = core.order(.run(self.app, .foreground))
        #expect(core.report(.appNotStarted(self.app, reason: "no memory")) == ["answer 3: failed: no memory"])
        #expect(core.order(.run(self.app, .foreground)) == ["start app (user)"], "it may be tried again")
    }

    @Test func anAppThatIsAskedToEndAndDoesNotIsKilled() {
        var core = CoreOnPaper()
        #expect(core.order(.close(self.app, by: .person)) == ["answer 1: not running"])
        _ = core.order(.run(self.app, .foreground))
        _ = core.report(.appStarted(self.app))
        _ = core.wait(.seconds(1))
        #expect(core.order(.close(self.app, by: .person)) == ["end app"])
        #expect(core.wait(.milliseconds(4999)) == [])
        #expect(core.wait(.milliseconds(1)) == ["kill app"])
        #expect(core.wait(.seconds(60)) == [], "once")
        #expect(core.report(.appEnded(self.app, .signalled(9))) == ["answer 3: done"])
    }

    @Test func anotherRunOnlyShowsTheApp() {
        var core = CoreOnPaper()
        _ = core.order(.run(self.app, .background))
        _ = core.report(.appStarted(self.app))
        #expect(core.order(.run(self.app, .foreground, arguments: ["x"])) == ["answer 2: runs with other arguments"])
        #expect(core.order(.run(self.app, .foreground)) == ["answer 3: done"])
        #expect(core.core.engine.status(of: self.app)?.process == .foreground)
        #expect(core.core.runningApps.map(\.phase) == [.foreground])
    }

    /// The process had a stream and ended.
    ///
    /// A position arrives, so the app is launched, but it shows nothing.
    @Test func anAppThatTheDeviceLaunchesAndThatShowsNothingIsKilledAndLeftAlone() {
        var core = CoreOnPaper()
        core.runsRegistered()
        let held = Declaration(sessions: [.init(id: 1, requirement: .always)], streams: [.init(id: 2)])
        _ = core.report(.messageReceived(.declaration(held), from: CoreOnPaper.client))
        _ = core.report(.connectionClosed(CoreOnPaper.client))
        _ = core.report(.appEnded(self.app, .signalled(11)))
        _ = core.wait(.seconds(60))
        #expect(core.fix().contains("start app (location)"))
        #expect(core.report(.appStarted(self.app)) == [])
        #expect(core.core.engine.status(of: self.app)?.process == .notRunning, "it has shown nothing")
        #expect(core.wait(.seconds(9)) == [])
        #expect(core.wait(.seconds(1)) == ["kill app"])
        #expect(core.fix() == [], "it is not launched while its end is awaited")
        _ = core.report(.appEnded(self.app, .signalled(9)))
        #expect(core.fix() == [], "an app that failed is left alone for a while")
    }

    @Test func anExtensionThatShowsNothingIsHandedNothingAndKilled() {
        var core = CoreOnPaper()
        core.runsRegistered()
        #expect(core.report(.pushArrived(core.push(1))) == ["keep 1"])
        let taken = core.report(.pushKept(core.push(1).id))
        #expect(taken.contains("acknowledge 1") && taken.contains("start extension 1"))
        let principal = Principal(bundle: self.app, role: .pushExtension(LaunchID(1)))
        #expect(core.report(.connectionOpened(ClientID(2), principal, Caller())) == [])
        #expect(core.wait(.seconds(29)) == [])
        #expect(core.wait(.seconds(1)) == ["kill extension"])
        let ended = core.report(.extensionEnded(LaunchID(1), .signalled(9)))
        #expect(ended.contains("disconnect") && !ended.contains("hand 1"))
    }

    @Test func anExtensionIsHandedItsPushWhenItHasSpoken() {
        var core = CoreOnPaper()
        core.runsRegistered()
        _ = core.report(.pushArrived(core.push(1)))
        _ = core.report(.pushKept(core.push(1).id))
        let principal = Principal(bundle: self.app, role: .pushExtension(LaunchID(1)))
        _ = core.report(.connectionOpened(ClientID(2), principal, Caller()))
        #expect(core.report(.messageReceived(.declaration(Declaration()), from: ClientID(2))).contains("hand 1"))
    }

    @Test func aConnectionThatOutlivesItsProcessIsCut() {
        var core = CoreOnPaper()
        core.runsRegistered()
        #expect(core.report(.appEnded(self.app, .exited(0))).contains("disconnect"))
        #expect(!core.core.engine.knows(CoreOnPaper.client))
        #expect(core.report(.messageReceived(.stopMonitoringPushes, from: CoreOnPaper.client)) == [])
    }

    @Test func aRemovedAppLosesItsConnectionsAndProcesses() {
        var core = CoreOnPaper()
        core.runsRegistered()
        let principal = Principal(bundle: self.app, role: .app)
        _ = core.report(.connectionOpened(ClientID(7), principal, Caller()))
        let words = core.order(.remove(self.app))
        #expect(words.count { $0 == "disconnect" } == 2, "also the one on which nobody has spoken")
        #expect(words.contains("kill app") && words.last?.hasSuffix("done") == true)
        #expect(core.order(.remove(self.app)).last?.hasSuffix("not installed") == true)
    }

    @Test func aProcessWhoseAppIsGoneIsKilledByTheNextService() {
        let other = BundleID("com.example.Gone")
        var core = CoreOnPaper()
        let processes: [DeviceCore.Beginning.Process] = [
            .init(bundle: other, phase: .foreground), .init(bundle: self.app, phase: .background),
        ]
        #expect(core.report(.begun(.init(processes: processes))) == ["kill app", "thaw"])
        #expect(core.core.runningApps.map(\.bundle) == [self.app])
        let principal = Principal(bundle: other, role: .app)
        _ = core.report(.connectionOpened(ClientID(9), principal, Caller()))
        #expect(core.report(.messageReceived(.declaration(Declaration()), from: ClientID(9))) == ["disconnect"])
    }

    @Test func connectionsOfOneAppAndOneUserAreBounded() throws {
        var core = CoreOnPaper()
        let principal = Principal(bundle: self.app, role: .app)
        for number in 0..<UInt64(16) {
            try core.core.admit(self.app, of: 1000)
            let caller = Caller(user: 1000, isLaunched: false)
            _ = core.report(.connectionOpened(ClientID(100 + number), principal, caller))
        }
        #expect(throws: DeviceCore.TooManyConnections.self) { try core.core.admit(self.app, of: 1001) }
        try core.core.admit(BundleID("com.example.Other"), of: 1000)
        _ = core.report(.connectionClosed(ClientID(100)))
        try core.core.admit(self.app, of: 1000)
    }

    // MARK: The end

    @Test func theEndWaitsForProcessesAndThenForcesThem() {
        var core = CoreOnPaper()
        core.runsRegistered()
        #expect(core.report(.endOrdered) == ["end app"])
        #expect(core.report(.pushArrived(core.push(9))) == [], "nothing is decided any more")
        #expect(core.wait(.milliseconds(2999)) == [])
        #expect(core.wait(.milliseconds(1)) == ["kill app", "end"])
        #expect(core.report(.appEnded(self.app, .signalled(9))) == [])
        var quiet = CoreOnPaper()
        quiet.runsRegistered()
        _ = quiet.report(.endOrdered)
        #expect(quiet.report(.appEnded(self.app, .exited(0))) == ["end"])
        var idle = CoreOnPaper()
        #expect(idle.report(.endOrdered) == ["end"])
    }

    /// Goal: an earlier timer, such as the launch timeout, does not fire repeatedly until the end.
    @Test func theEndHasOneDeadline() {
        var core = CoreOnPaper()
        _ = core.order(.run(self.app, .foreground))
        _ = core.report(.appStarted(self.app))
        _ = core.report(.endOrdered)
        #expect(core.core.nextDeadline?.at == core.now.monotonic.advanced(by: .seconds(3)))
        #expect(core.wait(.seconds(3)) == ["kill app", "end"])
        #expect(core.core.nextDeadline == nil)
    }
}

extension CoreOnPaper {
    /// A fix comes; returns the words of the actions.
    mutating func fix() -> [String] {
        _ = self.report(.happened(.sensed(.ready(.receiver))))
        let fix = Fix(
            latitude: 1,
            longitude: 1,
            horizontalAccuracy: 5000,
            time: self.now.wall,
            arrival: self.now.monotonic
        )
        return self.report(.happened(.sensed(.fix(fix))))
    }
}
