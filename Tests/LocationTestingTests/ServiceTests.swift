internal import CoreLocation
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for the end and the return of the location service, while apps continue.
@Suite(.showsTimelines) struct ServiceTests {
    private let device = VirtualDevice()
    private let answers = Answers()

    private func recording(_ answer: Person.Answer = .allowWhileUsing) -> VirtualApp {
        let app = self.device.install(.workout)
        self.device.person.answersAll(answer)
        self.device.world.walk(for: .seconds(20_000))
        self.device.person.open(app)
        self.device.run(until: "the app records") { app.isServed }
        return app
    }

    private func sharing() -> VirtualApp {
        let app = self.device.install(.friends(self.answers))
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "the app has its token") { app.read { (it: Friends) in it.token != nil } == true }
        self.device.person.close(app)
        return app
    }

    // MARK: Apps

    @Test func loopsHearOfItAndGoOn() {
        let app = self.recording()
        self.device.restartLocationService(downFor: .seconds(20))
        self.device.advance(by: .seconds(10))
        #expect(app.read { (it: Workout) in it.hasSignal } == false && !app.isServed)
        #expect(self.device.whatEverythingWaitsFor.contains("the location service is down until"))
        self.device.run(until: "it goes on", within: .seconds(15)) {
            app.read { (it: Workout) in it.hasSignal } == true && app.isServed
        }
        #expect(app.launches == 1 && app.read { (it: Workout) in it.phase } == .recording)
        #expect(app.authorizationStatus == .authorizedWhenInUse)
    }

    /// A background session survives any absence of the location service.
    @Test(arguments: [0, 0.05, 0.3, 1, 1.5, 3.1, 4.9, 7, 60, 61.9, 3600, 86_400])
    func aBackgroundSessionIsRetaken(_ seconds: Double) {
        let app = self.recording()
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        self.device.restartLocationService(downFor: .seconds(seconds))
        #expect(app.showsIndicator == (seconds == 0))
        self.device.advance(by: .seconds(seconds) + .seconds(30))
        #expect(app.isServed && app.showsIndicator && app.launches == 1)
    }

    @Test func whatASuspendedAppHeldIsKept() {
        let app = self.recording()
        self.device.person.leave(app)
        app.suspend()
        self.device.restartLocationService(downFor: .seconds(30))
        self.device.advance(by: .seconds(29))
        #expect(app.state == .suspended)
        self.device.advance(by: .seconds(20))
        // The new service lets the app run, so that it can reconnect.
        #expect(app.state == .background && app.isServed)
    }

    @Test func stoppedItEndsItsAppsAndLaunchesThemAgain() {
        let app = self.recording()
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        self.device.restartLocationService(.stopped, downFor: .seconds(10))
        #expect(app.state == .notRunning)
        self.device.run(until: "it is launched again and records") { app.launches == 2 && app.isServed }
    }

    @Test func anAppThatDiesMeanwhileIsLaunchedAgain() {
        let app = self.recording()
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        self.device.restartLocationService(downFor: .seconds(10))
        app.crash()
        self.device.run(until: "it is launched again and records") { app.launches == 2 && app.isServed }
    }

    @Test func anAppThatStartsMeanwhileConnectsLater() {
        let app = self.device.install(.weather)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.restartLocationService(downFor: .seconds(10))
        self.device.person.open(app)
        self.device.advance(by: .seconds(9))
        #expect(app.positionsGiven == 0 && self.device.person.question == nil)
        self.device.run(until: "it is served", within: .seconds(10)) { app.isServed }
    }

    // MARK: People

    @Test func aQuestionIsAskedAnew() {
        let app = self.device.install(.weather)
        self.device.person.open(app)
        #expect(self.device.person.question != nil)
        self.device.restartLocationService(downFor: .seconds(1))
        #expect(self.device.person.question == nil)
        self.device.run(until: "the person is asked again", within: .seconds(5)) {
            self.device.person.question?.question == .whenInUse
        }
        self.device.person.answer(.allowWhileUsing)
        #expect(app.authorizationStatus == .authorizedWhenInUse)
    }

    @Test func whoeverAsksItMeanwhileIsTold() {
        let app = self.device.install(.weather)
        self.device.restartLocationService(downFor: .seconds(1))
        withKnownIssue {
            self.device.person.set(app, to: .always)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("location service is down until") }
        }
        self.device.advance(by: .seconds(1))
        self.device.person.set(app, to: .always)
        #expect(app.authorizationStatus == .authorizedAlways)
    }

    // MARK: Pushes

    @Test func aPushAtWorkIsGivenAgain() throws {
        let app = self.sharing()
        let push = try self.device.push(to: app)
        #expect(app.extensionRuns && push.outcome == .handed)
        let budget = self.device.pushBudget
        self.device.restartLocationService(downFor: .seconds(5))
        #expect(!app.extensionRuns)
        self.device.run(until: "the extension completes it") { push.outcome == .completed(after: .seconds(6)) }
        // The push was charged before it was handed over, and the saved state says so.
        #expect(self.device.pushBudget == budget && self.answers.locations.count == 1)
    }

    @Test func aPushThatWasSavedAndNotCountedIsCounted() throws {
        let app = self.sharing()
        let budget = self.device.pushBudget
        // The moment between writing the push's file and the state's, at which only a test can stop.
        let push = Push(
            id: PushID(high: 1, low: 1),
            bundle: app.bundle,
            payload: Array("{}".utf8),
            expiration: nil,
            received: self.device.host.time.instant
        )
        self.device.host.service.disk.pushes.append(push)
        self.device.restartLocationService(downFor: .seconds(5))
        self.device.run(until: "the extension answers") { self.answers.locations.count == 1 }
        self.device.advance(by: .seconds(5))
        #expect(self.device.pushBudget == budget - 1)
        #expect(self.device.host.service.disk.pushes.isEmpty)
    }

    @Test func aPushThatComesMeanwhileIsKeptByTheGateway() throws {
        let app = self.sharing()
        self.device.restartLocationService(downFor: .seconds(60))
        let push = try self.device.push(to: app)
        self.device.advance(by: .seconds(50))
        #expect(push.outcome == .kept)
        self.device.advance(by: .seconds(20))
        #expect(push.outcome == .completed(after: .seconds(1)))
    }

    @Test func theBudgetAndTheTokenOutliveIt() throws {
        let app = self.sharing()
        for _ in 0..<3 {
            try self.device.push(to: app)
            self.device.advance(by: .seconds(30))
        }
        let budget = self.device.pushBudget
        let token = self.device.host.gateway.token(of: app.bundle)
        self.device.restartLocationService(downFor: .seconds(1))
        self.device.advance(by: .seconds(2))
        #expect(self.device.pushBudget == budget && token != nil)
        #expect(self.device.host.gateway.token(of: app.bundle) == token)
    }
}
