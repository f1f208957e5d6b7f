internal import CoreLocation
internal import Foundation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

extension StaticProgram: SeparateProgram {}
extension TrappingProgram: SeparateProgram {}
extension ExitingProgram: SeparateProgram {}
extension SharingProgram: SeparateProgram {}
extension RememberingProgram: SeparateProgram {}
extension ZoneProgram: SeparateProgram {}

/// Tests for apps in separate processes, in lock-step with the device.
@Suite(.showsTimelines) struct SeparateProcessTests {
    private let device = VirtualDevice()

    private func opened(_ program: any SeparateProgram.Type) -> VirtualApp {
        let app = self.device.install(AppUnderTest("com.example.separate", separateProcess: program))
        self.device.person.answersAll(.allowWhileUsing)
        self.device.world.walk(for: .seconds(3600))
        self.device.person.open(app)
        return app
    }

    @Test func itLivesInTheDevicesTime() {
        let app = self.opened(StaticProgram.self)
        self.device.advance(by: .seconds(1))
        #expect(self.device.whatEverythingWaitsFor.contains("authorizationRequestInProgress"))
        self.device.run(until: "it is served") { app.isServed }
        self.device.advance(by: .seconds(600))
        #expect(app.positionsGiven == 601 && app.authorizationStatus == .authorizedWhenInUse)
    }

    /// Every push gets a new process of the extension, with fresh statics; the app is not launched for it.
    @Test func itsExtensionHasAProcessOfItsOwn() throws {
        let app = self.device.install(
            AppUnderTest(
                "com.example.separate",
                separateProcess: SharingProgram.self,
                pushExtension: CountingPushProgram.self
            )
        )
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "it has a token") { self.device.host.gateway.token(of: app.bundle) != nil }
        self.device.advance(by: .seconds(10))
        self.device.person.close(app)
        for _ in 1...2 {
            self.device.advance(by: .seconds(600))
            let push = try self.device.push(to: app)
            self.device.advance(by: .seconds(20))
            #expect(push.outcome == .completed(after: .seconds(1)) && !app.extensionRuns)
        }
        #expect(app.launches == 1)
    }

    /// Defaults and files are there in the app's next process, as in the test's process.
    @Test func itsContainerOutlivesIt() {
        let app = self.device.install(AppUnderTest("com.example.separate", separateProcess: RememberingProgram.self))
        self.device.person.open(app)
        self.device.run(until: "it is done") { app.state == .notRunning }
        self.device.person.open(app)
        self.device.run(until: "it remembers") { app.state == .notRunning }
        let ends = self.device.timeline.entries(of: "com.example.separate").map(\.text).filter { $0.hasPrefix("ends") }
        #expect(ends == ["ends: status 0", "ends: status 1"])
        #expect(UserDefaults.standard.object(forKey: "launches") == nil)
    }

    @Test func itTravelsThroughTimeZones() throws {
        let tests = TimeZone.current.identifier
        let (tokyo, honolulu) = (
            try #require(TimeZone(identifier: "Asia/Tokyo")), try #require(TimeZone(identifier: "Pacific/Honolulu"))
        )
        self.device.setTimeZone(tokyo)
        let app = self.opened(ZoneProgram.self)
        self.device.advance(by: .seconds(1))
        self.device.setTimeZone(honolulu)
        self.device.advance(by: .seconds(1))
        var calendar = Calendar(identifier: .gregorian)
        let words = [tokyo, honolulu].map { zone in
            calendar.timeZone = zone
            return "\(calendar.component(.hour, from: self.device.date)) o'clock in \(zone.identifier)"
        }
        let written = self.device.timeline.entries(of: "com.example.separate").map(\.text)
        #expect(written.filter { $0.contains("o'clock") } == words)
        #expect(app.launches == 1 && self.device.timeZone == honolulu && TimeZone.current.identifier == tests)
    }

    @Test func aDayIsNotTooLongForIt() {
        let app = self.opened(StaticProgram.self)
        self.device.world.drive(for: .seconds(40_000))
        self.device.advance(by: .seconds(40_000))
        #expect(app.launches == 1 && app.isServed && app.positionsGiven > 39_000)
    }

    @Test func itsStaticsEndWithIt() {
        let app = self.opened(StaticProgram.self)
        self.device.run(until: "it is served") { app.isServed }
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        app.terminate()
        self.device.run(until: "it is launched again and served") { app.launches == 2 && app.isServed }
    }

    @Test func itIsSuspendedAndGoesOn() {
        let app = self.opened(StaticProgram.self)
        self.device.run(until: "it is served") { app.isServed }
        app.suspend()
        self.device.advance(by: .seconds(60))
        app.resume()
        self.device.person.set(app, to: .never)
        self.device.run(until: "its main returns") { app.state == .notRunning }
    }

    @Test func itSurvivesARestartOfTheLocationService() {
        let app = self.opened(StaticProgram.self)
        self.device.run(until: "it is served") { app.isServed }
        self.device.restartLocationService(downFor: .seconds(20))
        self.device.advance(by: .seconds(30))
        #expect(app.isServed && app.launches == 1)
    }

    @Test func aTrapEndsTheAppOnly() {
        let app = self.opened(TrappingProgram.self)
        self.device.run(until: "it crashed") { app.state == .notRunning }
        #expect(app.positionsGiven == 3)
        #expect(
            self.device.timeline.entries(of: "com.example.separate").contains {
                $0.text.hasPrefix("ends: signal") && $0.text.contains("a bug")
            }
        )
    }

    @Test func anExitEndsTheAppOnly() {
        let app = self.opened(ExitingProgram.self)
        self.device.advance(by: .seconds(89))
        #expect(app.state == .foreground)
        self.device.advance(by: .seconds(2))
        #expect(app.state == .notRunning)
        #expect(self.device.timeline.entries(of: "com.example.separate").contains { $0.text == "ends: status 7" })
    }

    @Test func nobodyLooksInside() {
        let app = self.opened(StaticProgram.self)
        withKnownIssue {
            #expect(app.read { (_: Weather) in true } == nil)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("its own process") }
        }
        self.device.advance(by: .seconds(1))
    }

    @Test func oneSeedOneStory() {
        func story() -> String {
            let device = VirtualDevice(seed: 7)
            let app = device.install(AppUnderTest("com.example.separate", separateProcess: StaticProgram.self))
            device.person.answersAll(.allowWhileUsing)
            device.world.walk(for: .seconds(300))
            device.person.open(app)
            device.advance(by: .seconds(100))
            app.crash()
            device.advance(by: .seconds(100))
            return device.timeline.fingerprint
        }
        #expect(story() == story())
    }
}

/// A program with an extension that answers one push in each process: a static that outlives it would show.
enum CountingPushProgram: SeparateProgram {
    @MainActor private static var pushes = 0

    @MainActor static func main() async {
        self.pushes += 1
        guard self.pushes == 1 else { return }
        await FriendsPushService.serve { FriendsPushService(answers: Answers()) }
    }
}
