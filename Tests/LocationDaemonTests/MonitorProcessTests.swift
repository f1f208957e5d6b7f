internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages

/// Goal: an app that watches a circle with two APIs, and whose processes are killed, receives each crossing exactly
/// once.
@Suite(.offPool, .timeLimit(.minutes(4))) struct MonitorProcessTests {
    private let scratch: Scratch
    private let binaries: Binaries

    init() throws {
        self.scratch = try Scratch()
        self.binaries = try Binaries()
    }

    /// A receiver that enters and leaves the app's circle repeatedly, as long as the test runs.
    private func record() throws -> String {
        var track = NMEATrack(
            waypoints: [
                NMEATrack.Waypoint(latitude: 53.5, longitude: -9.503),
                NMEATrack.Waypoint(latitude: 53.5, longitude: -9.497),
            ],
            start: Date.now.timeIntervalSince1970.rounded(.down)
        )
        track.speed = 30
        track.duration = 600
        track.noise = 1
        let path = self.scratch.path + "/crossings.nmea"
        try Data(track.log().utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func start(_ log: String) throws -> Child { try self.scratch.startLocationd(["--replay", log]) }

    private func ask(_ request: WireControlRequest) throws -> WireControlReply {
        let reply = try ControlCall.reply(to: request, in: self.scratch.path + "/run")
        try #require(reply.failure.message.isEmpty, "\(reply.failure.message)")
        return reply
    }

    private func install() throws {
        let bundle = try self.scratch.makeBundle()
        try FileManager.default.removeItem(atPath: bundle + "/Test")
        try FileManager.default.copyItem(atPath: self.binaries.path("ProbeMonitor"), toPath: bundle + "/Test")
        _ = try self.ask(.with { $0.install = .with { $0.path = bundle } })
        _ = try self.ask(
            .with {
                $0.settings = .with {
                    $0.bundle = DaemonRig.bundle.rawValue
                    $0.location = .always
                }
            }
        )
        _ = try self.ask(.with { $0.run = .with { $0.bundle = DaemonRig.bundle.rawValue } })
    }

    /// The lines that the app wrote, for each API.
    private var notes: [[String]] {
        ["conditions", "regions"].map { log in
            let path = self.scratch.path + "/state/containers/\(DaemonRig.bundle)/\(log).log"
            return ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
        }
    }

    /// Waits until both APIs have reported the crossing, in the lines after the counted ones.
    private func waitForNote(_ note: String, since: [Int] = [0, 0]) throws {
        let isThere = Waiting.until(within: 60) {
            zip(self.notes, since).allSatisfy { $0.dropFirst($1).contains(note) }
        }
        try #require(isThere, "after \(self.notes) nothing came")
    }

    /// Entering and leaving alternate: nothing is missing, and nothing is reported twice to one process.
    ///
    /// A process that died before it asked for the next event has not handled its last one, so the next process
    /// receives that again.
    private func expectTurns(_ notes: [String]) {
        var last: String?
        var isFirst = true
        for note in notes {
            if note == "launched" {
                isFirst = true
            } else {
                #expect(note != last || isFirst, "\(notes)")
                (last, isFirst) = (note, false)
            }
        }
    }

    private func killApp() throws {
        let app = try #require(try self.ask(.with { $0.status = .init() }).status.apps.first)
        kill(app.pid, SIGKILL)
    }

    @Test func crossingsAreToldOnceWhoeverIsKilled() throws {
        let log = try self.record()
        var child = try self.start(log)
        try self.install()
        try self.waitForNote("entered")
        #expect(self.notes.allSatisfy { $0.prefix(2) == ["launched", "entered"] })
        // The app dies inside the circle, and is launched for the next crossing.
        try self.killApp()
        try self.waitForNote("left")
        // locationd's process dies outside; the receiver starts its route again, outside.
        child.kill()
        _ = try child.waitForEnd(within: 20)
        let before = self.notes.map(\.count)
        child = try self.start(log)
        try self.waitForNote("entered", since: before)
        self.notes.forEach(self.expectTurns)
        child.terminate()
    }
}
