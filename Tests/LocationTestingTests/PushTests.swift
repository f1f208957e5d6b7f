internal import CoreLocation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for location pushes: their delivery to the extension, and the obstacles.
@Suite(.showsTimelines) struct PushTests {
    private let device = VirtualDevice()
    private let answers = Answers()

    private func sharing() -> VirtualApp {
        let app = self.device.install(.friends(self.answers))
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "the app has its token") { app.read { (it: Friends) in it.token != nil } == true }
        return app
    }

    @Test func anAppsTestNamesPrioritiesByTheNumbersOfProviders() {
        #expect(LocationPush.Priority.allCases.map(\.onDevice.apns.rawValue) == [10, 5, 1])
        #expect(LocationPush.Priority.allCases.map(\.rawValue) == [10, 5, 1])
    }

    @Test func threePushesAnHourApartAreAnsweredWithoutTheApp() throws {
        let app = self.sharing()
        self.device.person.close(app)
        for number in 1...3 {
            self.device.advance(by: .seconds(3600))
            let push = try self.device.push(to: app)
            self.device.advance(by: .seconds(30))
            #expect(push.outcome == .completed(after: .seconds(1)))
            #expect(self.answers.locations.count == number)
        }
        #expect(app.launches == 1)
    }

    @Test func theNetworkLosesDelaysAndRepeats() throws {
        let app = self.sharing()
        let lost = try self.device.push(to: app, .lost)
        let late = try self.device.push(to: app, .delayed(by: .seconds(100)))
        self.device.advance(by: .seconds(99))
        #expect(lost.outcome == .lost && late.outcome == .underWay)
        self.device.advance(by: .seconds(10))
        #expect(late.outcome == .completed(after: .seconds(1)) || self.answers.locations.count == 1)
        let twice = try self.device.push(to: app, .duplicated)
        self.device.advance(by: .seconds(30))
        #expect(self.answers.locations.count == 2)
        #expect(twice.outcome != .underWay)
    }

    @Test func whoTookAlwaysBackIsNotAsked() throws {
        let app = self.sharing()
        self.device.person.set(app, to: .whileUsing)
        let push = try self.device.push(to: app)
        #expect(push.outcome == .refused(.notAuthorized))
    }

    @Test func anEmptyBudgetKeepsPushesAtTheGateway() throws {
        let app = self.sharing()
        #expect(self.device.pushBudget == 120)
        self.device.exhaustPushBudget()
        let push = try self.device.push(to: app)
        #expect(push.outcome == .kept)
        // Ten pushes are restored after an hour.
        self.device.advance(by: .seconds(3700))
        #expect(self.answers.locations.count == 1)
    }

    @Test func airplaneModeKeepsTheNewestPush() throws {
        let app = self.sharing()
        self.device.person.switchAirplaneMode(on: true)
        let first = try self.device.push(["number": 1], to: app)
        let second = try self.device.push(["number": 2], to: app)
        self.device.advance(by: .seconds(60))
        #expect(first.outcome == .replaced && second.outcome == .kept)
        self.device.person.switchAirplaneMode(on: false)
        self.device.advance(by: .seconds(60))
        #expect(second.outcome == .completed(after: .seconds(1)) || self.answers.locations.count == 1)
    }

    @Test func whatExpiresAtTheGatewayNeverReachesTheDevice() throws {
        let app = self.sharing()
        self.device.person.switchAirplaneMode(on: true)
        let push = try self.device.push(to: app, expiresAfter: .seconds(60))
        self.device.advance(by: .seconds(30))
        #expect(push.outcome == .kept)
        self.device.advance(by: .seconds(31))
        let late = try self.device.push(to: app, .delayed(by: .seconds(5)), expiresAfter: .seconds(1))
        self.device.advance(by: .seconds(10))
        self.device.person.switchAirplaneMode(on: false)
        self.device.advance(by: .seconds(60))
        #expect(push.outcome == .dropped && late.outcome == .dropped)
        #expect(self.answers.locations.isEmpty)
        #expect(self.device.pushBudget == 120, "what never came costs nothing")
    }

    /// Documented for the push service: nothing must be sent to a device token that is gone (410).
    @Test func whoHasNoTokenIsSentNothing() throws {
        let never = self.device.install(.workout)
        let app = self.sharing()
        let early = try self.device.push(to: never)
        app.uninstall()
        let late = try self.device.push(to: app)
        self.device.advance(by: .seconds(60))
        #expect(early.outcome == .unregistered && late.outcome == .unregistered)
        #expect(self.device.pushBudget == 120)
        let again = self.sharing()
        let push = try self.device.push(to: again)
        self.device.advance(by: .seconds(30))
        #expect(push.outcome == .completed(after: .seconds(1)))
    }

    /// The gateway is notified of a removal when the device can reach it, and keeps pushes until then.
    @Test func aRemovalThatTheGatewayDidNotHearOf() throws {
        let app = self.sharing()
        self.device.person.switchAirplaneMode(on: true)
        app.uninstall()
        let push = try self.device.push(to: app)
        self.device.advance(by: .seconds(60))
        #expect(push.outcome == .kept)
        self.device.person.switchAirplaneMode(on: false)
        self.device.advance(by: .seconds(60))
        #expect(push.outcome == .dropped)
        #expect(try self.device.push(to: app).outcome == .unregistered)
        // A withdrawn token stays withdrawn, whatever happens to the service.
        let again = self.sharing()
        self.device.restartLocationService()
        self.device.advance(by: .seconds(60))
        let after = try self.device.push(to: again)
        self.device.advance(by: .seconds(60))
        #expect(after.outcome == .completed(after: .seconds(1)))
    }

    /// Priority 5 waits for something else that wakes the device, at most 10 minutes.
    @Test func aConsideratePushWaitsForTheDeviceToWake() throws {
        let app = self.sharing()
        self.device.person.close(app)
        self.device.advance(by: .seconds(3600))
        let alone = try self.device.push(to: app, priority: .considerate, expiresAfter: .seconds(3600))
        self.device.advance(by: .seconds(590))
        #expect(alone.outcome == .underWay)
        self.device.advance(by: .seconds(30))
        #expect(self.answers.locations.count == 1)
        self.device.advance(by: .seconds(3600))
        let first = try self.device.push(to: app, priority: .considerate, expiresAfter: .seconds(3600))
        self.device.advance(by: .seconds(60))
        #expect(first.outcome == .underWay)
        try self.device.push(to: app)
        self.device.advance(by: .seconds(30))
        #expect(self.answers.locations.count == 3, "the urgent one took it along")
        self.device.advance(by: .seconds(3600))
        let undated = try self.device.push(to: app, priority: .considerate)
        self.device.advance(by: .seconds(40))
        #expect(undated.outcome == .completed(after: .seconds(31)), "it is of use for a minute")
    }

    @Test func anExtensionThatOverrunsIsWarnedAndKilled() throws {
        let app = self.device.install(
            AppUnderTest(
                "com.example.Friends",
                pushExtension: { OverrunningPushService() },
                object: { Friends() }
            )
        )
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        let push = try self.device.push(to: app)
        self.device.advance(by: .seconds(29))
        #expect(push.outcome == .handed)
        self.device.advance(by: .seconds(3))
        #expect(push.outcome == .abandoned && !app.extensionRuns)
    }

    @Test func whatIsNoPayloadIsSaid() {
        let app = self.device.install(.workout)
        #expect(throws: LocationPush.Failure.self) { try self.device.push(["when": Date()], to: app) }
        let long = String(repeating: "x", count: 5000)
        #expect(throws: LocationPush.Failure.self) { try self.device.push(["text": long], to: app) }
    }
}
