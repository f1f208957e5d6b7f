internal import CoreLocation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for oddities of real devices, each with its ``Quirk``.
@Suite(.showsTimelines) struct QuirkTests {
    private let device = VirtualDevice()

    private func opened(_ what: AppUnderTest) -> VirtualApp {
        let app = self.device.install(what)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.world.walk(for: .seconds(3600))
        self.device.person.open(app)
        return app
    }

    @Test func aLaunchBeginsWithTheLastPlace() {
        let app = self.opened(.weather)
        self.device.run(until: "it is served") { app.isServed }
        let old = app.lastPlaceGiven
        self.device.person.close(app)
        let far = CLLocationCoordinate2D(latitude: 48.1, longitude: 11.6)
        self.device.world.jump(to: far)
        self.device.advance(by: .seconds(4000))
        self.device.quirks = [.replaysLastPlace]
        self.device.person.open(app)
        self.device.run(until: "it has a place") { app.read { (it: Weather) in it.place != nil } == true }
        #expect(app.read { (it: Weather) in it.place?.latitude } == old?.latitude)
        self.device.advance(by: .seconds(2))
        #expect(app.lastPlaceGiven?.latitude == old?.latitude)
        self.device.advance(by: .seconds(2))
        #expect(abs((app.lastPlaceGiven?.latitude ?? 0) - far.latitude) < 0.1)
    }

    @Test func aFirstLaunchHasNothingToReplay() {
        self.device.quirks = [.replaysLastPlace]
        let app = self.opened(.weather)
        self.device.advance(by: .seconds(5))
        #expect(app.isServed && app.positionsGiven >= 2)
    }

    @Test func everyPositionComesThreeTimes() {
        self.device.quirks = [.repeatsUpdates]
        let app = self.opened(.workout)
        self.device.run(until: "it records") { app.isServed }
        self.device.advance(by: .seconds(10.5))
        #expect(app.read { (it: Workout) in it.updates } == 33)
    }

    @Test func theFirstPositionTakesItsTime() {
        self.device.quirks = [.delaysFirstPosition(by: .seconds(3960))]
        let app = self.opened(.workout)
        self.device.advance(by: .seconds(3900))
        #expect(app.positionsGiven == 0)
        self.device.run(until: "it records", within: .seconds(100)) { app.isServed }
    }

    @Test func whatBecameOfAHeldPositionIsSaid() {
        self.device.quirks = [.delaysFirstPosition(by: .seconds(60))]
        let app = self.opened(.workout)
        self.device.advance(by: .seconds(10))
        self.device.person.set(app, to: .never)
        self.device.advance(by: .seconds(100))
        #expect(app.positionsGiven == 0 && app.read { (it: Workout) in it.phase } == .stopped)
    }

    @Test func aStreamBeginsUnavailable() {
        self.device.quirks = [.beginsUnavailable]
        let app = self.opened(.workout)
        self.device.run(until: "it records") { app.isServed }
        let told = self.device.timeline.entries(of: "com.example.Workout")
        let unavailable = told.firstIndex { $0.text.contains("locationUnavailable") }
        let position = told.firstIndex { $0.text == "is given a position" }
        #expect(unavailable != nil && unavailable.map { $0 + 1 } == position)
        #expect(app.read { (it: Workout) in it.hasSignal } == true)
    }

    @Test(arguments: [true, false]) func twoLoopsShareThePositions(_ splits: Bool) {
        if splits { self.device.quirks = [.splitsUpdates] }
        let trails = [Trail(), Trail()]
        let app = self.opened(
            AppUnderTest("com.example.two") {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for trail in trails {
                        group.addTask {
                            for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
                                trail.add()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        )
        self.device.run(until: "it is served") { app.isServed }
        let before = trails.map(\.count)
        self.device.advance(by: .seconds(10))
        #expect(zip(trails, before).map { $0.count - $1 } == (splits ? [5, 5] : [10, 10]))
    }
}
