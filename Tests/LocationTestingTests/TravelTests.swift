internal import CoreLocation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for significant changes and visits on a virtual device, as an app sees them.
@Suite(.showsTimelines) struct TravelTests {
    private let device = VirtualDevice()
    private let home = CLLocationCoordinate2D(latitude: 53.5503, longitude: 9.9922)

    private func opened(_ answer: Person.Answer = .allowAlways) -> VirtualApp {
        let app = self.device.install(.diary)
        self.device.person.answersAll(answer)
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        return app
    }

    private func places(_ app: VirtualApp) -> Int {
        app.state == .notRunning ? 0 : app.read { (it: Diary) in it.places.count } ?? 0
    }

    private func entries(_ app: VirtualApp) -> [String] {
        app.state == .notRunning ? [] : app.read { (it: Diary) in it.entries } ?? []
    }

    @Test func theFirstPlaceIsToldAtOnceAndTheReceiverRests() {
        let app = self.opened()
        #expect(self.places(app) == 1)
        self.device.advance(by: .seconds(3600))
        let looks = self.device.timeline.entries(of: "receiver").count { $0.text == "is switched on" }
        #expect(looks < 16, "a look every five minutes, \(looks)")
        #expect(self.places(app) == 1)
    }

    @Test func aDriveIsAChangeEveryFiveMinutes() {
        let app = self.opened()
        self.device.world.drive(for: .seconds(1800))
        self.device.advance(by: .seconds(1800))
        #expect((4...7).contains(self.places(app)), "\(self.places(app))")
    }

    @Test func anAppThatWasTerminatedIsLaunchedForAChange() {
        let app = self.opened()
        self.device.person.leave(app)
        app.terminate()
        self.device.advance(by: .seconds(1200))
        #expect(app.launches <= 2, "at most for the place where it stays")
        let before = app.launches
        app.terminate()
        self.device.world.go(to: CLLocationCoordinate2D(latitude: 53.6, longitude: 9.9922), at: 14)
        self.device.run(until: "it is launched", within: .seconds(1200)) {
            app.launches > before && self.places(app) == 1
        }
    }

    @Test func aStayIsAnArrivalAndADeparture() throws {
        let app = self.opened()
        self.device.world.stay(for: .seconds(1800))
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.world.stay(for: .seconds(3600))
        self.device.advance(by: .seconds(5400))
        #expect(self.entries(app) == ["arrived", "departed", "arrived"])
        let visits = try #require(app.read { (it: Diary) in it.visits })
        #expect(visits[0].arrivalDate == .distantPast && visits[0].departureDate == .distantFuture)
        #expect(visits[1].arrivalDate == .distantPast && visits[1].departureDate < .distantFuture)
        #expect(visits[2].arrivalDate >= visits[1].departureDate && visits[2].departureDate == .distantFuture)
        let way = CLLocation(latitude: Reminders.shop.latitude, longitude: Reminders.shop.longitude)
            .distance(
                from: CLLocation(latitude: visits[2].coordinate.latitude, longitude: visits[2].coordinate.longitude)
            )
        #expect(way < 50, "\(way) m")
    }

    @Test func visitsLastOverLaunchesAndRebootsUntilTheyAreStopped() {
        let app = self.opened()
        self.device.advance(by: .seconds(1200))
        #expect(self.entries(app) == ["arrived"])
        self.device.reboot()
        self.device.advance(by: .seconds(1200))
        #expect(app.launches == 1, "nothing new happened")
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.run(until: "it writes the departure down", within: .seconds(1800)) {
            self.entries(app) == ["arrived", "departed"]
        }
        app.read { (it: Diary) in it.stop() }
        self.device.advance(by: .seconds(10))
        self.device.world.stay(for: .seconds(3600))
        self.device.advance(by: .seconds(3600))
        #expect(self.entries(app) == ["arrived", "departed"])
    }

    @Test func aPersonWhoAllowsWhileUsingIsNotFollowed() {
        let app = self.opened(.allowWhileUsing)
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        app.terminate()
        self.device.world.drive(for: .seconds(1800))
        self.device.advance(by: .seconds(1800))
        #expect(app.launches == 1)
    }
}
