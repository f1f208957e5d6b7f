internal import CoreLocation
internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

@Suite struct AnyDeviceTests {
    private struct Died: Error {}

    /// A body that fails when the app ends within the first ten minutes.
    private static let body: @Sendable (VirtualDevice) throws -> Void = { device in
        let app = device.install(.workout)
        device.person.answersAll(.allowWhileUsing)
        device.person.open(app)
        device.advance(by: .seconds(600))
        if app.state == .notRunning || app.launches > 1 { throw Died() }
    }

    @Test func aFailureIsFoundAndMadeSmallerAndReplayed() async throws {
        let devices = AnyDevice(seeds: 50)
        let exploration = await devices.explore(Self.body)
        let failure = try #require(exploration.failure)
        #expect(failure.difference == nil)
        #expect(failure.story.events.count == 1)
        #expect(failure.identity == "throwing Died()")
        let again = await devices.replay(failure.story, Self.body)
        #expect(again?.identity == failure.identity)
        let without = await devices.replay(Story(seed: failure.story.seed), Self.body)
        #expect(without == nil)
        let text = failure.report(of: "recording()")
        #expect(text.contains("@Test(.anyDevice(replaying: \(failure.story.literal)))"))
        #expect(text.contains("Seed\(failure.story.seed)() async throws { try await recording() }"))
    }

    @Test func theSameIsFoundAgain() async throws {
        let one = await AnyDevice(seeds: 50).explore(Self.body)
        let two = await AnyDevice(seeds: 50).explore(Self.body)
        #expect(one.failure?.story == two.failure?.story && one.failure?.timeline == two.failure?.timeline)
        #expect(one.coverage == two.coverage)
    }

    /// Goal: a drawn story and its printed literal are equal, for every event that was drawn.
    @Test func storiesReplayExactly() async {
        let devices = AnyDevice(seeds: 1)
        let body: @Sendable (VirtualDevice) throws -> Void = { device in
            let app = device.install(.friends(Answers()))
            device.world.walk(for: .seconds(3600))
            device.person.open(app)
            for _ in 0..<6 {
                device.advance(by: .seconds(600))
                try device.push(to: app)
            }
            device.endTrouble()
            device.advance(by: .seconds(60))
        }
        for seed in UInt64(1)...40 {
            let drawing = Drawing(seed: seed, kinds: devices.troubles, hints: [], eventsMax: 12)
            let drawn = Trial(seed: seed, choices: [], .drawn(drawing, span: .seconds(3600)), rules: devices.rules)
            await AnyDevice.run(drawn, body)
            let written = devices.trial(drawn.story)
            await AnyDevice.run(written, body)
            #expect(written.story == drawn.story)
            #expect(written.fingerprint == drawn.fingerprint && !drawn.fingerprint.isEmpty, "seed \(seed)")
        }
    }

