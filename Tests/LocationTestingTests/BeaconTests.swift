internal import CoreLocation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for beacons on a virtual device: a walk past some of them, as an app sees it.
@Suite(.showsTimelines) struct BeaconTests {
    private let device = VirtualDevice()
    private let home = CLLocationCoordinate2D(latitude: 53.5503, longitude: 9.9922)
    /// 300 m north of the device.
    private let door = CLLocationCoordinate2D(latitude: 53.5530, longitude: 9.9922)
    /// 40 m further.
    private let hall = CLLocationCoordinate2D(latitude: 53.55336, longitude: 9.9922)

    private func opened(on device: VirtualDevice, _ answer: Person.Answer = .allowAlways) -> VirtualApp {
        device.world.beacons = [
            PlacedBeacon(uuid: MuseumGuide.museum, major: 1, minor: 1, at: self.door),
            PlacedBeacon(uuid: MuseumGuide.museum, major: 1, minor: 2, at: self.hall),
        ]
        let app = device.install(.museumGuide)
        device.person.answersAll(answer)
        device.person.open(app)
        device.advance(by: .seconds(30))
        return app
    }

    private func visits(_ app: VirtualApp) -> [String] {
        app.state == .notRunning ? [] : app.read { (it: MuseumGuide) in it.visits } ?? []
    }

    @Test func aWalkPastTwoBeaconsIsAVisitAndTwoRooms() throws {
        let app = self.opened(on: self.device)
        self.device.world.go(to: self.hall, at: 1.4)
        self.device.world.stay(for: .seconds(60))
        self.device.advance(by: .seconds(310))
        #expect(self.visits(app) == ["in 1"])
        #expect(app.read { (it: MuseumGuide) in it.rooms } == [1, 2])
        let nearest = try #require(app.read { (it: MuseumGuide) in it.reports.last?.first } ?? nil)
        #expect(nearest.proximity == .immediate && nearest.accuracy >= 0 && nearest.accuracy <= 0.5)
        self.device.world.go(to: self.home, at: 1.4)
        self.device.world.stay(for: .seconds(60))
        self.device.advance(by: .seconds(330))
        #expect(self.visits(app) == ["in 1", "out"])
    }

