internal import CoreLocation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for conditions on a virtual device: a walk crosses a boundary, whatever happens to the app and the device in
/// between.
@Suite(.showsTimelines) struct ConditionTests {
    private let device = VirtualDevice()
    private let home = CLLocationCoordinate2D(latitude: 53.5503, longitude: 9.9922)

    private func opened(_ what: AppUnderTest = .reminders) -> VirtualApp {
        let app = self.device.install(what)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        return app
    }

    private func states(_ app: VirtualApp) -> [CLMonitor.Event.State] {
        app.read { (it: Reminders) in it.crossings.filter { $0.identifier == "shop" }.map(\.state) } ?? []
    }

    private func reminders(_ app: VirtualApp) -> Int { app.read { (it: Reminders) in it.reminders } ?? 0 }

    @Test func aWalkIntoACircleAndOutOfItIsTwoEvents() {
        let app = self.opened()
        #expect(self.states(app) == [])
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.world.stay(for: .seconds(1800))
        self.device.world.go(to: self.home, at: 1.4)
        self.device.advance(by: .seconds(780 + 1800))
        #expect(self.states(app) == [.satisfied])
        self.device.advance(by: .seconds(1200))
        #expect(self.states(app) == [.satisfied, .unsatisfied])
    }

    @Test func anAppThatWasTerminatedIsLaunchedForItsEvent() {
        let app = self.opened()
        app.terminate()
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.run(until: "it reminds", within: .seconds(1200)) { app.launches == 2 && self.reminders(app) == 1 }
        #expect(app.read { (it: Reminders) in it.stored } == .unsatisfied, "the record is as it was handled last")
        app.terminate()
        self.device.advance(by: .seconds(600))
        #expect(app.launches == 2, "an event that was told, and whose next was awaited, was handled")
        self.device.world.go(to: self.home, at: 1.4)
        self.device.run(until: "it is launched to leave", within: .seconds(1200)) { app.launches == 3 }
        self.device.advance(by: .seconds(2))
        #expect(self.states(app) == [.unsatisfied])
        #expect(app.read { (it: Reminders) in it.stored } == .satisfied)
    }

    @Test(arguments: [VirtualDevice.ServiceEnd.killed, .stopped]) func noEventIsLostNorRepeatedByARestart(
        _ end: VirtualDevice.ServiceEnd
    ) {
        let app = self.opened()
        self.device.restartLocationService(end, downFor: .seconds(5))
        self.device.advance(by: .seconds(30))
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.world.stay(for: .seconds(3600))
        self.device.run(until: "it is there", within: .seconds(900)) { self.device.world.place.latitude > 53.559 }
        self.device.restartLocationService(end, downFor: .seconds(5))
        self.device.advance(by: .seconds(900))
        #expect(app.state != .notRunning && self.reminders(app) == 1)
    }

    @Test func whoDoesNotReceiveAnEventLosesItsCondition() {
        let app = self.opened(.carelessReminders)
        app.terminate()
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.run(until: "it is launched", within: .seconds(1200)) { app.launches == 2 }
        self.device.advance(by: .seconds(10))
        #expect(self.device.timeline.entries(of: "com.example.Careless").contains { $0.text.contains("not watched") })
        app.terminate()
        self.device.world.go(to: self.home, at: 1.4)
        self.device.advance(by: .seconds(1200))
        #expect(app.launches == 2)
    }

    @Test func theReceiverIsMostlyOffForAConditionFarAway() {
        let app = self.opened()
        app.terminate()
        self.device.advance(by: .seconds(3600))
        let entries = self.device.timeline.entries(of: "receiver").map(\.text)
        let looks = entries.count { $0 == "is switched on" }
        #expect(looks > 5 && looks < 60, "an hour at a kilometre takes a look every few minutes, \(looks)")
    }

    @Test func aFlickeringFixIsNoCrossing() {
        let app = self.opened()
        self.device.world.stray(to: Reminders.shop, after: .seconds(60), for: .seconds(1))
        self.device.advance(by: .seconds(1200))
        #expect(self.states(app) == [])
    }

    @Test func clockStepsAreNoCrossings() {
        let app = self.opened()
        for hours in [-5000, 10_000, -1] {
            self.device.moveClock(by: .seconds(hours * 3600))
            self.device.advance(by: .seconds(600))
        }
        #expect(self.states(app) == [] && app.launches == 1)
    }

    @Test func aPersonWhoTakesTheirLeaveBackEndsTheEvents() {
        let app = self.opened()
        self.device.person.set(app, to: .never)
        self.device.advance(by: .seconds(1))
        #expect(app.read { (it: Reminders) in it.events.last?.authorizationDenied } == true)
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.advance(by: .seconds(1200))
        #expect(self.states(app).filter { $0 == .satisfied } == [] && self.reminders(app) == 0)
        self.device.person.set(app, to: .always)
        self.device.advance(by: .seconds(60))
        #expect(self.reminders(app) == 1)
    }
}
