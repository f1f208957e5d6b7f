internal import CoreLocation
internal import Synchronization
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

extension HangingProgram: SeparateProgram {}
extension ThreadedProgram: SeparateProgram {}

/// Goal: code that would block a device, whose apps share one thread, is reported at once with its line, and the test
/// continues.
@Suite(.showsTimelines) struct MisuseTests {
    private let device = VirtualDevice()

    private func opened(_ main: @escaping @MainActor @Sendable () async throws -> Void) -> VirtualApp {
        let app = self.device.install(AppUnderTest("com.example.Hanging", main: main))
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        return app
    }

    private static func isSaid(_ words: String..., in issue: Issue) -> Bool {
        let said = issue.comments.map(\.rawValue).joined()
        return words.allSatisfy { said.contains($0) } && said.contains("com.example.Hanging")
    }

    @Test func aLoopUntilALaterTimeEnds() {
        var app: VirtualApp?
        withKnownIssue {
            app = self.opened(Hangs.untilLater)
        } matching: {
            Self.isSaid("asks for the time millions of times", "Task.sleep", "Hangs.swift:", in: $0)
        }
        self.device.run(until: "it goes on") { app?.isServed == true }
        #expect(self.device.now < .seconds(60))
    }

    @Test func aThreadThatSleepsTakesNoTime() {
        var app: VirtualApp?
        withKnownIssue {
            app = self.opened(Hangs.asleep)
        } matching: {
            Self.isSaid("lets its thread sleep", "Task.sleep", "Hangs.swift:", in: $0)
        }
        #expect(self.device.now == .zero)
        self.device.run(until: "it goes on") { app?.isServed == true }
    }

    @Test func aSemaphoreIsNotWaitedForForEver() {
        var app: VirtualApp?
        withKnownIssue {
            app = self.opened(Hangs.onASemaphore)
        } matching: {
            Self.isSaid("waits without end for a semaphore", "continuation", "Hangs.swift:", in: $0)
        }
        self.device.run(until: "it goes on") { app?.isServed == true }
    }

    @Test func timeMovedWithinAConditionIsTold() {
        withKnownIssue {
            self.device.run(until: "it is late", within: .seconds(10)) {
                self.device.advance(by: .seconds(1))
                return true
            }
        } matching: {
            $0.comments.map(\.rawValue).joined().contains("or code that runs on a device, advances time")
        }
        #expect(self.device.now == .zero)
    }

    @Test func backgroundUpdatesWithoutTheirModeAreTold() {
        let app = AppUnderTest(
            "com.example.Hanging",
            infoPlist: ["NSLocationWhenInUseUsageDescription": "For a test."],
            main: { CLLocationManager().allowsBackgroundLocationUpdates = true }
        )
        let installed = self.device.install(app)
        withKnownIssue {
            self.device.person.open(installed)
        } matching: {
            Self.isSaid("UIBackgroundModes", "MisuseTests.swift:", in: $0)
        }
    }

    @Test func aLocationThatNobodyCouldReceiveIsTold() {
        let app = self.device.install(
            AppUnderTest("com.example.Hanging", main: { CLLocationManager().requestLocation() })
        )
        withKnownIssue {
            self.device.person.open(app)
        } matching: {
            Self.isSaid("set the manager's delegate", "MisuseTests.swift:", in: $0)
        }
    }

    @Test func aDelegateWithoutTheMethodThatAnswersIsTold() {
        let app = self.device.install(AppUnderTest("com.example.Hanging", object: { Deaf() }))
        self.device.person.set(app, to: .never)
        withKnownIssue {
            self.device.person.open(app)
            self.device.advance(by: .seconds(30))
        } matching: {
            Self.isSaid("Deaf, lacks locationManager(_:didFailWithError:)", in: $0)
        }
    }

    @Test func anAppInAProcessOfItsOwnIsToldTheSame() {
        let app = self.device.install(AppUnderTest("com.example.Hanging", separateProcess: HangingProgram.self))
        self.device.person.answersAll(.allowWhileUsing)
        withKnownIssue {
            self.device.person.open(app)
        } matching: {
            Self.isSaid("lets its thread sleep", in: $0)
        }
        self.device.run(until: "it goes on") { app.isServed }
    }

