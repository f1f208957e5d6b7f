internal import LocationEngine
internal import Testing

/// An app that stopped sharing because Always was taken away, when it is given back.
struct AlwaysBackTests {
    /// An app that shares, was told that Always is gone, and has nothing to do in the background.
    private func paused() -> Device {
        var device = Device()
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)])
        device.feed(.authorizationSet(Device.app, .always))
        device.feed(.pushTokenRequested(ClientID(1), request: 9))
        device.feed(.pushTokenReceived(Device.app, [1, 2, 3]))
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
        // It has its time in the background, and rests again.
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

    /// Goal: an app that never heard that Always was gone is not woken to hear that it is back.
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
}
