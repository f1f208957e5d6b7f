internal import CoreLocation
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Tests for the device's true position, and its receiver's fixes.
@Suite struct WorldTests {
    private let device = VirtualDevice()

    @Test func aStraightLineIsWalkedAtItsSpeed() {
        let begin = self.device.world.place
        self.device.world.go(
            to: CLLocationCoordinate2D(latitude: begin.latitude + 0.01, longitude: begin.longitude),
            at: 10
        )
        #expect(abs(Double(self.device.world.end.components.seconds) - 111.3) < 1)
        self.device.advance(by: self.device.world.end / 2)
        #expect(abs(self.device.world.place.latitude - begin.latitude - 0.005) < 1e-5)
        self.device.advance(by: .seconds(1000))
        #expect(abs(self.device.world.place.latitude - begin.latitude - 0.01) < 1e-7)
    }

    @Test func theWayIsMeasured() {
        let begin = self.device.world.place
        let end = CLLocationCoordinate2D(latitude: begin.latitude + 0.01, longitude: begin.longitude)
        self.device.world.stay(for: .seconds(10))
        self.device.world.go(to: end, at: 10)
        self.device.world.jump(to: begin)
        self.device.advance(by: .seconds(60))
        #expect(abs(self.device.world.distance() - 500) < 1e-6)
        #expect(abs(self.device.world.distance(since: .seconds(50)) - 100) < 1e-6)
        self.device.advance(by: .seconds(1000))
        #expect(abs(self.device.world.distance() - 1113) < 1)
        #expect(self.device.world.distance(since: .seconds(500)) == 0)
    }

    @Test func aScriptThatIsOverGoesOnFromNow() {
        self.device.world.walk(for: .seconds(60))
        self.device.advance(by: .seconds(100))
        self.device.world.walk(for: .seconds(60))
        #expect(abs(self.device.world.end.components.seconds - 160) <= 1)
    }

