internal import CoreLocation
internal import FieldLogs
internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Tests for receivers' recordings as the world of a virtual device.
@Suite(.showsTimelines) struct RecordedTrackTests {
    /// The positions that an app received, and the number of times without one.
    private final class Received: Sendable {
        let places = Mutex<[CLLocation]>([])
        let gaps = Mutex(0)

        func add(_ update: CLLocationUpdate) {
            if let location = update.location { self.places.withLock { $0.append(location) } }
            if update.locationUnavailable { self.gaps.withLock { $0 += 1 } }
        }
    }

    /// Plays a recording to an app that follows it from its first second.
    private func follow(_ track: RecordedTrack) throws -> (received: Received, device: VirtualDevice) {
        let first = try #require(track.points.first)
        let device = VirtualDevice(at: first.place)
        let received = Received()
        let app = device.install(
            AppUnderTest("com.example.listener") {
                for try await update in CLLocationUpdate.liveUpdates() { received.add(update) }
            }
        )
        device.person.answersAll(.allowWhileUsing)
        device.person.open(app)
        device.run(until: "it is served") { app.isServed }
        device.world.follow(track)
        device.advance(by: device.world.end - device.now + .seconds(2))
        return (received, device)
    }

    private static func distance(_ one: CLLocationCoordinate2D, _ other: CLLocationCoordinate2D) -> CLLocationDistance {
        CLLocation(latitude: one.latitude, longitude: one.longitude)
            .distance(from: CLLocation(latitude: other.latitude, longitude: other.longitude))
    }

    /// Goal: an app sees the tunnel in a receiver's log, as NMEA 0183 and as gpsd reports it.
    @Test(arguments: ["nmea", "gpsd"]) func aTunnelIsPlayed(_ form: String) throws {
        let log = URL(filePath: #filePath).appending(path: "../../Logs/tunnel.\(form)").standardized
        let track = try RecordedTrack(contentsOf: log)
        #expect(track.points.count { $0.followsGap } == 2 && track.points.first?.followsGap == true)
        #expect(track.points.contains { $0.altitude == 6 && $0.speed != nil && $0.accuracy != nil })
        let (received, device) = try self.follow(track)
        let last = try #require(track.points.last)
        #expect(Self.distance(device.world.place, last.place) < 0.1)
        #expect(received.gaps.withLock { $0 } == 1)
        #expect(received.places.withLock { $0.last?.altitude } == 6)
    }

    /// Goal: logs of real receivers can be worlds, and gpsd's reports of a log give the same path as the log.
    @Test(
        .enabled(if: FieldLogs.folder != nil, "skipped: \(FieldLogs.absence)"),
        arguments: ["bt451", "haicom-305N", "nl2008u", "nmea-fuzzy-cases", "quectel-eg25-g", "ublox-lea-4h"]
    )
    func realLogsAreWorlds(_ name: String) throws {
        let folder = try #require(FieldLogs.folder).appending(path: "gpsd")
        var ends: [CLLocationCoordinate2D] = []
        for form in ["log", "log.chk"] {
            let track = try RecordedTrack(contentsOf: folder.appending(path: "\(name).\(form)"))
            let (received, device) = try self.follow(track)
            let last = try #require(track.points.last)
            #expect(track.points.count > 1 && Self.distance(device.world.place, last.place) < 1)
            let newest = try #require(received.places.withLock { $0.last })
            // Five standard errors.
            #expect(Self.distance(newest.coordinate, last.place) < 5 * max(newest.horizontalAccuracy, 5))
            ends.append(last.place)
        }
        #expect(Self.distance(ends[0], ends[1]) < 30)
    }
}
