internal import Foundation
internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

@Suite struct SnapshotTests {
    private func restart(
        _ device: Device,
        after elapsed: Duration = .zero,
        running: [(BundleID, Lifecycle.Phase)] = []
    ) -> Device {
        var restarted = device
        restarted.engine = Engine(
            restoring: device.engine.snapshot(now: device.now.monotonic),
            manifests: [(Device.app, Device.manifest)],
            running: running,
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

    /// A bundle that a failing disk hides during one start keeps its decisions, and its token is not lost.
    @Test func whatWasDecidedAboutAnAppThatCannotBeReadIsKept() throws {
        var device = Device.sharing()
        device.feed(.authorizationSet(Device.app, .never))
        func hidden(_ device: Device) -> Device {
            var restarted = device
            restarted.engine = Engine(
                restoring: device.engine.snapshot(now: device.now.monotonic),
                manifests: [],
                policy: Policy(),
                elapsed: .zero,
                now: device.now
            )
            return restarted
        }
        // Two starts without the bundle, each of which saves the state.
        let back = self.restart(hidden(hidden(device)))
        #expect(back.engine.status(of: Device.app)?.setting == .never)
        #expect(back.engine.status(of: Device.app)?.monitorsPushes == true)
        var installed = hidden(device)
        installed.feed(.appInstalled(Device.app, Device.manifest))
        #expect(installed.engine.status(of: Device.app)?.setting == .never)
        #expect(installed.engine.status(of: Device.app)?.monitorsPushes == true)
        var removed = hidden(device)
        removed.feed(.appUninstalled(Device.app))
        #expect(removed.engine.snapshot(now: device.now.monotonic).apps.isEmpty)
        #expect(removed.engine.snapshot(now: device.now.monotonic).goneTopics == [Device.app.rawValue])
        removed.feed(.appInstalled(Device.app, Device.manifest))
        #expect(removed.engine.status(of: Device.app)?.setting == .askNextTime)
    }

    /// A file that can be opened may still contain any values, such as those of a clock that ran for centuries.
    @Test(arguments: [Int64.min, -1, Int64.max]) func noNumberInASnapshotEndsTheEngine(_ number: Int64) {
        let device = Device.sharing()
        var snapshot = device.engine.snapshot(now: device.now.monotonic)
        snapshot.pushesRemaining = Int(number)
        snapshot.refillMilliseconds = number
        snapshot.recentPushes = Array(repeating: [1, 2], count: 2 * Engine.recentPushesMax)
        snapshot.shares = [
            .init(bundle: Device.app.rawValue, owedMilliseconds: number, isClosed: true)
        ]
        for index in snapshot.apps.indices { snapshot.apps[index].backgroundSessions = Int(number) }
        var policy = Policy()
        policy.pushBudgetRefill = .milliseconds(1)
        for elapsed in [Duration.seconds(number), .zero] {
            let engine = Engine(
                restoring: snapshot,
                manifests: [(Device.app, Device.manifest)],
                policy: policy,
                elapsed: elapsed,
                now: device.now
            )
            #expect((0...policy.pushBudgetCapacity).contains(engine.budget.remaining))
            #expect(engine.recentPushes.count == Engine.recentPushesMax)
            #expect(engine.apps[Device.app]?.sessions.inEffect.count ?? .max <= policy.declarationsMax + 2)
        }
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

    /// Every decision with its accuracy is restored as saved.
    ///
    /// Prompts are shown again, and permissions for the lifetime of a process end with it.
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
        #expect(restored.accuracy.isFull == app.accuracy.isFullForGood)
        let running = self.restart(device, running: [(Device.app, .foreground)])
        #expect(running.engine.apps[Device.app]?.accuracy.isFull == app.accuracy.isFull)
    }

    @Test func streamsAndActivitiesSurvive() {
        var device = Device(.whileUsing)
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
        var device = Device(.whileUsing)
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
        // Its stream kept the receiver on, so it is served at once.
        #expect(device.updates(to: 1).first?.fix != nil)
        device.fix()
        device.pass(60)
        #expect(device.status?.hasBackgroundSession == true)
    }
}