    @Test func aTunnelIsSaid() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it is served") { app.isServed }
        self.device.world.loseSignal(for: .seconds(60))
        self.device.advance(by: .seconds(30))
        #expect(!app.isServed)
        #expect(self.device.whatEverythingWaitsFor.contains("no signal"))
        self.device.advance(by: .seconds(60))
        #expect(app.isServed)
    }

    @Test func aTunnelIsPartOfARoute() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        let begin = self.device.world.place
        let places = (1...3).map {
            CLLocationCoordinate2D(latitude: begin.latitude + 0.01 * Double($0), longitude: begin.longitude)
        }
        self.device.world.go(to: places[0], at: 20)
        let entrance = self.device.world.end
        self.device.world.tunnel(to: places[1], at: 20)
        let exit = self.device.world.end
        self.device.world.go(to: places[2], at: 20)
        self.device.advance(by: entrance)
        #expect(app.isServed)
        self.device.advance(by: (exit - entrance) / 2)
        #expect(!app.isServed)
        #expect(abs(self.device.world.place.latitude - begin.latitude - 0.015) < 1e-4)
        self.device.advance(by: (exit - entrance) / 2 + .seconds(2))
        #expect(app.isServed && abs((app.lastPlaceGiven?.latitude ?? 0) - places[1].latitude) < 0.001)
    }

    @Test func aFixStraysAndTheDeviceDoesNot() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it is served") { app.isServed }
        let place = self.device.world.place
        let far = CLLocationCoordinate2D(latitude: 0, longitude: 0)
        self.device.world.stray(to: far, after: .seconds(10), for: .seconds(1))
        self.device.advance(by: .seconds(10))
        #expect(abs((app.lastPlaceGiven?.latitude ?? 90) - far.latitude) < 0.001)
        #expect(self.device.world.place.latitude == place.latitude)
        self.device.advance(by: .seconds(3))
        #expect(abs((app.lastPlaceGiven?.latitude ?? 0) - place.latitude) < 0.001)
    }

    @Test func aCanyonBlursAndSaysSo() {
        let accuracies = Accuracies()
        let app = self.device.install(
            AppUnderTest("com.example.accuracies") {
                for try await update in CLLocationUpdate.liveUpdates() {
                    if let location = update.location { accuracies.add(location.horizontalAccuracy) }
                }
            }
        )
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        let begin = self.device.world.place
        self.device.world.stay(for: .seconds(20))
        self.device.world.canyon(
            to: CLLocationCoordinate2D(latitude: begin.latitude + 0.01, longitude: begin.longitude),
            at: 20
        )
        self.device.world.loseAccuracy(to: 70, after: .seconds(100), for: .seconds(10))
        self.device.advance(by: .seconds(15))
        #expect(accuracies.newest == 5)
        self.device.advance(by: .seconds(30))
        #expect(accuracies.newest == 40)
        self.device.advance(by: .seconds(60))
        #expect(accuracies.newest == 70)
        self.device.advance(by: .seconds(30))
        #expect(app.isServed && accuracies.newest == 5)
    }

    @Test func availabilityFlickers() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.world.flicker(every: .seconds(15))
        self.device.advance(by: .seconds(120))
        let suspended = self.device.timeline.entries(of: "com.example.Workout")
            .count { $0.text.contains("locationUnavailable") }
        #expect(suspended >= 3)
    }

    @Test func aTrackIsFollowedAtItsPace() throws {
        let track = try RecordedTrack(
            """
            <gpx><trk><trkseg>
            <trkpt lat="48.0" lon="11.0"><ele>500</ele><time>2026-01-01T12:00:00Z</time></trkpt>
            <trkpt lat='48.01' lon='11.0'><time>2026-01-01T12:10:00Z</time></trkpt>
            <trkpt lat="48.01" lon="11.02"/>
            </trkseg></trk></gpx>
            """
        )
        #expect(track.points.count == 3)
        self.device.world.follow(track, at: 10)
        self.device.advance(by: .seconds(300))
        #expect(abs(self.device.world.place.latitude - 48.005) < 1e-4)
        self.device.advance(by: .seconds(3600))
        #expect(abs(self.device.world.place.longitude - 11.02) < 1e-6)
    }

    @Test func aRecordingTellsItsAltitudesSpeedsAndAccuracies() throws {
        let track = try RecordedTrack(
            """
            <gpx><trk><trkseg>
            <trkpt lat="48.0" lon="11.0"><ele>500</ele><time>2026-01-01T12:00:00Z</time>
              <extensions><x:speed>3.5</x:speed><x:accuracy>12</x:accuracy></extensions></trkpt>
            <trkpt lat="48.0" lon="11.01"><ele> 600.5 </ele><time>2026-01-01T12:10:00Z</time>
              <extensions><x:speed>1.5</x:speed></extensions></trkpt>
            <trkpt lat="48.0" lon="11.02"><time>2026-01-01T12:20:00Z</time></trkpt>
            </trkseg></trk></gpx>
            """
        )
        #expect(track.points.map(\.altitude) == [500, 600.5, nil])
        #expect(track.points.map(\.speed) == [3.5, 1.5, nil] && track.points.map(\.accuracy) == [12, nil, nil])
        let heard = Places()
        let app = self.device.install(
            AppUnderTest("com.example.listener") {
                for try await update in CLLocationUpdate.liveUpdates() { heard.add(update.location) }
            }
        )
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it is served") { app.isServed }
        self.device.world.altitude = 3
        self.device.world.follow(track)
        self.device.advance(by: .seconds(300))
        let half = try #require(heard.newest)
        #expect(abs(half.altitude - 550.25) < 0.5 && abs(half.speed - 2.5) < 0.01 && half.horizontalAccuracy == 12)
        self.device.advance(by: .seconds(300))
        let second = try #require(heard.newest)
        #expect(abs(second.altitude - 600.5) < 0.5 && second.horizontalAccuracy == 5)
        self.device.advance(by: .seconds(700))
        let last = try #require(heard.newest)
        #expect(abs(last.altitude - 600.5) < 0.5 && last.speed == 0)
    }

    @Test(arguments: [
        ("", "is empty"), ("<gpx></gpx>", "no <trkpt>"), ("$GPRMC", "no NMEA 0183 fix"),
        ("<trkpt lat=\"1\" lon=\"2\"", "cut short"), ("<trkpt lat=\"x\" lon=\"2\">", "not a number"),
        ("<trkpt lon=\"2\">", "lat is missing"), ("<trkpt lat=\"91\" lon=\"2\">", "not a place on Earth"),
        ("<trkpt lat=\"1\" lon=\"2\"><time>yesterday</time></trkpt>", "yesterday"),
        ("<trkpt lat=\"1\" lon=\"2\"><ele>high</ele></trkpt>", "high is not a number of metres"),
        ("<trkpt lat=\"1\" lon=\"2\"><speed>-1</speed></trkpt>", "-1 is not a number of metres a second"),
    ])
    func whatIsNoTrackIsSaid(_ text: String, _ words: String) {
        #expect {
            try RecordedTrack(text)
        } throws: { ("\($0)").contains(words) }
    }

    @Test func theReceiverErrsAsMuchAsItSays() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.world.drive(for: .seconds(600))
        self.device.advance(by: .seconds(10))
        var squares = 0.0
        for _ in 0..<500 {
            self.device.advance(by: .seconds(1))
            guard let place = app.lastPlaceGiven else { continue }
            let truth = self.device.world.place
            let north = (place.latitude - truth.latitude) * 111_320
            let east = (place.longitude - truth.longitude) * 111_320 * 0.594
            squares += north * north + east * east
        }
        let error = (squares / 500).squareRoot()
        #expect((4.0...6.0).contains(error))
    }
}

/// The positions that an app received.
private final class Places: Sendable {
    private let places = Mutex<CLLocation?>(nil)

    var newest: CLLocation? { self.places.withLock { $0 } }

    func add(_ location: CLLocation?) {
        if let location { self.places.withLock { $0 = location } }
    }
}

/// The accuracies of the positions that an app received.
private final class Accuracies: Sendable {
    private let told = Mutex<[CLLocationAccuracy]>([])

    var newest: CLLocationAccuracy? { self.told.withLock { $0.last } }
    func add(_ accuracy: CLLocationAccuracy) { self.told.withLock { $0.append(accuracy) } }
}
