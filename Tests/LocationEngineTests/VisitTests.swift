internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for visits: one arrival and one departure for each stay, for apps that run, are suspended, or have ended.
@Suite struct VisitTests {
    private func launches(_ device: Device) -> Int {
        device.effects.count { if case .process(.launchApp) = $0 { true } else { false } }
    }

    /// A walk northwards at 1.5 m/s.
    private func walk(_ device: inout Device, from start: Double, seconds: Int) -> [Engine.Effect] {
        var all: [Engine.Effect] = []
        for second in 0..<seconds { all += device.live(north: start + Double(second) * 1.5, seconds: 1).effects }
        device.effects = all
        return all
    }

    @Test func aStayIsOneArrivalAndOneDeparture() throws {
        var device = Device.travelling(.visits)
        device.live(north: 0, seconds: 3600)
        #expect(device.visits().map(\.isArrivalKnown) == [false], "nobody saw it come")
        _ = self.walk(&device, from: 0, seconds: 1200)
        let left = try #require(device.visits().first)
        #expect(device.visits().count == 1 && left.departure != nil && !left.isArrivalKnown)
        device.live(north: 1800, seconds: 3600)
        let arrival = try #require(device.visits().first)
        #expect(device.visits().count == 1 && arrival.departure == nil && arrival.isArrivalKnown)
        #expect(abs(arrival.latitude - 425_000_000 - Int32(1800 / 0.011_11)) < 2000, "within some 20 m")
        device.live(north: 9000, seconds: 700)
        let departure = try #require(device.visits().first)
        #expect(departure.since == arrival.since && departure.departure != nil)
    }

    @Test func aWalkIsNoVisitAndRestsBetweenLooks() {
        var device = Device.travelling(.visits)
        _ = self.walk(&device, from: 0, seconds: 7200)
        #expect(device.visits().isEmpty)
    }

    @Test func aNightAtHomeCostsTheReceiverOneSecondInAHundred() {
        var device = Device.travelling(.visits)
        let on = device.live(north: 0, seconds: 28_800).on
        #expect(on < 288 && device.visits().count == 1)
    }

    @Test func anAppThatWasTerminatedIsLaunchedAndNeedNotBeginAgain() {
        var device = Device.travelling(.visits)
        device.live(north: 0, seconds: 1200)
        device.terminate()
        device.live(north: 5000, seconds: 400)
        #expect(self.launches(device) == 1, "it departed")
        device.connect(2, phase: .background, isManaged: true)
        #expect(device.told(2)?.monitorsVisits == true)
        device.read(2, .visits)
        #expect(device.visits(to: 2).map { $0.departure != nil } == [true])
        device.live(north: 5000, seconds: 900)
        #expect(device.visits(to: 2).map(\.isArrivalKnown) == [true])
    }

    @Test func aProcessWithoutAManagerLosesNothing() {
        var device = Device.travelling(.visits)
        device.live(north: 0, seconds: 1200)
        device.terminate()
        device.connect(2)
        device.declare(2)
        device.live(north: 0, seconds: 60)
        device.live(north: 5000, seconds: 400)
        device.read(2, .visits)
        #expect(device.visits(to: 2).map { $0.departure != nil } == [true])
    }

    @Test func whoStopsIsNeitherToldNorLaunched() {
        var device = Device.travelling(.visits)
        device.live(north: 0, seconds: 1200)
        device.declare(1)
        #expect(device.told(1)?.monitorsVisits == false)
        device.terminate()
        #expect(device.live(north: 5000, seconds: 1200).on == 0 && self.launches(device) == 0)
    }

    /// An app does not receive an earlier visit.
    @Test func whoBeginsAfterADepartureIsNotToldOfIt() {
        var device = Device.travelling(.visits)
        device.feed(.appInstalled(BundleID("com.example.Other"), Device.manifest))
        device.feed(.authorizationSet(BundleID("com.example.Other"), .always))
        device.live(north: 0, seconds: 1200)
        device.live(north: 5000, seconds: 400)
        let principal = Principal(bundle: BundleID("com.example.Other"), role: .app)
        device.feed(.clientConnected(ClientID(5), principal, Lifecycle.Arrival(phase: .foreground)))
        device.read(5, .visits)
        device.live(north: 5000, seconds: 30)
        #expect(device.visits(to: 5).isEmpty)
        device.live(north: 5000, seconds: 900)
        #expect(device.visits(to: 5).count == 1)
    }

    @Test func whoBeginsDuringAStayIsToldOfItOnce() {
        var device = Device.travelling(.visits)
        device.live(north: 0, seconds: 1200)
        device.declare(1)
        device.read(1, .visits)
        #expect(device.visits().count == 1)
        device.live(north: 0, seconds: 1200)
        #expect(device.visits().isEmpty)
    }

    @Test func anAppThatComesAndGoesIsNotToldTwice() {
        var device = Device.travelling(.visits, setting: .whileUsing)
        device.live(north: 0, seconds: 1200)
        #expect(device.visits().count == 1)
        for _ in 0..<3 {
            device.feed(.phaseChanged(Device.app, .background))
            device.pass(6)
            device.feed(.phaseChanged(Device.app, .foreground))
            device.live(north: 0, seconds: 60)
            #expect(device.visits().isEmpty)
        }
    }

    @Test func aRestartKeepsTheStay() {
        var device = Device.travelling(.visits)
        device.live(north: 0, seconds: 1200)
        device.terminate()
        var later = device.rebooted()
        later.live(north: 0, seconds: 1800)
        #expect(self.launches(later) == 0)
        later.live(north: 5000, seconds: 600)
        #expect(self.launches(later) == 1)
        later.connect(2, phase: .background, isManaged: true)
        later.read(2, .visits)
        #expect(later.visits(to: 2).map { $0.departure != nil } == [true])
    }

    @Test func anAppThatKnowsApproximatelyIsToldOfACellAtTheSameTime() {
        var (exact, approximate) = (Device.travelling(.visits), Device.travelling(.visits))
        approximate.feed(.accuracySet(Device.app, precise: false))
        for seconds in 0..<900 {
            exact.live(north: 0, seconds: 1)
            approximate.live(north: 0, seconds: 1)
            #expect(exact.visits().count == approximate.visits().count, "\(seconds)")
            guard let visit = approximate.visits().first else { continue }
            #expect(visit.radius >= 5_000_000 && visit.latitude != exact.visits().first?.latitude)
            #expect(visit.since == exact.visits().first?.since)
        }
    }
}