    @Test func beaconsAreReportedOnceASecond() throws {
        let app = self.opened(on: self.device)
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(10))
        let before = try #require(app.read { (it: MuseumGuide) in it.reports.count })
        self.device.advance(by: .seconds(60))
        let after = try #require(app.read { (it: MuseumGuide) in it.reports.count })
        #expect(after - before == 60)
        self.device.world.beacons = []
        self.device.advance(by: .seconds(20))
        #expect(app.read { (it: MuseumGuide) in it.reports.last?.isEmpty } == true)
    }

    @Test func anAppThatWasTerminatedIsLaunchedForABeaconAndRanges() {
        let app = self.opened(on: self.device)
        self.device.person.leave(app)
        app.terminate()
        self.device.world.go(to: self.hall, at: 1.4)
        self.device.world.stay(for: .seconds(3600))
        self.device.run(until: "it is launched, and ranges", within: .seconds(600)) {
            app.launches == 2 && self.visits(app) == ["in 1"]
                && app.read { (it: MuseumGuide) in !it.reports.isEmpty } == true
        }
        self.device.advance(by: .seconds(600))
        #expect(app.state == .suspended, "ranging keeps no app running")
    }

    @Test func aRebootAndARestartOfTheServiceAreSilent() {
        let app = self.opened(on: self.device)
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(10))
        #expect(self.visits(app) == ["in 1"])
        self.device.restartLocationService(downFor: .seconds(60))
        self.device.advance(by: .seconds(120))
        #expect(self.visits(app) == ["in 1"])
        self.device.reboot()
        self.device.advance(by: .seconds(120))
        #expect(app.launches == 1)
        self.device.world.jump(to: self.home)
        self.device.run(until: "it is launched for the end", within: .seconds(120)) {
            app.launches == 2 && self.visits(app) == ["in 1", "out"]
        }
    }

    @Test func aRegionOfBeaconsIsEnteredAndLeft() {
        let app = self.opened(on: self.device)
        app.read { (it: MuseumGuide) in it.watchRegion() }
        self.device.advance(by: .seconds(60))
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(10))
        #expect(app.read { (it: MuseumGuide) in it.crossings } == ["enter museum"])
        self.device.world.jump(to: self.home)
        self.device.advance(by: .seconds(40))
        #expect(app.read { (it: MuseumGuide) in it.crossings } == ["enter museum", "exit museum"])
    }

    /// For five seconds the device may just not have received the beacon yet: it was inside before, and did not enter.
    @Test func aRegionThatIsEnteredBeforeItIsDecidedHasAStateAndAnExit() {
        let app = self.opened(on: self.device)
        app.read { (it: MuseumGuide) in it.watchRegion() }
        self.device.advance(by: .seconds(3))
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(10))
        #expect(app.read { (it: MuseumGuide) in it.crossings } == [])
        app.read { (it: MuseumGuide) in it.requestState() }
        self.device.advance(by: .seconds(1))
        #expect(app.read { (it: MuseumGuide) in it.reminders } == 1)
        self.device.world.jump(to: self.home)
        self.device.advance(by: .seconds(40))
        #expect(app.read { (it: MuseumGuide) in it.crossings } == ["exit museum"])
    }

    /// An app receives the entry into a new region before the exit.
    @Test(arguments: [6, 15, 29]) func aRegionThatIsEnteredSoonIsEntered(_ seconds: Int) {
        let app = self.opened(on: self.device)
        app.read { (it: MuseumGuide) in it.watchRegion() }
        self.device.advance(by: .seconds(seconds))
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(10))
        #expect(app.read { (it: MuseumGuide) in it.crossings } == ["enter museum"])
        self.device.world.jump(to: self.home)
        self.device.advance(by: .seconds(40))
        #expect(app.read { (it: MuseumGuide) in it.crossings } == ["enter museum", "exit museum"])
    }

    @Test func aLitDisplayTellsAgainAlsoAnAppThatIsGone() {
        let app = self.opened(on: self.device)
        app.read { (it: MuseumGuide) in it.watchRegion() }
        self.device.advance(by: .seconds(60))
        self.device.person.lightDisplay()
        self.device.advance(by: .seconds(5))
        #expect(app.read { (it: MuseumGuide) in it.reminders } == 0, "it is not there")
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(10))
        #expect(app.read { (it: MuseumGuide) in it.reminders } == 1)
        self.device.person.lightDisplay()
        self.device.advance(by: .seconds(5))
        #expect(app.read { (it: MuseumGuide) in it.reminders } == 2)
        #expect(app.read { (it: MuseumGuide) in it.crossings } == ["enter museum"])
        self.device.person.leave(app)
        app.terminate()
        self.device.person.lightDisplay()
        self.device.advance(by: .seconds(10))
        #expect(app.launches == 2)
        #expect(app.read { (it: MuseumGuide) in it.reminders } == 3)
    }

    /// Goal: every API reports that a device has no scanner.
    @Test func aDeviceWithoutAScannerSaysSo() throws {
        let device = VirtualDevice(.vehicle)
        let app = self.opened(on: device)
        device.world.jump(to: self.hall)
        app.read { (it: MuseumGuide) in
            it.range()
            it.watchRegion()
        }
        device.advance(by: .seconds(30))
        #expect(app.read { (_: MuseumGuide) in CLLocationManager.isRangingAvailable() } == false)
        #expect(
            app.read { (_: MuseumGuide) in CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self) } == false
        )
        let events = try #require(app.read { (it: MuseumGuide) in it.events })
        #expect(events.map(\.state) == [.unmonitored] && events.map(\.conditionUnsupported) == [true])
        #expect(app.read { (it: MuseumGuide) in it.errors } == [.rangingUnavailable])
        #expect(app.read { (it: MuseumGuide) in it.crossings } == ["fail museum"])
        let phone = self.opened(on: self.device)
        #expect(phone.read { (_: MuseumGuide) in CLLocationManager.isRangingAvailable() } == true)
    }

    @Test func whoMayKnowApproximatelyHearsOfNoBeacon() {
        let app = self.opened(on: self.device, .allowApproximate)
        app.read { (it: MuseumGuide) in it.range() }
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(60))
        #expect(self.visits(app).isEmpty)
        #expect(app.read { (it: MuseumGuide) in it.reports.isEmpty } == true)
        #expect(app.read { (it: MuseumGuide) in it.errors } == [.rangingUnavailable])
    }

    @Test(arguments: [true, false]) func beaconsAreLostBriefly(_ areLost: Bool) throws {
        if areLost { self.device.quirks = [.losesBeaconsBriefly] }
        let app = self.opened(on: self.device)
        self.device.world.jump(to: self.hall)
        self.device.advance(by: .seconds(60))
        let reports = try #require(app.read { (it: MuseumGuide) in it.reports.suffix(50) })
        let lost = reports.count { $0.allSatisfy { $0.proximity == .unknown && $0.accuracy < 0 && $0.rssi == 0 } }
        #expect(lost == (areLost ? 10 : 0))
        #expect(self.visits(app) == ["in 1"])
    }
}
