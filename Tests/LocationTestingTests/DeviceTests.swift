internal import CoreLocation
internal import Foundation
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for a virtual device with its person and apps, from prompts to the ends of processes.
@Suite(.showsTimelines) struct DeviceTests {
    private let device = VirtualDevice()

    private func recording(_ answer: Person.Answer = .allowWhileUsing, _ what: AppUnderTest = .workout) -> VirtualApp {
        let app = self.device.install(what)
        self.device.person.answersAll(answer)
        self.device.person.open(app)
        self.device.run(until: "the app records") { app.isServed }
        return app
    }

    // MARK: People

    @Test func aQuestionStaysUntilItIsAnswered() {
        let app = self.device.install(.workout)
        self.device.person.open(app)
        self.device.advance(by: .seconds(600))
        #expect(self.device.person.question?.question == .whenInUse)
        #expect(self.device.person.question?.bundle == "com.example.Workout")
        #expect(app.authorizationStatus == .notDetermined && !app.isServed)
        self.device.person.answer(.allowWhileUsing)
        #expect(app.authorizationStatus == .authorizedWhenInUse)
        #expect(self.device.person.question == nil)
    }

    @Test func aQuestionLeavesWithItsApp() {
        let first = self.device.install(.workout)
        let second = self.device.install(.weather)
        self.device.person.open(first)
        self.device.advance(by: .seconds(1))
        #expect(self.device.person.question?.bundle == "com.example.Workout")
        self.device.person.open(second)
        #expect(self.device.person.question?.bundle == "com.example.Weather")
        self.device.person.leave(second)
        #expect(self.device.person.question == nil)
        self.device.person.open(first)
        #expect(self.device.person.question?.bundle == "com.example.Workout")
    }

