internal import Testing
internal import WhereaboutsLocationEngine

/// Goal: an app that shares its location is launched when Always is taken away or given back, so that it can tell its
/// server.
struct AlwaysNewsTests {
    /// An app in the foreground that shares its location.
    private func sharing() -> Device {
        var device = Device()
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)])
        device.feed(.authorizationSet(Device.app, .always))
        device.feed(.pushTokenRequested(ClientID(1), request: 9))
        device.feed(.pushTokenReceived(Device.app, [1, 2, 3]))
        return device
    }

    /// An app that shares its location, and whose process has ended.
    private func gone(_ end: Engine.ProcessEnd = .exited(0)) -> Device {
        var device = self.sharing()
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, end))
        return device
    }

    /// An app that shares its location, knows that it lost Always, and has nothing to do in the background.
    private func paused() -> Device {
        var device = self.sharing()
        device.feed(.authorizationSet(Device.app, .whileUsing))
        #expect(device.diagnostics(to: 1) == [.alwaysAuthorizationDenied])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        return device
    }

    @Test func stoppedAppGoesOnAndHears() {
        var device = self.paused()
        device.feed(.authorizationSet(Device.app, .always))
        let thaw = device.effects.firstIndex(of: .process(.thaw(Device.app)))
        let told = device.effects.firstIndex { if case .tell(ClientID(1), .diagnostics) = $0 { true } else { false } }
        #expect(thaw != nil && told != nil)
        if let thaw, let told { #expect(thaw < told) }
        #expect(device.diagnostics(to: 1) == [[]])
        #expect(device.status?.process == .background)
        // The app's background time passes, and it is suspended again.
        #expect(device.pass(60).contains(.process(.freeze(Device.app))))
        #expect(!device.pass(600).contains(.process(.thaw(Device.app))))
    }

    @Test func itHearsWhenServicesAreOnAgainToo() {
        var device = Device()
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)])
        device.feed(.authorizationSet(Device.app, .always))
        device.feed(.servicesSwitched(on: false))
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        device.feed(.servicesSwitched(on: true))
        #expect(device.effects.contains(.process(.thaw(Device.app))))
        #expect(device.diagnostics(to: 1) == [[]])
    }

    @Test(arguments: [Authorization.Setting.never, .askNextTime, .whileUsing])
    func otherChangesLetItRest(setting: Authorization.Setting) {
        var device = self.paused()
        device.feed(.authorizationSet(Device.app, setting))
        #expect(!device.effects.contains(.process(.thaw(Device.app))))
    }

    /// Goal: an app that did not learn that Always was gone is not launched to learn that it is back.
    @Test func appThatHeardNothingIsLeftAlone() {
        var device = Device()
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)])
        device.feed(.authorizationSet(Device.app, .always))
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        device.feed(.authorizationSet(Device.app, .never))
        device.feed(.authorizationSet(Device.app, .always))
        #expect(!device.effects.contains(.process(.thaw(Device.app))))
    }

    @Test func appThatIsGoneIsLaunchedOnce() {
        var device = self.paused()
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .signalled(9)))
        device.pass(30)
        device.feed(.authorizationSet(Device.app, .always))
        #expect(device.relaunched == .location)
        device.feed(.authorizationSet(Device.app, .always))
        #expect(device.relaunched == nil)
    }

    @Test func appThatSharesNothingIsNotLaunched() {
        var device = Device()
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .whenInUse)])
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.feed(.authorizationSet(Device.app, .always))
        #expect(device.relaunched == nil)
    }

    @Test(arguments: [Authorization.Setting.never, .askNextTime, .whileUsing])
    func appThatIsGoneIsLaunchedOnceToHearThatAlwaysIsGone(setting: Authorization.Setting) {
        var device = self.gone()
        device.feed(.authorizationSet(Device.app, setting))
        #expect(device.relaunched == .location)
        device.connect(2, phase: .background, isManaged: true)
        device.declare(2, sessions: [(1, .always)])
        #expect(device.diagnostics(to: 2).last?.isEmpty == false)
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(device.relaunched == nil)
        #expect(!device.pass(600).contains { if case .process(.launchApp) = $0 { true } else { false } })
    }

    @Test func stoppedAppGoesOnAndHearsThatAlwaysIsGone() {
        var device = self.sharing()
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.effects.contains(.process(.thaw(Device.app))))
        #expect(device.diagnostics(to: 1) == [[.authorizationDenied]])
    }

    @Test func itHearsOfServicesAndOfTheOwnerToo() {
        var device = self.gone()
        device.feed(.servicesSwitched(on: false))
        #expect(device.relaunched == .location)
        device = self.gone()
        device.feed(.managementChanged(Management(locationServices: false)))
        #expect(device.relaunched == .location)
    }

    /// Goal: an app in a crash loop is not launched more often for this; it is launched when its pause ends.
    @Test func appThatCrashesHearsLater() {
        var device = self.gone(.signalled(11))
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.relaunched == nil)
        #expect(device.pass(600).contains { if case .process(.launchApp) = $0 { true } else { false } })
    }

    /// Goal: after a restart of the device, the app is launched only if its authorization changed.
    @Test func restartIsNoNews() {
        var device = self.gone()
        device = device.rebooted()
        #expect(device.relaunched == nil)
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.relaunched == .location)
    }

    @Test func appThatTakesNoPushesIsNotLaunched() {
        var device = Device()
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)])
        device.feed(.authorizationSet(Device.app, .always))
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.relaunched == nil)
    }
}
