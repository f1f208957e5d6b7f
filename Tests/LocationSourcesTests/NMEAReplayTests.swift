internal import Testing

@testable import LocationSources

@Suite struct NMEAReplayTests {
    static func track() -> NMEATrack {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: 1_779_008_400)
        track.duration = 9
        return track
    }

    @Test func pacingAndGapsAreKept() throws {
        var track = Self.track()
        track.tunnel = 4..<7
        let replay = try NMEAReplay(Array(track.log().utf8))
        #expect(replay.epochs.map(\.offset) == [0, 1, 2, 3, 7, 8, 9].map { Duration.seconds($0) })
        #expect(replay.lap == .seconds(10))
        #expect(replay.malformedCount == 0)
    }

    @Test func replayBeginsAgain() throws {
        let replay = try NMEAReplay(Array(Self.track().log().utf8))
        #expect(replay.epoch(9).offset == .seconds(9))
        #expect(replay.epoch(10).offset == .seconds(10))
        #expect(replay.epoch(25).offset == .seconds(25))
        #expect(replay.epoch(25).fix == replay.epochs[5].fix)
        #expect(replay.epoch(25).fix.stamped(at: 7).time == 7)
    }

    @Test func oneFixRepeatsEverySecond() throws {
        var track = Self.track()
        track.duration = 0
        let replay = try NMEAReplay(Array(track.log().utf8))
        #expect(replay.epochs.count == 1)
        #expect(replay.epoch(3).offset == .seconds(3))
    }

    @Test func timesThatDoNotAdvanceAreDropped() throws {
        let log = try Self.track().log()
        #expect(try NMEAReplay(Array((log + log).utf8)).epochs.count == 10)
    }

    @Test func filesWithoutADatedFixAreRefused() {
        #expect(throws: NMEAReplay.Failure.noDatedFix(malformed: 0)) { try NMEAReplay([UInt8]()) }
        #expect(throws: NMEAReplay.Failure.noDatedFix(malformed: 1)) { try NMEAReplay(Array("$GPRMC,1\n".utf8)) }
        let undated = NMEADecoderTests.gga
        #expect(throws: NMEAReplay.Failure.noDatedFix(malformed: 0)) { try NMEAReplay(Array(undated.utf8)) }
    }

    @Test func sizeIsLimited() {
        let limit = NMEAReplay.bytesMax
        #expect(throws: NMEAReplay.Failure.tooLong(limit: limit)) {
            try NMEAReplay(repeatElement(UInt8(ascii: "\n"), count: limit + 1))
        }
    }

    @Test func anEpochBeforeTheFirstTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = try NMEAReplay(Array(NMEAReplayTests.track().log().utf8)).epoch(-1)
        }
    }
}
