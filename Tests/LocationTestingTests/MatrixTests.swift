internal import CoreLocation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// Tests of one app against every action of people, the system and the environment.
@Suite(.showsTimelines) struct MatrixTests {
    private let device = VirtualDevice()

    private func opened(_ answer: Person.Answer) -> VirtualApp {
        let app = self.device.install(.workout)
        self.device.person.answersAll(answer)
        self.device.world.walk(for: .seconds(7200))
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        return app
    }

    @Test(arguments: Person.Answer.allCases, VirtualApp.Ending.allCases)
    func everyAnswerAndEveryEnding(_ answer: Person.Answer, _ ending: VirtualApp.Ending) {
        let app = self.opened(answer)
        self.device.person.leave(app)
        self.device.advance(by: .seconds(30))
        let isServed = app.isServed
        #expect(isServed == (answer != .dontAllow))
        app.end(ending)
        // Its background activity session is outstanding, so the system launches it again, and it continues.
        self.device.advance(by: .seconds(60))
        #expect(app.isServed == isServed && app.launches == (isServed ? 2 : 1))
    }

    @Test(arguments: Quirk.allCases) func everyQuirk(_ quirk: Quirk) {
        self.device.quirks = [quirk]
        let app = self.opened(.allowWhileUsing)
        self.device.run(until: "it records", within: .seconds(4000)) { app.isServed }
    }

    @Test(arguments: VirtualDevice.ServiceEnd.allCases) func everyEndOfTheService(_ end: VirtualDevice.ServiceEnd) {
        let app = self.opened(.allowWhileUsing)
        self.device.restartLocationService(end)
        self.device.run(until: "it goes on") { app.isServed }
    }

    @Test(arguments: Person.Setting.allCases) func everySetting(_ setting: Person.Setting) {
        let app = self.opened(.allowOnce)
        self.device.person.answersNothing()
        self.device.person.set(app, to: setting)
        self.device.advance(by: .seconds(10))
        #expect(app.isServed == (setting == .whileUsing || setting == .always))
    }

    @Test func anUpdateReplacesTheCodeThatRuns() {
        let old = self.opened(.allowWhileUsing)
        #expect(old.read { (workout: Workout) in workout.phase } == .recording)
        let new = self.device.install(AppUnderTest("com.example.Workout", object: { Weather() }))
        self.device.advance(by: .seconds(5))
        #expect(new.state != .foreground && new.authorizationStatus == .authorizedWhenInUse)
        self.device.person.open(new)
        self.device.run(until: "the new version is served") { new.isServed }
        #expect(new.read { (weather: Weather) in weather.isApproximate } == false)
    }

    @Test func anAppThatRecordsUnseenIsUninstalled() {
        let app = self.opened(.allowWhileUsing)
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        app.uninstall()
        self.device.advance(by: .seconds(600))
        #expect(app.state == .notRunning && app.launches == 1)
    }
}
