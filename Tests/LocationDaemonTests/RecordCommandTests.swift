internal import Foundation
internal import Glibc
internal import Rig
internal import Testing
internal import WhereaboutsLocationSources

/// Tests for `locationctl record` and `playback` with a real locationd: files, exit codes and messages.
@Suite(.offPool, .timeLimit(.minutes(2))) struct RecordCommandTests {
    private let scratch: Scratch
    private let binaries: Binaries

    init() throws {
        self.scratch = try Scratch()
        self.binaries = try Binaries()
    }

    private func path(_ name: String) -> String { "\(self.scratch.path)/\(name)" }

    private func locationd(_ arguments: String...) throws -> Child { try self.scratch.startLocationd(arguments) }

    private func child(_ arguments: [String]) throws -> Child {
        try Child(
            "locationctl",
            self.binaries.path("locationctl"),
            arguments,
            environment: ["LOCATIOND_RUNTIME": self.path("run")],
            log: self.path("errors.log")
        )
    }

    /// Runs locationctl and waits until it ends; its standard error is at the end of the log.
    private func locationctl(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try? FileManager.default.removeItem(atPath: self.path("errors.log"))
        let ended = try self.child(arguments).waitForEnd(within: 60)
        return (ended.status, ended.output, try String(contentsOfFile: self.path("errors.log"), encoding: .utf8))
    }

    private func walk() throws -> String {
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: 1_779_008_400)
        track.duration = 600
        return try self.log(of: track)
    }

    private func log(of track: NMEATrack) throws -> String {
        try Data(track.log().utf8).write(to: URL(filePath: self.path("walk.nmea")))
        return self.path("walk.nmea")
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: self.path(name)))
    }

    /// Goal: a recording is readable only by its owner, is complete, never replaces a file, and can be played.
    @Test func aRecordingIsWhatWasSaid() throws {
        let locationd = try self.locationd("--replay", try self.walk(), "--replay-speed", "10")
        defer { locationd.terminate() }
        let recorded = try self.locationctl("record", self.path("a.gpx"), "--whole", "--for", "2s")
        #expect(recorded.status == 0 && recorded.output.contains("positions in 2 s"), "\(recorded)")
        let attributes = try FileManager.default.attributesOfItem(atPath: self.path("a.gpx"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let points = try GPXDocument(self.bytes("a.gpx")).points
        #expect(points.count > 10 && points.allSatisfy { abs($0.latitude - 53.545) < 0.01 && $0.time != nil })
        #expect(try Recording(self.bytes("a.gpx")).epochs.count == points.count)

        let before = try self.bytes("a.gpx")
        let again = try self.locationctl("record", self.path("a.gpx"), "--for", "1s")
        #expect(again.status == 1 && again.errors.contains("already exists, and is not replaced"), "\(again)")
        #expect(try self.bytes("a.gpx") == before)
        let raw = try self.locationctl("record", self.path("b.nmea"), "--raw")
        #expect(raw.status == 1 && raw.errors.contains("record without --raw"), "\(raw)")
        #expect(!FileManager.default.fileExists(atPath: self.path("b.nmea")))
    }

    /// Goal: a recording leaves out the places where it began and ended, unless an option includes them.
    ///
    /// Method: on a straight road, a complete recording is longer at both ends than the other one.
    @Test func theEndsOfARecordingAreLeftOut() throws {
        let corners = [50.0, 51.0].map { NMEATrack.Waypoint(latitude: $0, longitude: 8) }
        var road = NMEATrack(waypoints: corners, start: 1_779_008_400)
        road.speed = 50
        let locationd = try self.locationd("--replay", try self.log(of: road), "--replay-speed", "10")
        defer { locationd.terminate() }
        let whole = try self.child(["record", self.path("whole.gpx"), "--whole"])
        let isRecorded = Waiting.until(within: 30) { (try? self.bytes("whole.gpx").count).map { $0 > 1000 } ?? false }
        #expect(isRecorded)
        let recorded = try self.locationctl("record", self.path("ends.gpx"), "--for", "4s")
        #expect(recorded.status == 0 && recorded.output.contains(" near the start or the end, which --whole keeps"))
        kill(whole.pid, SIGINT)
        _ = try whole.waitForEnd(within: 10)
        let all = try GPXDocument(self.bytes("whole.gpx")).points.map(\.latitude)
        let some = try GPXDocument(self.bytes("ends.gpx")).points.map(\.latitude)
        let (first, last) = (try #require(some.first), try #require(some.last))
        let metres = 111_000.0
        #expect((first - (all.first ?? first)) * metres > 250 && ((all.last ?? last) - last) * metres > 250)
        #expect(some.count > 5 && (last - first) * metres > 500)
        let still = try self.locationctl("record", self.path("still.gpx"), "--for", "0.3s")
        #expect(
            still.status == 1 && still.errors.contains("near the start or the end, so no file was written"),
            "\(still)"
        )
    }

    /// Goal: a place that a recording passed, and where it ends later, is not in its file.
    @Test func anEarlierPassOfTheEndIsRemoved() throws {
        let corners = [49.96, 50.02, 50].map { NMEATrack.Waypoint(latitude: $0, longitude: 8) }
        var road = NMEATrack(waypoints: corners, start: 1_779_008_400)
        road.speed = 50
        let locationd = try self.locationd("--replay", try self.log(of: road), "--replay-speed", "20", "--replay-once")
        defer { locationd.terminate() }
        let recorded = try self.locationctl("record", self.path("a.gpx"), "--for", "10s")
        #expect(recorded.status == 0 && recorded.output.contains(" near the start or the end"), "\(recorded)")
        let points = try GPXDocument(self.bytes("a.gpx")).points
        #expect(points.contains { $0.latitude < 49.997 } && points.contains { $0.latitude > 50.003 })
        #expect(points.allSatisfy { abs($0.latitude - 50) * 111_000 > 240 })
        #expect(!FileManager.default.fileExists(atPath: self.path("a.gpx.part")))
    }

    /// Goal: however a recording ends, by a person or with locationd, its file is complete.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, 0]) func aRecordingEndsWhole(_ signal: Int32) throws {
        let locationd = try self.locationd("--replay", try self.walk(), "--replay-speed", "10")
        defer { locationd.terminate() }
        let recording = try self.child(["record", self.path("a.gpx"), "--whole"])
        let isRecorded = Waiting.until(within: 30) { (try? self.bytes("a.gpx").count).map { $0 > 1000 } ?? false }
        #expect(isRecorded)
        #expect(try GPXDocument(self.bytes("a.gpx")).points.count > 1, "it is whole at any time")
        if signal == 0 { locationd.terminate() } else { kill(recording.pid, signal) }
        let ended = try recording.waitForEnd(within: 10)
        #expect(ended.status == (signal == 0 ? 1 : 0) && ended.output.contains("positions in"))
        #expect(String(decoding: try self.bytes("a.gpx"), as: UTF8.self).hasSuffix(GPXWriter.footer))
    }

    /// Goal: a message says if the recording contains nothing after the ends were removed.
    @Test func aRecordingThatIsRemovedIsNoSuccess() throws {
        let locationd = try self.locationd("--replay", try self.walk(), "--replay-speed", "10")
        defer { locationd.terminate() }
        let recording = try self.child(["record", self.path("a.gpx"), "--whole"])
        let isRecorded = Waiting.until(within: 30) { (try? self.bytes("a.gpx").count).map { $0 > 1000 } ?? false }
        #expect(isRecorded)
        try FileManager.default.removeItem(atPath: self.path("a.gpx"))
        let ended = try recording.waitForEnd(within: 10)
        let errors = try String(contentsOfFile: self.path("errors.log"), encoding: .utf8)
        #expect(ended.status == 1 && ended.output.isEmpty)
        #expect(errors.contains("was removed during the recording"), "\(errors)")
    }

    /// Goal: with `--raw`, a receiver's bytes are recorded unchanged, from the first complete line on.
    @Test func theBytesOfAReceiverAreRecorded() throws {
        let pipe = self.path("receiver")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let log = try Data(contentsOf: URL(filePath: try self.walk()))
        let locationd = try self.locationd("--nmea", pipe)
        defer { locationd.terminate() }
        let recording = try self.child(["record", self.path("a.nmea"), "--raw"])
        let isOpen = Waiting.until(within: 30) {
            let descriptor = unsafe open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            _ = unsafe log.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, 4000) }
            return Waiting.until(within: 30) {
                // The end of the first write is not a complete line.
                _ = unsafe "\r\n".withCString { unsafe write(descriptor, $0, 2) }
                return (try? self.bytes("a.nmea").count).map { $0 > 3000 } ?? false
            }
        }
        #expect(isOpen)
        kill(recording.pid, SIGINT)
        let ended = try recording.waitForEnd(within: 10)
        #expect(ended.status == 0 && ended.output.contains("lines in"))
        let recorded = try self.bytes("a.nmea")
        #expect(recorded.last == 10 && recorded.first == UInt8(ascii: "$"))
        #expect(try Recording(recorded).epochs.allSatisfy { abs($0.fix.latitude - 53.545) < 0.01 })
    }

    @Test func theRecordingIsPausedAndSpedUp() throws {
        let locationd = try self.locationd("--replay", try self.walk(), "--replay-paused", "--replay-once")
        defer { locationd.terminate() }
        let shown = try self.locationctl("playback")
        #expect(shown.output.hasPrefix("paused at 0 s of NMEA 0183, 601 positions, speed 1.0, once"), "\(shown)")
        let still = try self.locationctl("record", self.path("still.gpx"), "--whole", "--for", "2.5s")
        let points = try GPXDocument(self.bytes("still.gpx")).points
        #expect(still.status == 0 && Set(points.map(\.latitude)).count == 1 && points.count >= 2)
        #expect(try self.locationctl("playback", "--resume", "--speed", "1000").output.contains("speed 1000.0"))
        let isOver = try Waiting.until(within: 30) {
            try self.locationctl("playback").output.hasPrefix("over at 600 s ")
        }
        #expect(isOver)
    }

    @Test func wrongWordsAreSaid() throws {
        #expect(try self.locationctl("playback", "--speed", "0").status == 64)
        #expect(try self.locationctl("playback", "--pause", "--resume").status == 64)
        #expect(try self.locationctl("record").status == 64)
        #expect(try self.locationctl("record", "").errors.contains("the file is missing"))
        #expect(try self.locationctl("record", "-").errors.contains("not a stream"))
        #expect(
            try self.locationctl("record", self.path("x"), "--source", "1").errors.contains("works only with --raw")
        )
        for time in ["0s", "101d", "2", "", "s"] {
            #expect(try self.locationctl("record", self.path("x"), "--for", time).errors.contains("from 0.1s to 100d"))
        }
        let alone = try self.locationctl("record", self.path("x"))
        #expect(alone.status == 1 && alone.errors.contains("is locationd running?"), "\(alone)")
        #expect(try self.locationctl("record", self.path("none/x")).errors.contains("cannot be made"))
        let locationd = try self.locationd("--gpsd", self.path("gpsd.sock"))
        defer { locationd.terminate() }
        let silent = try self.locationctl("record", self.path("x"), "--for", "0.2s")
        #expect(silent.status == 1 && silent.errors.contains("sent nothing, so no file was written"), "\(silent)")
        let second = try self.locationctl("record", self.path("x"), "--raw", "--source", "2")
        #expect(second.status == 1 && second.errors.contains("there is no source 2; there are 1: gpsd at"), "\(second)")
        #expect(try self.locationctl("playback").errors.contains("plays no recording"))
        #expect(!FileManager.default.fileExists(atPath: self.path("x")))
    }
}