    @Test func aProblemIsShownAtTheTestsLine() {
        let line = #line + 2
        withKnownIssue {
            _ = self.device.install(AppUnderTest("com.example.Weather", object: { Weather() })).read { (_: Workout) in }
        } matching: {
            $0.sourceLocation?.line == line && $0.sourceLocation?.fileName == "MisuseTests.swift"
        }
    }

    // MARK: Timers and groups

    @Test func whatNothingDrivesIsNamedToWhoWaits() {
        let app = self.device.install(AppUnderTest("com.example.Undriven", object: { Undriven() }))
        self.device.person.open(app)
        withKnownIssue {
            self.device.run(until: "it ticks") { app.read { (it: Undriven) in it.ticks } == 1 }
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains("created a Timer, a DispatchSource, a Thread, which never runs in virtual time")
            }
        }
    }

    /// No code of an app runs in real time, on a thread of libdispatch.
    ///
    /// Method: the app's source was set earlier, so it would have fired before the test's source fires.
    @Test func aSourceStaysSilentInRealTime() async {
        let app = self.device.install(AppUnderTest("com.example.Undriven", object: { Undriven() }))
        self.device.person.open(app)
        self.device.advance(by: .seconds(1))
        for _ in 0..<5 {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let source = DispatchSource.makeTimerSource(queue: .global())
                source.setEventHandler {
                    source.cancel()
                    continuation.resume()
                }
                source.schedule(deadline: .now() + .milliseconds(5))
                source.resume()
            }
        }
        #expect(app.read { (it: Undriven) in it.hasFired.load(ordering: .sequentiallyConsistent) } == false)
    }

    @Test func anUpdateThatIsPausedIsCalledSo() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it is paused", within: .seconds(86_400)) {
            self.device.whatEverythingWaitsFor.contains("paused because the device stays")
        }
        #expect(self.device.timeline.description.contains("its updates are paused"))
    }

    @Test func groupsAreDriven() {
        let steps = Mutex<[String]>([])
        let app = self.opened {
            let group = DispatchGroup()
            group.notify(queue: .main) { steps.withLock { $0.append("empty at once") } }
            group.enter()
            DispatchQueue.global().async(group: group) { steps.withLock { $0.append("work") } }
            group.notify(queue: .main) { steps.withLock { $0.append("over") } }
            try await ContinuousClock().sleep(for: .seconds(60))
            steps.withLock { $0.append("leave") }
            group.leave()
            try await ContinuousClock().sleep(for: .seconds(1))
        }
        self.device.run(until: "it is over") { app.state == .notRunning }
        #expect(steps.withLock { $0 } == ["work", "empty at once", "leave", "over"])
    }

    // MARK: Objects where they do not belong

    @Test func aSingletonThatSurvivesARelaunchIsFoundOut() {
        let app = self.device.install(
            AppUnderTest(
                "com.example.Hanging",
                object: {
                    Singleton.shared.begin()
                    return Singleton.shared
                }
            )
        )
        self.device.person.open(app)
        self.device.advance(by: .seconds(10))
        self.device.person.close(app)
        let said = Mutex("")
        withKnownIssue {
            self.device.person.open(app)
        } matching: { issue in
            said.withLock { $0 += issue.comments.map(\.rawValue).joined() }
            return true
        }
        #expect(said.withLock { $0.contains("used after its process ended (Hangs.swift:") && $0.contains("static") })
        #expect(said.withLock { $0.contains("is that of an earlier launch") })
    }

    @Test func anAppsModelInTheTestItselfIsFoundOut() async {
        await withKnownIssue {
            let weather = await Weather()
            #expect(await weather.place == nil)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("the test itself used Core Location") }
        }
    }

    /// Method: the test does nothing that would give the thread time.
    @Test func aManagerOnAThreadIsFoundOut() {
        let app = self.device.install(AppUnderTest("com.example.Threaded", object: { Threaded() }))
        withKnownIssue {
            self.device.person.open(app)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("on a thread outside of virtual time") }
        }
    }

    @Test func aThreadOfAnAppInAProcessOfItsOwnIsFoundOut() {
        let app = self.device.install(AppUnderTest("com.example.Threaded", separateProcess: ThreadedProgram.self))
        withKnownIssue {
            self.device.person.open(app)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("on a thread outside of virtual time") }
        }
    }
}