    @Test func aPersonMayChangeTheirMindWhileTheyRead() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(1))
        self.device.person.answersAll(.dontAllow)
        self.device.advance(by: .seconds(1.5))
        #expect(app.authorizationStatus == .notDetermined)
        self.device.advance(by: .seconds(1))
        #expect(app.authorizationStatus == .denied)
    }

    @Test func aPersonMayDecideToAnswerNothingWhileTheyRead() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(1))
        self.device.person.answersNothing()
        self.device.advance(by: .seconds(60))
        #expect(app.authorizationStatus == .notDetermined && self.device.person.question != nil)
    }

    @Test func whatMayBeNilIsReadAsItIs() {
        let app = self.device.install(.weather)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        #expect(app.read { (weather: Weather) in weather.place } == nil)
        self.device.run(until: "it has a place") { app.read { (weather: Weather) in weather.place } != nil }
        #expect(self.device.now > .seconds(1))
        #expect(app.read { (weather: Weather) in weather.place?.latitude.rounded() } == 54)
    }

    @Test func allowOnceEndsWithTheUse() {
        let app = self.recording(.allowOnce, .weather)
        self.device.person.answersNothing()
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        #expect(app.authorizationStatus == .notDetermined)
        self.device.person.open(app)
        #expect(self.device.person.question?.question == .whenInUse)
    }

    @Test func settingsHoldAtOnce() {
        let app = self.recording()
        self.device.person.set(app, to: .never)
        #expect(!app.isServed)
        #expect(app.read { (workout: Workout) in workout.phase } == .stopped)
    }

    @Test func withoutLocationServicesNobodyIsServed() {
        let app = self.recording()
        self.device.person.switchLocationServices(on: false)
        #expect(!app.isServed && app.authorizationStatus == .denied)
    }

    @Test func answeringNothingIsAProblemOfTheTest() {
        withKnownIssue {
            self.device.person.answer(.allowOnce)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("nothing is asked") }
        }
    }

    // MARK: Processes

    @Test func anAppThatIsLeftIsServedAMomentLonger() {
        let app = self.recording(.allowWhileUsing, .weather)
        self.device.person.leave(app)
        self.device.advance(by: .seconds(3))
        #expect(app.isServed)
        self.device.advance(by: .seconds(30))
        #expect(!app.isServed)
        self.device.person.open(app)
        self.device.run(until: "it is served again", within: .seconds(5)) { app.isServed }
    }

    @Test func aSuspendedAppFindsTheNewestPositionWhenItGoesOn() {
        let app = self.recording()
        let before = app.read { (workout: Workout) in workout.updates } ?? 0
        app.suspend()
        self.device.advance(by: .seconds(100))
        #expect(app.state == .suspended)
        app.resume()
        self.device.advance(by: .zero)
        // A position that the app received when it was suspended may be older than the newest one.
        let after = app.read { (workout: Workout) in workout.updates } ?? 0
        #expect((1...2).contains(after - before))
    }

    /// A suspended app is resumed, as for a background refresh: its sessions are served for a limited time.
    @Test func anAppThatTheDeviceSuspendedGoesOn() {
        let app = self.suspended()
        app.resume()
        app.read { (it: Refreshing) in it.refresh() }
        self.device.advance(by: .seconds(1))
        #expect(app.state == .background)
        #expect(app.read { (it: Refreshing) in it.diagnostics } == 1)
        self.device.run(until: "it had its time", within: .seconds(60)) { app.state == .suspended }
    }

    private func suspended() -> VirtualApp {
        let app = self.device.install(AppUnderTest("com.example.Refreshing", object: { Refreshing() }))
        self.device.person.open(app)
        self.device.person.leave(app)
        self.device.run(until: "the device suspends it", within: .seconds(60)) { app.state == .suspended }
        return app
    }

    @Test(arguments: [true, false]) func nothingOfADeadProcessRuns(_ crashes: Bool) {
        let app = self.recording()
        let trace = Trail()
        app.read { (workout: Workout) in workout.atEveryUpdate = { trace.add() } }
        self.device.advance(by: .seconds(5))
        let before = trace.count
        #expect(before > 0)
        if crashes { app.crash() } else { app.terminate() }
        self.device.advance(by: .seconds(100))
        #expect(trace.count == before)
        // Its background activity session is outstanding, so the system launched it again.
        #expect(app.launches == 2)
    }

    @Test func deathByEitherHandLeavesTheSameBehind() {
        func sessions(_ end: (VirtualApp) -> Void) -> Int? {
            let device = VirtualDevice()
            let app = device.install(.friends(Answers()))
            device.person.answersAll(.allowAlways)
            device.person.open(app)
            device.advance(by: .seconds(30))
            end(app)
            return device.host.service.core.engine.status(of: app.bundle)?.sessions.count
        }
        #expect(sessions { $0.terminate() } == 1)
        #expect(sessions { $0.crash() } == 1)
    }

    @Test func anObjectThatSurvivesARelaunchIsFoundOut() {
        let app = self.device.install(AppUnderTest("com.example.static", object: { AppWithAStatic() }))
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.advance(by: .seconds(10))
        app.terminate()
        withKnownIssue {
            self.device.person.open(app)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("a static variable kept it") }
        }
    }

    @Test func aProgramEndsWithItsMain() {
        struct Failure: Error {}
        let calm = self.device.install(AppUnderTest("com.example.calm") {})
        let angry = self.device.install(AppUnderTest("com.example.angry") { throw Failure() })
        self.device.person.open(calm)
        self.device.person.open(angry)
        #expect(calm.state == .notRunning && calm.launches == 1)
        #expect(self.device.timeline.entries(of: "com.example.angry").contains { $0.text.contains("main threw") })
    }

    @Test func twoAppsAreToldApart() {
        let workout = self.recording()
        let other = self.device.install(
            AppUnderTest("com.example.other") {
                for try await _ in CLLocationUpdate.liveUpdates() {}
            }
        )
        self.device.person.answersAll(.dontAllow)
        self.device.person.open(other)
        self.device.advance(by: .seconds(3))
        #expect(workout.authorizationStatus == .authorizedWhenInUse && workout.state == .background)
        #expect(other.authorizationStatus == .denied && other.positionsGiven == 0)
    }

    @Test func anAppMayHaveItsOwnInfoPlist() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "virtual-\(UUID().uuidString).plist")
        defer { try? FileManager.default.removeItem(at: file) }
        let keys = ["NSLocationWhenInUseUsageDescription": "Because.", "CFBundleName": "Terse"]
        try PropertyListEncoder().encode(keys).write(to: file)
        let plist = try AppUnderTest.infoPlist(contentsOf: file)
        let app = self.device.install(AppUnderTest("com.example.terse", infoPlist: plist, object: { Weather() }))
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        // There is no usage description for Always, so no prompt appears.
        #expect(app.authorizationStatus == .authorizedWhenInUse)
        try PropertyListEncoder().encode(["a list"]).write(to: file)
        #expect(throws: AppUnderTest.InfoPlistFailure.self) { try AppUnderTest.infoPlist(contentsOf: file) }
    }

    @Test func anAppWithoutTheTextIsRefusedUnasked() {
        let app = self.device.install(AppUnderTest("com.example.mute", infoPlist: [:], object: { Weather() }))
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        #expect(self.device.person.question == nil && !app.isServed)
    }

    @Test func theNumbersCanBeChanged() {
        var policy = VirtualDevice.Policy()
        policy.inUseGrace = .seconds(60)
        let device = VirtualDevice(policy: policy)
        let app = device.install(.weather)
        device.person.answersAll(.allowWhileUsing)
        device.person.open(app)
        device.run(until: "it is served") { app.isServed }
        device.person.leave(app)
        device.advance(by: .seconds(50))
        #expect(app.isServed)
        device.advance(by: .seconds(30))
        #expect(!app.isServed)
    }

    // MARK: Time and tests that err

    @Test func elsewhereProblemsGoWhereTheTestSays() async {
        await #expect(processExitsWith: .exitCode(7)) {
            VirtualDevice.onProblem { problem in exit(problem.contains("nothing is asked") ? 7 : 1) }
            VirtualDevice().person.answer(.dontAllow)
            exit(2)
        }
    }

    @Test func aTestThatWaitsInVainHearsWhatEverythingWaitsFor() {
        let app = self.device.install(.workout)
        self.device.person.open(app)
        withKnownIssue {
            self.device.run(until: "pigs fly", within: .seconds(3600)) { false }
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains("pigs fly") && $0.rawValue.contains("authorizationRequestInProgress")
                    && $0.rawValue.contains("has not answered")
            }
        }
        #expect(self.device.now == .seconds(3600))
    }

    @Test func aTestThatForgetsTimeHearsIt() {
        withKnownIssue {
            let device = VirtualDevice()
            device.person.open(device.install(.workout))
        } matching: {
            $0.comments.contains { $0.rawValue.contains("time does not pass by itself") }
        }
    }

    @Test func anAppThatNeverWaitsDoesNotStopTheTest() {
        let app = self.device.install(
            AppUnderTest("com.example.spinning") { while true { await Task.yield() } }
        )
        withKnownIssue {
            self.device.person.open(app)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("without waiting for anything") }
        }
        #expect(app.state == .notRunning)
    }

    /// Method: the test measures this thread's processor time; devices of other tests share the processor.
    @Test func aDayOfDrivingTakesLessThanASecond() throws {
        let app = self.recording()
        self.device.world.drive(for: .seconds(86_400))
        let begin = try Self.threadTime()
        self.device.advance(by: .seconds(86_400))
        let spent = try Self.threadTime() - begin
        #expect(spent > .zero && spent < .seconds(5))
        #expect(app.positionsGiven > 86_000)
    }

    /// The processor time of this thread, in steps of 10 ms (proc(5): utime and stime).
    private static func threadTime() throws -> Duration {
        let text = try String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8)
        let afterName = try #require(text.split(separator: ")").last).split(separator: " ")
        return .milliseconds(10 * (try #require(Int(afterName[11])) + #require(Int(afterName[12]))))
    }

    /// A lock around a closure would wrap it again at every access, until a call overflows the stack.
    @Test func anAppMayMakeAsManyObjectsAsItLikes() {
        let app = self.device.install(
            AppUnderTest("com.example.busy", main: { for _ in 0..<200_000 { _ = CLLocationUpdate.liveUpdates() } })
        )
        self.device.person.open(app)
        #expect(app.launches == 1 && app.state == .notRunning)
    }

    @Test func oneSeedOneStory() {
        func story(_ seed: UInt64) -> String {
            let device = VirtualDevice(seed: seed)
            device.person.answersAll(.allowAlways)
            device.person.open(device.install(.workout))
            device.world.walk(for: .seconds(600))
            device.advance(by: .seconds(700))
            return device.timeline.fingerprint
        }
        #expect(story(7) == story(7))
        #expect(story(7) != story(8))
    }
}

/// An app that uses Core Location during background refresh.
@MainActor private final class Refreshing {
    private(set) var diagnostics = 0
    private var session: CLServiceSession?

    nonisolated init() {}

    func refresh() {
        let session = CLServiceSession(authorization: .whenInUse)
        self.session = session
        Task { for try await _ in session.diagnostics { self.diagnostics += 1 } }
    }
}
