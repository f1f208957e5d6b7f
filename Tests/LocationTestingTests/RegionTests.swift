internal import CoreLocation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// Goal: `didStartMonitoringFor` is called only when the device really monitors a region.
@Suite(.showsTimelines) struct RegionTests {
    private let device = VirtualDevice()

    private func opened(_ setting: Person.Setting? = nil) -> VirtualApp {
        let app = self.device.install(AppUnderTest("com.example.Fences", object: { Fences() }))
        if let setting { self.device.person.set(app, to: setting) }
        self.device.person.open(app)
        self.device.advance(by: .seconds(1))
        return app
    }

    private func received(_ app: VirtualApp) -> [String] {
        self.device.advance(by: .seconds(60))
        return app.read { (it: Fences) in it.received } ?? []
    }

    @Test func aRegionStartsOnce() {
        let app = self.opened(.always)
        app.read { (it: Fences) in it.start(["home"]) }
        #expect(self.received(app) == ["start home"], "nobody asked for the state")
        self.device.restartLocationService(downFor: .seconds(5))
        #expect(self.received(app) == ["start home"])
    }

    @Test func aRegionThatIsDeniedDoesNotStart() {
        let app = self.opened(.never)
        app.read { (it: Fences) in it.start(["home"]) }
        #expect(self.received(app) == ["fail home \(CLError.Code.regionMonitoringDenied.rawValue)"])
    }

    @Test func aRegionStartsWhenThePersonHasAllowedIt() {
        let app = self.opened()
        app.read { (it: Fences) in it.start(["home"]) }
        #expect(self.received(app) == [])
        // The service loses this information with its process: the region has not started.
        self.device.restartLocationService(downFor: .seconds(5))
        self.device.person.answersAll(.allowWhileUsing)
        self.device.advance(by: .seconds(60))
        app.read { (it: Fences) in it.ask() }
        #expect(self.received(app) == ["start home"])
    }

    @Test func theTwentyFirstDoesNotStart() {
        let app = self.opened(.always)
        let names = (10...30).map { "r\($0)" }
        app.read { (it: Fences) in it.start(names) }
        let failure = "fail r30 \(CLError.Code.regionMonitoringFailure.rawValue)"
        #expect(self.received(app).sorted() == [failure] + names.dropLast().map { "start \($0)" })
        #expect(app.read { (it: Fences) in it.monitored } == Array(names.dropLast()))
    }
}
