internal import CoreLocation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for the differences between systems in the table of docs/any-device.md.
@Suite(.showsTimelines) struct SystemTests {
    /// The behaviour of a system that apps see.
    struct Row: Sendable, CustomTestStringConvertible {
        let profile: DeviceProfile
        let asksWhenReading: Bool
        let servesAlwaysWithoutSession: Bool
        let saysThatItIsDenied: Bool
        let servesApproximately: Bool
        let hasQuirks: Bool

        var testDescription: String { self.profile.system.name }
    }

    static let rows = [
        Row(
            profile: .iOS17,
            asksWhenReading: false,
            servesAlwaysWithoutSession: true,
            saysThatItIsDenied: false,
            servesApproximately: false,
            hasQuirks: false
        ),
        Row(
            profile: .iOS18,
            asksWhenReading: true,
            servesAlwaysWithoutSession: false,
            saysThatItIsDenied: true,
            servesApproximately: true,
            hasQuirks: true
        ),
        Row(
            profile: .iOS26,
            asksWhenReading: true,
            servesAlwaysWithoutSession: false,
            saysThatItIsDenied: true,
            servesApproximately: true,
            hasQuirks: false
        ),
        Row(
            profile: .linux,
            asksWhenReading: true,
            servesAlwaysWithoutSession: false,
            saysThatItIsDenied: true,
            servesApproximately: true,
            hasQuirks: false
        ),
    ]

    private struct Changed: Error {}

    @Test func everySystemHasARow() {
        #expect(Self.rows.map(\.profile.system) == DeviceProfile.systems.map(\.system))
    }

    @Test(arguments: Self.rows) func readingUpdatesAsks(_ row: Row) {
        let device = VirtualDevice(row.profile)
        let app = device.install(.weather)
        device.person.answersAll(.allowWhileUsing)
        device.person.open(app)
        device.advance(by: .seconds(20))
        let status: CLAuthorizationStatus = row.asksWhenReading ? .authorizedWhenInUse : .notDetermined
        #expect(app.authorizationStatus == status)
        #expect(app.isServed == row.asksWhenReading)
    }

    @Test(arguments: Self.rows) func aManagerAsksOnEverySystem(_ row: Row) {
        let device = VirtualDevice(row.profile)
        let app = device.install(
            AppUnderTest("com.example.asks") {
                let manager = CLLocationManager()
                manager.requestWhenInUseAuthorization()
                for try await _ in CLLocationUpdate.liveUpdates() { _ = manager.authorizationStatus }
            }
        )
        device.person.answersAll(.allowWhileUsing)
        device.person.open(app)
        device.advance(by: .seconds(20))
        #expect(app.authorizationStatus == .authorizedWhenInUse && app.isServed)
    }

    @Test(arguments: Self.rows) func alwaysNeedsASession(_ row: Row) {
        let device = VirtualDevice(row.profile)
        let app = device.install(.weather)
        device.person.set(app, to: .always)
        device.world.walk(for: .seconds(3600))
        device.person.open(app)
        device.advance(by: .seconds(20))
        device.person.leave(app)
        device.advance(by: .seconds(60))
        let before = app.positionsGiven
        device.advance(by: .seconds(60))
        #expect((app.positionsGiven > before) == row.servesAlwaysWithoutSession)
    }

    @Test(arguments: Self.rows) func updatesSayWhyThereIsNoPosition(_ row: Row) {
        let device = VirtualDevice(row.profile)
        let app = device.install(.workout)
        device.person.answersAll(.dontAllow)
        device.person.open(app)
        device.advance(by: .seconds(20))
        let isStopped = app.read { (it: Workout) in it.phase == .stopped }
        #expect(isStopped == row.saysThatItIsDenied)
    }

    @Test(arguments: Self.rows) func approximatePositionsAreLiveUpdates(_ row: Row) {
        let device = VirtualDevice(row.profile)
        let app = device.install(.weather)
        device.person.set(app, to: .whileUsing)
        device.person.set(app, precise: false)
        device.person.open(app)
        device.advance(by: .seconds(60))
        #expect((app.positionsGiven > 0) == row.servesApproximately)
        device.person.set(app, precise: true)
        device.run(until: "it has a precise position") { app.positionsGiven > 1 }
    }

    @Test(arguments: Self.rows) func updatesBeginUnavailable(_ row: Row) {
        let device = VirtualDevice(row.profile)
        let app = device.install(.weather)
        device.person.set(app, to: .whileUsing)
        device.person.open(app)
        device.run(until: "it is served") { app.isServed }
        let told = device.timeline.entries(of: "com.example.Weather")
        #expect(told.contains { $0.text.contains("locationUnavailable") } == row.hasQuirks)
    }

    @Test(arguments: Self.rows) func aSecondLoopEndsAtOnce(_ row: Row) {
        let device = VirtualDevice(row.profile)
        let app = device.install(.reminders)
        device.person.answersAll(.allowAlways)
        device.person.open(app)
        device.advance(by: .seconds(30))
        app.read { (it: Reminders) in Task { await it.readAgain() } }
        device.advance(by: .seconds(1))
        #expect(app.read { (it: Reminders) in it.secondLoopEnded } == row.hasQuirks)
    }

    @Test func aPhoneThatNamesNoSystemRunsLinux() {
        func fingerprint(_ profile: DeviceProfile) -> String {
            let device = VirtualDevice(profile)
            let app = device.install(.workout)
            device.person.answersAll(.allowWhileUsing)
            device.world.walk(for: .seconds(600))
            device.person.open(app)
            device.advance(by: .seconds(600))
            return device.timeline.fingerprint
        }
        #expect(fingerprint(.phone) == fingerprint(.linux))
    }

    @Test func theEndOfAStoryLeavesTheSystemsQuirks() async {
        let exploration = await AnyDevice(seeds: 3).explore(on: .iOS18) { device in
            device.quirks.insert(.repeatsUpdates)
            device.endTrouble()
            if device.quirks != DeviceProfile.System.iOS18.quirks { throw Changed() }
        }
        #expect(exploration.failure == nil)
    }
}