    @Test func codeThatDrawsByItselfIsSaid() async throws {
        let runs = Mutex(0)
        let exploration = await AnyDevice(seeds: 5).explore { device in
            let number = runs.withLock { runs in
                runs += 1
                return runs
            }
            device.moveClock(by: .seconds(number))
            throw Died()
        }
        let failure = try #require(exploration.failure)
        #expect(
            failure.difference?.contains("- 0:00:00.000  device  • its clock is put forward by 1.0 seconds") == true
        )
        #expect(
            failure.difference?.contains("+ 0:00:00.000  device  • its clock is put forward by 2.0 seconds") == true
        )
        #expect(failure.report(of: "f()").contains("not made smaller") && failure.runsToShrink == 0)
    }

    @Test func whatWasNeverReachedIsSaid() async {
        let exploration = await AnyDevice(seeds: 40, without: [.reboot]).explore { device in
            device.person.open(device.install(.weather))
            device.advance(by: .seconds(3600))
        }
        #expect(exploration.failure == nil && exploration.seeds == 40)
        #expect(exploration.coverage.stories == 40)
        let never = exploration.coverage.troublesNeverReached
        // Without an extension, there is nothing to interrupt, and there is no push.
        #expect(
            never.contains(.cutExtension) && never.contains(.pushesLost)
                && !never.contains(.reboot) && !never.contains(.terminate)
        )
        #expect(exploration.coverage.rulesNeverReached.contains(.completedTwice))
        #expect(exploration.coverage.description.contains("Never reached: cutExtension"))
    }

    /// Goal: each alternative is tried once, from the same instant, and a failure names its alternative.
    @Test func eachAlternativeIsTried() async throws {
        let tried = Mutex([String]())
        let body: @Sendable (VirtualDevice) throws -> Void = { device in
            let app = device.install(.workout)
            device.person.answersAll(device.alternative(of: [.allowWhileUsing, .dontAllow]))
            device.person.open(app)
            let seconds = device.alternative(of: [10, 20, 30])
            device.advance(by: .seconds(seconds))
            tried.withLock { $0.append("\(app.authorizationStatus == .authorizedWhenInUse) \(seconds)") }
            if seconds == 20, app.authorizationStatus == .denied { throw Died() }
        }
        let quiet = Set(Trouble.Kind.allCases)
        let exploration = await AnyDevice(seeds: 2, without: quiet).explore(body)
        let failure = try #require(exploration.failure)
        #expect(tried.withLock { $0.prefix(5) } == ["true 10", "true 20", "true 30", "false 10", "false 20"])
        #expect(failure.story == Story(seed: 1, choices: [1, 1]))
        #expect(failure.timeline.contains("continues with 20"))
        #expect(failure.report(of: "f()").contains(".anyDevice(replaying: Story(seed: 1, choices: [1, 1]))"))
        let other = await AnyDevice(seeds: 1).replay(Story(seed: 1, choices: [1, 2]), body)
        #expect(other == nil)
        tried.withLock { $0 = [] }
        let both = await AnyDevice(seeds: 2, without: quiet).explore { device in
            _ = device.alternative(of: [1, 2, 3])
            tried.withLock { $0.append("") }
        }
        #expect(both.failure == nil && both.seeds == 2 && tried.withLock { $0.count } == 6)
    }

    @Test func theBudgetOfTimeIsKept() async {
        let exploration = await AnyDevice(seeds: 1000, budget: .zero).explore(Self.body)
        #expect(exploration.ranOutOfTime && exploration.seeds == 0)
    }

    @Test func aRuleIsCheckedUnlessItIsAllowed() async {
        let body: @Sendable (VirtualDevice) throws -> Void = { device in
            let app = device.install(.overrunning)
            device.person.answersAll(.allowAlways)
            device.person.open(app)
            device.advance(by: .seconds(60))
            try device.push(to: app)
            device.advance(by: .seconds(60))
        }
        let failure = await AnyDevice(seeds: 1).replay(Story(), body)
        #expect(failure?.identity == "the rule .noTimerForPosition")
        let allowed = await AnyDevice(seeds: 1, allowing: [.noTimerForPosition]).replay(Story(), body)
        #expect(allowed == nil)
    }

    /// Goal: an app that awaits an ended session is reported; an app that is only late is not.
    @Test(arguments: [
        (pause: 5, isRenewed: false, isBroken: true), (pause: 0, isRenewed: false, isBroken: false),
        (pause: 5, isRenewed: true, isBroken: false),
    ])
    func anEndedSessionIsNotAwaited(_ pause: Int, _ isRenewed: Bool, _ isBroken: Bool) async {
        let body: @Sendable (VirtualDevice) throws -> Void = { device in
            let app = device.install(AppUnderTest("com.example.Stopwatch", object: { Stopwatch() }))
            device.person.answersAll(.allowWhileUsing)
            device.person.open(app)
            device.advance(by: .seconds(5))
            app.read { (watch: Stopwatch) in
                watch.stop()
                if isRenewed { watch.session = CLServiceSession(authorization: .whenInUse) }
                if pause == 0 { watch.start() }
            }
            device.advance(by: .seconds(5))
            if pause > 0 { app.read { (watch: Stopwatch) in watch.start() } }
            device.advance(by: .seconds(1))
        }
        let failure = await AnyDevice(seeds: 1).replay(Story(), body)
        #expect(failure?.identity == (isBroken ? "the rule .renewsSessions" : nil))
        let allowed = await AnyDevice(seeds: 1, allowing: [.renewsSessions]).replay(Story(), body)
        #expect(allowed == nil)
    }

    /// An app that shows why it may not know its location.
    @MainActor private final class Stopwatch {
        var session = CLServiceSession(authorization: .whenInUse)

        func stop() { self.session.invalidate() }

        func start() {
            let diagnostics = self.session.diagnostics
            Task { for try await _ in diagnostics {} }
        }
    }

    /// Goal: an app that uses a manager of its last launch is reported, unless the rule is switched off.
    @Test func anObjectOfAnEndedLaunchIsNotUsed() async {
        let body: @Sendable (VirtualDevice, _ relaunches: Bool) throws -> Void = { device, relaunches in
            let estate = Estate()
            let app = device.install(AppUnderTest("com.example.Heir", object: { Heir(of: estate) }))
            device.person.open(app)
            device.advance(by: .seconds(5))
            guard relaunches else { return }
            device.person.close(app)
            device.person.open(app)
            device.advance(by: .seconds(5))
        }
        let failure = await AnyDevice(seeds: 1).replay(Story()) { try body($0, true) }
        #expect(failure?.identity == "the rule .forgetsEndedLaunches")
        #expect(failure?.messages.first?.contains("used after its process ended (AnyDeviceTests.swift:") == true)
        let allowed = await AnyDevice(seeds: 1, allowing: [.forgetsEndedLaunches]).replay(Story()) {
            try body($0, true)
        }
        #expect(allowed == nil)
        let once = await AnyDevice(seeds: 1, without: Set(Trouble.Kind.allCases)).explore { try body($0, false) }
        #expect(once.failure == nil && once.coverage.rulesNeverReached.contains(.forgetsEndedLaunches))
    }

    /// The manager of the first launch.
    @MainActor private final class Estate {
        var manager: CLLocationManager?

        nonisolated init() {}
    }

    /// An app that uses the manager of its first launch in all later ones.
    @MainActor private final class Heir {
        init(of estate: Estate) {
            if estate.manager == nil { estate.manager = CLLocationManager() }
            estate.manager?.startUpdatingLocation()
        }
    }

    @Test func aDeviceIsUsableWhenTroubleEnded() async {
        let story = Story([
            .init(at: .seconds(1), .airplaneMode(for: .seconds(3600))),
            .init(at: .seconds(2), .locationServicesOff(for: .seconds(3600))),
            .init(at: .seconds(3), .signalLost(for: .seconds(3600))),
            .init(at: .seconds(4), .quirk(.delaysFirstPosition(by: .seconds(3600)))),
            .init(at: .seconds(5), .reboot(offFor: .seconds(3600), lockedFor: .seconds(3600))),
        ])
        let failure = await AnyDevice(seeds: 1).replay(story) { device in
            let app = device.install(.workout)
            device.person.answersAll(.allowWhileUsing)
            device.person.open(app)
            device.advance(by: .seconds(60))
            if device.isOn { throw Died() }
            device.endTrouble()
            device.person.open(app)
            device.run(until: "it records", within: .seconds(60)) { app.isServed }
        }
        #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
    }

    /// Goal: a test's action that a story made impossible is not reported as an error of the test.
    @Test func aPersonFindsALockedDeviceOrNone() async {
        let story = Story([
            .init(at: .seconds(1), .lock(for: .seconds(3600))),
            .init(at: .seconds(20), .reboot(offFor: .seconds(3600), lockedFor: .zero)),
            .init(at: .seconds(40), .serviceDown(.killed, for: .seconds(3600))),
        ])
        let failure = await AnyDevice(seeds: 1).replay(story) { device in
            let app = device.install(.workout)
            for _ in 0..<4 {
                device.advance(by: .seconds(15))
                device.person.open(app)
                device.person.set(app, to: .whileUsing)
                if app.state != .foreground { throw Died() }
            }
        }
        #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
    }

    /// Goal: the exploration finds an app that saves a draft in two steps, at the only await between them.
    @Test func eachAwaitIsTried() async throws {
        let body: @Sendable (VirtualDevice) throws -> Void = { device in
            let app = device.install(AppUnderTest("com.example.Draft", object: { Draft() }))
            device.person.open(app)
            device.advance(by: .seconds(5))
            device.person.open(app)
            device.advance(by: .seconds(5))
            let isWhole = app.read { (draft: Draft) in draft.isWhole }
            if isWhole != true { throw Died() }
        }
        let exploration = await AnyDevice(seeds: 100).exploreAwaits(of: "com.example.Draft", body)
        let failure = try #require(exploration.failure)
        #expect(exploration.seeds < (exploration.awaits ?? 0))
        #expect(failure.story.literal.contains(".terminateAtAwait(\"com.example.Draft\", \(exploration.seeds))"))
        let again = await AnyDevice(seeds: 1).replay(failure.story, body)
        #expect(again?.identity == failure.identity)
    }

    /// Goal: the awaits of each alternative are tried, and a failure names its alternative.
    @Test func eachAwaitOfEachAlternativeIsTried() async throws {
        let tried = Mutex([String: Int]())
        let body: @Sendable (VirtualDevice, Bool) throws -> Void = { device, fails in
            let choice = device.alternative(of: ["no draft", "a draft"])
            tried.withLock { $0[choice, default: 0] += 1 }
            let app = device.install(AppUnderTest("com.example.Draft", object: { Draft() }))
            guard choice == "a draft" else { return }
            device.person.open(app)
            device.advance(by: .seconds(5))
            if fails, app.state == .notRunning { throw Died() }
        }
        let all = await AnyDevice(seeds: 100).exploreAwaits(of: "com.example.Draft") { try body($0, false) }
        let awaits = try #require(all.awaits)
        #expect(all.failure == nil && awaits > 1 && all.seeds == awaits)
        #expect(tried.withLock { $0 } == ["no draft": 1, "a draft": 1 + awaits])
        let exploration = await AnyDevice(seeds: 100).exploreAwaits(of: "com.example.Draft") { try body($0, true) }
        let failure = try #require(exploration.failure)
        #expect(failure.story.choices == [1] && failure.story.literal.contains(".terminateAtAwait"))
    }

    /// An app that saves a draft in two steps, with an await between them.
    @MainActor private final class Draft {
        /// Whether both steps were done or neither.
        var isWhole: Bool {
            UserDefaults.standard.bool(forKey: "title") == UserDefaults.standard.bool(forKey: "text")
        }

        init() {
            Task {
                guard !UserDefaults.standard.bool(forKey: "title") else { return }
                for _ in 0..<5 { try await Self.work() }
                UserDefaults.standard.set(true, forKey: "title")
                try await Self.work()
                UserDefaults.standard.set(true, forKey: "text")
                for _ in 0..<5 { try await Self.work() }
            }
        }

        private static func work() async throws { try await ContinuousClock().sleep(for: .milliseconds(10)) }
    }

    // MARK: The trait

    @Test(.anyDevice(seeds: 5)) func theTraitPlaysAStory() {
        let device = VirtualDevice()
        let app = device.install(.weather)
        device.person.open(app)
        device.advance(by: .seconds(60))
        #expect(Trial.current != nil && VirtualDevice().host.context.story == nil)
        #expect(device.host.context.story != nil)
    }

    @Test(
        .anyDevice(
            replaying: Story(
                seed: 17,
                [
                    .init(at: .seconds(2), .answer("com.example.Weather", .allowApproximate)),
                    .init(at: .seconds(5), .terminate("com.example.Weather")),
                ]
            )
        )
    )
    func theTraitReplaysAStory() {
        let device = VirtualDevice()
        let app = device.install(.weather)
        device.person.open(app)
        device.advance(by: .seconds(4))
        #expect(app.read { (weather: Weather) in weather.isApproximate } == true)
        device.advance(by: .seconds(4))
        #expect(app.state == .notRunning)
    }
}
