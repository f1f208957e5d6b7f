internal import Testing

@testable import WhereaboutsLocationSources

@Suite struct RecordingTests {
    static func track() -> NMEATrack {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: 1_779_008_400)
        track.duration = 9
        return track
    }

    @Test func pacingAndGapsAreKept() throws {
        var track = Self.track()
        track.tunnel = 4..<7
        let recording = try Recording(Array(track.log().utf8))
        #expect(recording.epochs.map(\.offset) == [0, 1, 2, 3, 7, 8, 9].map { Duration.seconds($0) })
        #expect(recording.lap == .seconds(10))
        #expect(recording.droppedCount == 0)
    }

    @Test func replayBeginsAgain() throws {
        let recording = try Recording(Array(Self.track().log().utf8))
        #expect(recording.epoch(9).offset == .seconds(9))
        #expect(recording.epoch(10).offset == .seconds(10))
        #expect(recording.epoch(25).offset == .seconds(25))
        #expect(recording.epoch(25).fix == recording.epochs[5].fix)
        #expect(recording.epoch(25).fix.stamped(at: 7).time == 7)
    }

    @Test func oneFixRepeatsEverySecond() throws {
        var track = Self.track()
        track.duration = 0
        let recording = try Recording(Array(track.log().utf8))
        #expect(recording.epochs.count == 1)
        #expect(recording.epoch(3).offset == .seconds(3))
    }

    @Test func timesThatDoNotAdvanceAreDropped() throws {
        let log = try Self.track().log()
        #expect(try Recording(Array((log + log).utf8)).epochs.count == 10)
    }

    @Test func filesWithoutADatedFixAreRefused() {
        #expect(throws: Recording.Failure.empty) { try Recording([UInt8]()) }
        #expect(throws: Recording.Failure.noDatedFix(.nmea, malformed: 1)) { try Recording(Array("$GPRMC,1\n".utf8)) }
        let undated = NMEADecoderTests.gga
        #expect(throws: Recording.Failure.noDatedFix(.nmea, malformed: 0)) { try Recording(Array(undated.utf8)) }
    }

    @Test func sizeIsLimited() {
        let limit = Recording.bytesMax
        #expect(throws: Recording.Failure.tooLong(limit: limit)) {
            try Recording(repeatElement(UInt8(ascii: "\n"), count: limit + 1))
        }
    }

    @Test func anEpochBeforeTheFirstTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = try Recording(Array(RecordingTests.track().log().utf8)).epoch(-1)
        }
    }

    @Test func aTrackOfGPXIsPlayedWithItsMeasurements() throws {
        let recording = try Recording(
            Array(
                """
                \u{FEFF}<?xml version="1.0"?><gpx version="1.0"><trk><trkseg>
                <trkpt lat="48" lon="11"><ele>500</ele><time>2026-01-01T12:00:00Z</time><speed>2</speed><course>90</course>
                </trkpt><trkpt lat="48" lon="11.001"><time>2026-01-01T13:00:30+01:00</time><hdop>2</hdop></trkpt>
                <trkpt lat="49" lon="11"/></trkseg><trkseg>
                <trkpt lat="48" lon="11.002"><time>2026-01-01T12:02:00.500Z</time></trkpt></trkseg></trk></gpx>
                """.utf8
            )
        )
        #expect(recording.format == .gpx && recording.droppedCount == 1)
        #expect(recording.epochs.map(\.offset) == [.zero, .seconds(30), .seconds(120.5)])
        // A gap of half an hour within a segment counts as a straight path; a new segment counts as a loss of reception.
        #expect(recording.epochs.map(\.isConnected) == [false, true, false])
        let fixes = recording.epochs.map(\.fix)
        #expect(fixes.map(\.horizontalAccuracy) == [4.9, 8, 4.9])
        #expect(fixes[0].altitude == 500 && fixes[0].speed == 2 && fixes[0].course == 90)
        #expect(fixes[1].altitude == nil && fixes[1].speed == nil)
    }

    @Test func aRouteWithoutTimesIsWalked() throws {
        let recording = try Recording(
            Array(#"<gpx><rte><rtept lat="48" lon="11"/><rtept lat="48.00126" lon="11"/></rte></gpx>"#.utf8)
        )
        // 140 m at 1.4 m/s.
        #expect(abs(recording.lap / .seconds(1) - 200) < 1)
        #expect(recording.epochs[1].isConnected && recording.epochs[1].fix.speed == 1.4)
    }

    /// Goal: skipped points are counted, so that the author of the file can notice them.
    @Test func pointsOutOfTheOrderOfTimeAreCounted() throws {
        let points = [10, 30, 20, 30, 40].map { second in
            #"<trkpt lat="48" lon="11.\#(second)"><time>2026-01-01T12:00:\#(second)Z</time></trkpt>"#
        }
        let recording = try Recording(Array("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8))
        #expect(recording.epochs.map(\.fix.longitude) == [11.10, 11.30, 11.40])
        #expect(recording.droppedCount == 2)
    }

    @Test func aPlaceAloneIsNoWalk() throws {
        let recording = try Recording(Array(#"<gpx><wpt lat="48" lon="11"/></gpx>"#.utf8))
        #expect(recording.epochs.map(\.fix.speed) == [0])
    }

    /// Goal: no position is invented for a time without reception, however short.
    @Test func aLossThatTheRecordingTellsIsOne() throws {
        var track = Self.track()
        track.tunnel = 4..<6
        let nmea = try Recording(Array(track.log().utf8))
        #expect(nmea.epochs.map(\.offset) == [0, 1, 2, 3, 6, 7, 8, 9].map { Duration.seconds($0) })
        #expect(nmea.epochs.map(\.isConnected) == [false, true, true, true, false, true, true, true])

        let lines = [3, 3, 1, 3].enumerated().map { second, mode in
            let place = mode == 3 ? #","lat":53.5,"lon":9.9,"eph":17.1"# : ""
            return #"{"class":"TPV","mode":\#(mode),"time":"2026-11-21T07:51:0\#(second).000Z"\#(place)}"#
        }
        let gpsd = try Recording(Array(lines.joined(separator: "\n").utf8))
        #expect(gpsd.epochs.map(\.isConnected) == [false, true, false])
    }

    @Test func gpsdsReportsArePlayed() throws {
        let lines = (0..<3).map { second in
            #"{"class":"TPV","mode":3,"time":"2026-11-21T07:51:0\#(second).000Z","lat":53.5,"lon":9.9\#(second),"eph":17.1}"#
        }
        let text = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"
        let recording = try Recording(Array((text + lines.joined(separator: "\r\n") + "\nrubbish").utf8))
        #expect(recording.format == .gpsd && recording.epochs.count == 3 && recording.droppedCount == 1)
        #expect(recording.epochs.map(\.fix.longitude) == [9.90, 9.91, 9.92])
        #expect(throws: Recording.Failure.noDatedFix(.gpsd, malformed: 0)) { try Recording(Array(text.utf8)) }
    }
}
