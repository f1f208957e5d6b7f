internal import Foundation
internal import OrderedCollections
internal import Testing
internal import Vocabulary

@testable internal import LocationEngine

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
        #expect(effects.contains(.gateway(.register(Device.app))))
        #expect(effects.contains(.gateway(.enable([Device.app]))))
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

    /// Every decision, with its accuracy, comes back as it was saved; questions are asked again.
    @Test(arguments: AuthorizationTests.Start.allCases, AccuracyTests.Start.allCases)
    func everyDecisionSurvives(_ decision: AuthorizationTests.Start, _ accuracy: AccuracyTests.Start) throws {
        var device = Device()
        device.engine.withApp(Device.app) { app in
            app.authorization = decision.machine
            app.accuracy = accuracy.machine
        }
        let app = try #require(device.engine.apps[Device.app])
        let restored = try #require(self.restart(device).engine.apps[Device.app])
        #expect(restored.authorization.status == decision.status)
        #expect(restored.authorization.question == nil)
        #expect(restored.authorization.isProvisional == app.authorization.isProvisional)
        #expect(restored.accuracy.isFull == app.accuracy.isFull)
    }

    @Test func streamsAndActivitiesSurvive() {
        var device = Device()
        device.feed(.authorizationSet(Device.app, .whileUsing))
        device.connect(1)
        device.declare(
            1,
            sessions: [(1, .whenInUse)],
            streams: [2],
            activities: [(3, .backgroundSession), (4, .liveActivity(title: "Run"))]
        )
        let status = self.restart(device).status
        #expect(status?.streams == 1)
        #expect(status?.hasBackgroundSession == true)
        #expect(status?.liveActivities == ["Run"])
    }

    @Test func anAppThatStillRunsIsNotLaunchedAgainAndHasItsTimeToReturn() {
        var device = Device()
        device.feed(.authorizationSet(Device.app, .whileUsing))
        device.connect(1, isManaged: true)
        device.declare(1, streams: [2], activities: [(3, .backgroundSession)])
        device.feed(.phaseChanged(Device.app, .background))
        device.engine = Engine(
            restoring: device.engine.snapshot(now: device.now.monotonic),
            manifests: [(Device.app, Device.manifest)],
            running: [(Device.app, .background)],
            policy: Policy(),
            elapsed: .zero,
            now: device.now
        )
        _ = device.engine.start(now: device.now)
        device.fix()
        #expect(device.relaunched == nil)
        device.connect(1, phase: .background, isManaged: true)
        device.declare(1, streams: [2], activities: [(3, .backgroundSession)])
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
        device.pass(60)
        #expect(device.status?.hasBackgroundSession == true)
    }

    @Test func aSnapshotOfTheFirstVersionIsRead() throws {
        let old = """
            {"apps":[{"bundle":"com.example.FindFriends","decision":"whenInUseOnly","hasTakenAlways":true,
            "monitorsPushes":true,"sessions":[2]}],"budgetExhausted":false,"pushesRemaining":7,"recentPushes":[[1,2]],
            "refillMilliseconds":5,"version":1}
            """
        let snapshot = try JSONDecoder().decode(EngineSnapshot.self, from: Data(old.utf8))
        let engine = Engine(
            restoring: snapshot,
            manifests: [(Device.app, Device.manifest)],
            policy: Policy(),
            elapsed: .zero,
            now: Device.now(1000)
        )
        let status = engine.status(of: Device.app)
        #expect(status?.authorization == .whenInUse)
        #expect(status?.isPrecise == true)
        #expect(status?.sessions == [.always])
        #expect(engine.areServicesOn)
        #expect(engine.snapshot(now: Device.now(1000).monotonic).version == 2)
    }
}
