internal import Testing
internal import WhereaboutsLocationEngine

/// Tests for streams that an extension still reads when it ends: the app continues them.
@Suite struct PushHandOverTests {
    /// The extension answers a push, and may still read live updates when it ends.
    ///
    /// - Returns: the device, and the reason of the app's launch; nil if it was not launched.
    ///
    /// - Returns: the device, and why the app was launched; nil when it was not.
    private func answered(stillReading: Bool) throws -> (Device, Lifecycle.LaunchReason?) {
        var device = Device.sharing()
        let push = device.push(1, .immediate)
        let launch = try #require(device.launched)
        device.connectExtension(10, launch: launch)
        device.declare(10, sessions: [(1, .always)], streams: [2])
        device.fix()
        if !stillReading { device.declare(10, sessions: [(1, .always)]) }
        device.feed(.pushCompleted(ClientID(10), push.id))
        device.feed(.clientVanished(ClientID(10)))
        let launched = self.launchedApp(device)
        device.feed(.extensionExited(Device.app, launch, .exited(0)))
        return (device, launched)
    }

    private func launchedApp(_ device: Device) -> Lifecycle.LaunchReason? {
        device.effects.lazy.compactMap { effect in
            if case .process(.launchApp(Device.app, _, let reason)) = effect { reason } else { nil }
        }.first
    }

    @Test func theAppIsLaunchedAndGoesOn() throws {
        let (answered, launched) = try self.answered(stillReading: true)
        #expect(launched == .push)
        var device = answered
        device.connect(20, phase: .background, isManaged: true)
        device.declare(20, sessions: [(1, .always)], streams: [2])
        device.seconds += 1
        device.fix(latitude: 425_100_000)
        #expect(device.updates(to: 20).contains { $0.fix != nil })
    }

    @Test func whatTheAppDoesNotTakeUpIsLost() throws {
        let (answered, launched) = try self.answered(stillReading: true)
        #expect(launched == .push)
        var device = answered
        device.connect(20, phase: .background, isManaged: true)
        device.declare(20, sessions: [(1, .always)])
        device.pass(10)
        device.feed(.clientVanished(ClientID(20)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.seconds += 3
        device.fix()
        #expect(self.launchedApp(device) == nil)
    }

    @Test func aFinishedLoopHandsNothingOver() throws {
        let (answered, launched) = try self.answered(stillReading: false)
        #expect(launched == nil)
        var device = answered
        device.seconds += 3
        device.fix()
        #expect(self.launchedApp(device) == nil)
    }

    /// Goal: a suspended app is resumed and may continue the extension's streams; a finished loop is not handed over.
    @Test(arguments: [true, false]) func anAppThatWasStoppedIsWoken(stillReading: Bool) throws {
        var device = Device.sharing()
        device.connect(5, phase: .background, isManaged: true)
        device.declare(5, sessions: [(1, .always)])
        let passed = device.pass(30)
        #expect(passed.contains(.process(.freeze(Device.app))))
        let push = device.push(1, .immediate)
        let launch = try #require(device.launched)
        device.connectExtension(10, launch: launch)
        device.declare(10, sessions: [(1, .always)], streams: stillReading ? [2] : [])
        device.feed(.pushCompleted(ClientID(10), push.id))
        device.feed(.clientVanished(ClientID(10)))
        #expect(device.effects.contains(.process(.thaw(Device.app))) == stillReading)
        guard stillReading else { return }
        device.declare(5, sessions: [(1, .always)], streams: [2])
        device.fix(latitude: 425_100_000)
        #expect(device.updates(to: 5).contains { $0.fix != nil })
    }

    @Test func anAppThatRunsIsNotLaunchedAgain() throws {
        var device = Device.sharing()
        device.connect(5)
        device.declare(5, sessions: [(1, .always)])
        let push = device.push(1, .immediate)
        let launch = try #require(device.launched)
        device.connectExtension(10, launch: launch)
        device.declare(10, sessions: [(1, .always)], streams: [2])
        device.feed(.pushCompleted(ClientID(10), push.id))
        device.feed(.clientVanished(ClientID(10)))
        device.feed(.extensionExited(Device.app, launch, .exited(0)))
        device.feed(.clientVanished(ClientID(5)))
        device.fix()
        #expect(self.launchedApp(device) == nil)
    }
}
