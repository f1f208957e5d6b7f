internal import Foundation
internal import Testing

@testable import WhereaboutsLocationSources

@Suite struct NMEATrackTests {
    /// 2026-05-17T09:00:00Z, from `date -d`.
    static let start = 1_779_008_400.0

    static func fixes(_ track: NMEATrack) throws -> [NMEADecoder.Event] {
        var decoder = NMEADecoder()
        return try decoder.feed(track.log().utf8) + decoder.flush()
    }

    /// Goal: the file in the repository equals the output of the command in its README.
    @Test func sampleIsReproducible() throws {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Self.start)
        track.duration = 600
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/Tracks/harbour-walk.nmea")
        #expect(try Data(track.log().utf8) == Data(contentsOf: file))
    }

    @Test func everyEpochIsAFixNearTheRoute() throws {
        var track = NMEATrack(
            waypoints: [.init(latitude: -0.001, longitude: 179.999), .init(latitude: 0.001, longitude: -179.999)],
            start: Self.start
        )
        track.rate = 2
        track.speed = 10
        track.noise = 0
        track.duration = 60
        let events = try Self.fixes(track)
        #expect(events.count == 121)
        for (index, event) in events.enumerated() {
            guard case .measured(.fix(let fix)) = event else {
                Issue.record("epoch \(index) is not a fix")
                continue
            }
            #expect(fix.time == Self.start + Double(index) / 2)
            // The route is the diagonal through (0, 180): the longitude's distance from 180 is the latitude.
            #expect(abs((fix.longitude - 180 - fix.latitude).remainder(dividingBy: 360)) < 1e-6)
            #expect(abs(fix.latitude) <= 0.001001)
            let course = try #require(fix.course)
            #expect(abs(course - 45) < 0.01 || abs(course - 225) < 0.01)
        }
    }

    @Test func speedIsKept() throws {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Self.start)
        track.noise = 0
        let fixes = try Self.fixes(track).compactMap { if case .measured(.fix(let fix)) = $0 { fix } else { nil } }
        #expect((786...790).contains(fixes.count), "GeodSolve says 1106.17 m; the plane is within 0.3 %")
        for (one, next) in zip(fixes, fixes.dropFirst()) {
            let north = (next.latitude - one.latitude) * 111_195
            let east = (next.longitude - one.longitude) * 111_195 * 0.5941
            // Up to a rounding of 2 cm per axis, less where a corner is cut.
            #expect((north * north + east * east).squareRoot() < 1.45)
        }
    }

    @Test func noiseHasTheGivenDeviation() throws {
        var still = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Self.start)
        (still.noise, still.duration) = (0, 5000)
        var noisy = still
        noisy.noise = 5
        let pairs = zip(try Self.fixes(still), try Self.fixes(noisy))
        let squares = pairs.compactMap { pair -> Double? in
            guard case (.measured(.fix(let still)), .measured(.fix(let noisy))) = pair else { return nil }
            let north = (noisy.latitude - still.latitude) * 111_195
            return north * north
        }
        let deviation = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
        #expect((4.0...6.0).contains(deviation))
    }

    @Test func seedsDiffer() throws {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Self.start)
        let one = try track.log()
        #expect(try track.log() == one)
        track.seed = 2
        #expect(try track.log() != one)
    }

    @Test func tunnelLosesTheFix() throws {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Self.start)
        track.duration = 30
        track.tunnel = 10..<20
        let events = try Self.fixes(track)
        #expect(events.count == 31)
        #expect(events.indices.filter { events[$0] == .noFix } == Array(10..<20))
    }

    @Test(arguments: [-1, .nan, .infinity]) func settingsOutOfRangeAreRefused(value: Double) {
        let track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Self.start)
        for setting in [\NMEATrack.speed, \.rate, \.noise, \.start] {
            var wrong = track
            wrong[keyPath: setting] = value
            #expect(throws: NMEATrack.Failure.self) { try wrong.log() }
        }
        var wrong = track
        wrong.duration = value
        #expect(throws: NMEATrack.Failure.self) { try wrong.log() }
    }

    @Test func routesWithoutLengthAreRefused() {
        let point = NMEATrack.Waypoint(latitude: 1, longitude: 2)
        for waypoints in [[], [point], [point, point], [point, .init(latitude: 86, longitude: 2)]] {
            #expect(throws: NMEATrack.Failure.self) { try NMEATrack(waypoints: waypoints, start: Self.start).log() }
        }
    }

    @Test func epochsAreLimited() throws {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Self.start)
        track.duration = Double(NMEATrack.epochsMax)
        #expect(throws: NMEATrack.Failure.self) { try track.log() }
        track.duration = Double(NMEATrack.epochsMax - 1)
        #expect(throws: Never.self) { try track.log() }
    }
}
