internal import CoreLocation
internal import Foundation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for the device itself: it is switched off and on, and its clock is wrong.
@Suite(.showsTimelines) struct DeviceLifeTests {
    private let device = VirtualDevice()

    @Test func aRebootEndsEverythingAndForgetsNothing() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it is served") { app.isServed }
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        self.device.switchOff()
        #expect(app.state == .notRunning && !app.showsIndicator && !self.device.isOn)
        self.device.advance(by: .seconds(60))
        #expect(app.launches == 1)
        self.device.switchOn()
        self.device.run(until: "its workout goes on") { app.launches == 2 && app.isServed }
        #expect(app.authorizationStatus == .authorizedWhenInUse && app.state == .background)
    }

    /// A person cannot use a device that is off.
    @Test func aDeviceThatIsOffTakesNoOrders() {
        let app = self.device.install(.workout)
        self.device.switchOff()
        let orders: [() -> Void] = [
            { self.device.person.open(app) },
            { app.launchInBackground() },
            { self.device.person.set(app, to: .always) },
            { self.device.person.switchAirplaneMode(on: true) },
            { self.device.person.lightDisplay() },
            { self.device.install(.weather) },
            { self.device.restartLocationService() },
            { self.device.exhaustPushBudget() },
        ]
        for order in orders {
            withKnownIssue {
                order()
            } matching: {
                $0.comments.contains { $0.rawValue.contains("but the device is off: call switchOn() before") }
            }
        }
        #expect(app.state == .notRunning && app.launches == 0)
        self.device.switchOff()
        self.device.switchOn()
        self.device.switchOn()
        self.device.person.open(app)
        #expect(app.launches == 1)
        self.device.advance(by: .seconds(1))
    }

    /// Random endings need no record of what is down.
    @Test func endsOfTheServiceAndTheDeviceMayOverlap() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it is served") { app.isServed }
        self.device.restartLocationService(downFor: .seconds(60))
        self.device.restartLocationService(downFor: .seconds(10))
        self.device.advance(by: .seconds(59))
        #expect(!app.isServed)
        self.device.run(until: "it is served again") { app.isServed }
        self.device.restartLocationService(.stopped, downFor: .seconds(60))
        self.device.reboot(offFor: .seconds(10))
        #expect(self.device.isOn)
        self.device.run(until: "its workout goes on", within: .seconds(40)) { app.isServed }
        self.device.advance(by: .seconds(60))
        #expect(app.isServed && app.launches == 2)
    }

    @Test func clocksThatCountFromTheBootBeginAnew() throws {
        let app = self.device.install(AppUnderTest("com.example.clocks", object: { Clocks() }))
        self.device.person.open(app)
        self.device.advance(by: .seconds(7200))
        let before = try #require(app.read { (clocks: Clocks) in clocks.now })
        self.device.reboot(offFor: .seconds(100))
        #expect(self.device.isOn)
        self.device.advance(by: .seconds(10))
        self.device.person.open(app)
        let after = try #require(app.read { (clocks: Clocks) in clocks.now })
        #expect(before.uptime > 7200 && after.uptime < 20)
        #expect(abs(after.date.timeIntervalSince(before.date) - 110) < 1)
    }

    /// The push budget continues by the wall clock, the only measure of the time during which the device was off.
    @Test func theTimeThatItWasOffCounts() throws {
        let app = self.device.install(.friends(Answers()))
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "the app has its token") { app.read { (it: Friends) in it.token != nil } == true }
        self.device.exhaustPushBudget()
        self.device.switchOff()
        let push = try self.device.push(to: app)
        #expect(push.outcome == .kept)
        self.device.advance(by: .seconds(3600))
        self.device.switchOn()
        self.device.advance(by: .seconds(60))
        #expect(self.device.pushBudget >= 9)
        #expect(push.outcome == .completed(after: .seconds(1)))
    }

    @Test func aClockThatIsSetChangesDatesAndNothingElse() throws {
        let app = self.device.install(AppUnderTest("com.example.clocks", object: { Clocks() }))
        self.device.person.open(app)
        self.device.advance(by: .seconds(10))
        let before = try #require(app.read { (clocks: Clocks) in clocks.now })
        self.device.moveClock(by: .seconds(-86_400))
        self.device.advance(by: .seconds(10))
        let after = try #require(app.read { (clocks: Clocks) in clocks.now })
        #expect(abs(after.date.timeIntervalSince(before.date) - 10 + 86_400) < 0.01)
        #expect(abs(after.uptime - before.uptime - 10) < 0.01 && after.ticks - before.ticks == 10)
        #expect(abs(self.device.date.timeIntervalSince(after.date)) < 0.01)
    }

    /// Goal: a server's time runs steadily, whatever happens to the device's clocks.
    @Test func codeElsewhereHasClocksOfItsOwn() throws {
        let times = { () throws -> (date: Date, uptime: ContinuousClock.Instant) in
            try #require(self.device.elsewhere { (date: Date.now, uptime: ContinuousClock.now) }.value)
        }
        let before = try times()
        self.device.moveClock(by: .seconds(-86_400))
        self.device.reboot(offFor: .seconds(30))
        self.device.advance(by: .seconds(10))
        let after = try times()
        let passed = after.date.timeIntervalSince(before.date)
        #expect((40..<60).contains(passed))
        #expect(abs((after.uptime - before.uptime) / .seconds(1) - passed) < 0.01)
    }

    /// A fix is dated by satellite time and corrected to the device's clock, so its age stays the same.
    @Test func fixesAreFreshByAClockThatIsWrong() throws {
        let app = self.device.install(AppUnderTest("com.example.clocks", object: { Clocks() }))
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        for hours in [0, 5, -9] {
            self.device.moveClock(by: .seconds(3600 * hours))
            self.device.advance(by: .seconds(30))
            let age = try #require(app.read { (clocks: Clocks) in clocks.ageOfFix })
            #expect(abs(age) < 2)
        }
    }

    /// No update is lost when a network sets the clock.
    @Test(arguments: [-3600, -11, 11, 86_400]) func aClockThatIsSetCostsNoFix(_ seconds: Int) throws {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.world.walk(for: .seconds(600))
        self.device.run(until: "it is served") { app.isServed }
        self.device.advance(by: .seconds(30))
        let before = app.positionsGiven
        self.device.moveClock(by: .seconds(seconds))
        for _ in 0..<30 {
            self.device.advance(by: .seconds(1))
            #expect(app.isServed)
        }
        #expect((29...31).contains(app.positionsGiven - before))
    }

    /// Servers have the right time: a lifetime of ten minutes is over for a device whose clock is an hour ahead.
    @Test func aPushHasExpiredForADeviceWhoseClockIsAhead() throws {
        let app = self.device.install(.friends(Answers()))
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "the app has its token") { app.read { (it: Friends) in it.token != nil } == true }
        self.device.moveClock(by: .seconds(3600))
        let push = try self.device.push(to: app, expiresAfter: .seconds(600))
        #expect(push.outcome == .refused(.expired))
        self.device.moveClock(by: .seconds(-3600))
        let next = try self.device.push(to: app, expiresAfter: .seconds(600))
        self.device.advance(by: .seconds(30))
        #expect(next.outcome == .completed(after: .seconds(1)))
    }
}

/// An app that reads the clocks and its newest fix.
@MainActor private final class Clocks {
    private var ticks = 0
    private var newest: CLLocation?

    nonisolated init() {
        Task { @MainActor in
            while true {
                try await Task.sleep(for: .seconds(1))
                self.ticks += 1
            }
        }
        Task { @MainActor in
            for try await update in CLLocationUpdate.liveUpdates() { self.newest = update.location ?? self.newest }
        }
    }

    var now: (date: Date, uptime: TimeInterval, ticks: Int) {
        (Date(), ProcessInfo.processInfo.systemUptime, self.ticks)
    }

    var ageOfFix: TimeInterval? { self.newest.map { -$0.timestamp.timeIntervalSinceNow } }
}
