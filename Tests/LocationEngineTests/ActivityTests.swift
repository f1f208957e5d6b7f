internal import Testing
internal import WhereaboutsLocationEngine

/// Background activity sessions and live activities.
@Suite struct ActivityTests {
    private func authorized(_ manifest: AppManifest = Device.manifest) -> Device {
        var device = Device(.whileUsing, manifest: manifest)
        device.connect(1)
        return device
    }

    @Test func aBackgroundSessionKeepsTheAppInUseAndIsSeen() {
        var device = self.authorized()
        device.declare(1, streams: [5], activities: [(2, .backgroundSession)])
        #expect(device.engine.indicators.isEmpty)
        device.feed(.phaseChanged(Device.app, .background))
        let effects = device.pass(60)
        #expect(effects.contains(.people(.showIndicators([.init(bundle: Device.app, kind: .locationInBackground)]))))
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.effects.contains(.people(.showIndicators([]))))
    }

    @Test func itNeedsNoUpdatesToBeSeen() {
        var device = self.authorized()
        device.declare(1, activities: [(2, .backgroundSession)])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(5)
        #expect(device.engine.indicators.count == 1)
    }

    @Test func withoutTheBackgroundModeItHasNoEffectAndTheKeyIsNamed() {
        var manifest = Device.manifest
        manifest.mayRunInBackground = false
        var device = self.authorized(manifest)
        device.declare(1, streams: [5], activities: [(2, .backgroundSession)])
        #expect(device.effects.contains(.note(.keyMissing(Device.app, key: "UIBackgroundModes"))))
        #expect(device.diagnostics(to: 1) == [.insufficientlyInUse])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(5)
        device.fix()
        #expect(device.updates(to: 1).allSatisfy { $0.fix == nil })
        #expect(device.status?.hasBackgroundSession == false)
    }

    @Test func itBeginsOnlyInTheForeground() {
        var device = Device(.whileUsing)
        device.connect(1, phase: .background)
        device.declare(1, activities: [(2, .backgroundSession)])
        #expect(device.diagnostics(to: 1) == [.insufficientlyInUse])
        #expect(device.engine.indicators.isEmpty)
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.diagnostics(to: 1) == [[]])
    }

    @Test func itBeginsWithTheAuthorizationAPersonGives() {
        var device = Device()
        device.connect(1)
        device.declare(1, sessions: [(1, .whenInUse)], activities: [(2, .backgroundSession)])
        #expect(device.diagnostics(to: 1).last?.contains(.authorizationRequestInProgress) == true)
        device.answer(.allowWhileUsing(precise: true))
        #expect(device.status?.hasBackgroundSession == true)
    }

    @Test func invalidationEndsIt() {
        var device = self.authorized()
        device.declare(1, streams: [5], activities: [(2, .backgroundSession)])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(5)
        device.declare(1, streams: [5])
        #expect(device.updates(to: 1) == [.unavailable(.insufficientlyInUse)])
        #expect(device.effects.contains(.people(.showIndicators([]))))
    }

    @Test func aLiveActivityNeedsNothingElse() {
        var manifest = Device.manifest
        manifest.mayRunInBackground = false
        var device = self.authorized(manifest)
        device.declare(1, streams: [5], activities: [(2, .liveActivity(title: "Run"))])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
        #expect(device.engine.indicators == [.init(bundle: Device.app, kind: .liveActivity(title: "Run"))])
    }

    @Test func aLiveActivityOutlivesItsProcessUntilItIsDismissed() {
        var device = self.authorized()
        device.declare(1, activities: [(2, .liveActivity(title: "Run"))])
        device.feed(.clientVanished(ClientID(1)))
        device.connect(2, phase: .background)
        device.pass(60)
        #expect(device.status?.liveActivities == ["Run"])
        device.feed(.activityDismissed(Device.app, title: "Run"))
        #expect(device.status?.liveActivities == [])
        #expect(device.effects.contains(.people(.showIndicators([]))))
    }

    @Test func aLiveActivityChangesItsTitle() {
        var device = self.authorized()
        device.declare(1, activities: [(2, .liveActivity(title: "1 km"))])
        device.declare(1, activities: [(2, .liveActivity(title: "2 km"))])
        #expect(device.status?.liveActivities == ["2 km"])
    }

    @Test func aLiveActivityEndsWithItsTime() {
        var device = self.authorized()
        device.declare(1, activities: [(2, .liveActivity(title: "Run"))])
        device.pass(8 * 3600)
        #expect(device.status?.liveActivities == [])
    }
}
