internal import LocationEngine
internal import Testing

@Suite struct SnapshotTests {
    private func restart(_ device: Device, after elapsed: Duration = .zero) -> Device {
        var restarted = device
        restarted.engine = Engine(
            restoring: device.engine.snapshot(now: device.now.monotonic),
            manifests: [(Device.app, Device.manifest)],
            policy: Policy(),
            elapsed: elapsed,
            now: device.now
        )
        return restarted
    }

    @Test func whatAPersonDecidedAndWhatAnAppHoldsSurviveARestart() {
        let device = self.restart(Device.sharing())
        let status = device.engine.status(of: Device.app)
        #expect(status?.authorization == .always)
        #expect(status?.sessions == [.always])
        #expect(status?.monitorsPushes == true)
    }

    @Test func aRestartRegistersTheTopicsAgain() {
        var device = self.restart(Device.sharing())
        let effects = device.engine.start(now: device.now)
        #expect(effects.contains(.registerTopic(Device.app)))
        #expect(effects.contains(.enableTopics([Device.app])))
    }

    @Test func aRecoveredPushIsHandledAndNotPaidTwice() {
        var device = Device.sharing()
        let push = device.push()
        let before = device.engine.snapshot(now: device.now.monotonic).pushesRemaining
        var restarted = self.restart(device)
        restarted.feed(.pushRecovered(push))
        #expect(restarted.launched != nil)
        #expect(restarted.engine.snapshot(now: device.now.monotonic).pushesRemaining == before)
    }

    @Test func theBudgetGoesOnWhileTheHostIsDown() {
        var device = Device.sharing()
        for _ in 0..<20 { _ = device.push() }
        let restarted = self.restart(device, after: .seconds(3600))
        #expect(restarted.engine.snapshot(now: device.now.monotonic).pushesRemaining == 110)
    }
}
