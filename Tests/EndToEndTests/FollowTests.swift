internal import Foundation
internal import Glibc
internal import Rig
internal import Testing

/// Tests live sharing with the real programs: one push starts it, the app continues it, the follower receives each
/// move, and the person ends it.
@Suite(.serialized, .timeLimit(.minutes(4))) struct FollowTests {
    private static let python = "/usr/bin/python3"
    private static let hasPython = FileManager.default.isExecutableFile(atPath: Self.python)

    /// Accepts positions in OwnTracks' format, and prints each.
    private static let receiver = """
        import http.server
        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                print(self.rfile.read(int(self.headers['content-length'])).decode(), flush=True)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'[]')
            def log_message(self, *words): pass
        server = http.server.HTTPServer(('127.0.0.1', 0), Receiver)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    private struct Event: Decodable {
        struct Position: Decodable { var latitude: Double }
        var event: String?
        var position: Position?
        var end: String?
    }

    private func event(_ line: String) -> Event? { try? JSONDecoder().decode(Event.self, from: Data(line.utf8)) }

    @Test(.enabled(if: Self.hasPython, "skipped: there is no python3 to be the receiver"))
    func whoFollowsSeesEachMoveUntilThePersonEndsIt() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob, options: ["--follow", "1h"])
            let receiver = try Child("receiver", Self.python, ["-c", Self.receiver], log: "/dev/null")
            defer { receiver.kill() }
            let port = try receiver.waitForLine(within: 20) { Int($0) != nil }
            let track = "\(installation.workspace.directory)/bob.gpx"
            let following = try installation.beginFollowing(
                bob,
                options: [
                    "--for", "10m", "--json", "--gpx", track, "--to", "owntracks-http", "http://127.0.0.1:\(port)/pub",
                    // No process listens there.
                    "owntracks-http", "http://carol:hidden1@127.0.0.1:1/pub?key=hidden2",
                ]
            )
            // The device walks, so the app sends two updates with different places.
            let first = try following.waitForLine(within: 60) { self.event($0)?.event == "moving" }
            let second = try following.waitForLine(within: 60) { self.event($0)?.event == "moving" }
            let places = [first, second].map { self.event($0)?.position?.latitude }
            #expect(places[0] != nil && places[0] != places[1])
            #expect(try installation.deviceEvents().count { $0 == "app-launched" } == 1)
            let posted = try receiver.waitForLine(within: 20) { $0.contains("\"_type\":\"location\"") }
            #expect(posted.contains("owntracks/friend/whereabouts"), "\(posted)")

            let shown = try installation.followers(options: ["--json"])
            #expect(shown.output.contains(bob.id), "\(shown.output)")
            let ended = try installation.followers(options: ["--end"])
            #expect(ended.status == 0, "\(ended.output)")
            let end = try following.waitForEnd(within: 30)
            #expect(end.status == 3 && end.output.contains("bySharer"), "\(end.output)")
            #expect(try installation.followers().output.contains("No one follows"))
            let gpx = try String(contentsOfFile: track, encoding: .utf8)
            #expect(gpx.components(separatedBy: "<trkpt ").count > 2 && gpx.hasSuffix("</gpx>\n"))
            // One push, and no position in any log.
            #expect(try installation.deviceEvents().count { $0 == "push-completed" } == 1)
            // The app can outlive locationd, so end it first.
            #expect(try installation.run("locationctl", ["terminate", Installation.bundle]).status == 0)
            #expect(installation.stop() == [])
            let logs = try installation.workspace.everythingLogged()
            let latitude = try #require(places[0])
            #expect(logs.contains("follow: http://127.0.0.1:1/pub accepted no position: nothing listens there; check"))
            for secret in [String("\(latitude)".prefix(6)), bob.id, "hidden1", "hidden2"] {
                #expect(!logs.contains(secret))
            }
        }
    }

    /// Goal: a requester who may only ask once is refused before any push.
    ///
    /// After a follower leaves, the device no longer lists them.
    @Test func whoMayOnlyAskIsRefusedAndWhoStopsIsForgotten() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            let refused = try installation.beginFollowing(bob).waitForEnd(within: 40)
            #expect(refused.status == Installation.refusedStatus, "\(refused.output)")
            #expect(try installation.deviceEvents().count { $0 == "push-received" } == 0)
            try installation.approve(bob, options: ["--follow", "10m"])
            let following = try installation.beginFollowing(bob, options: ["--json"])
            _ = try following.waitForLine(within: 60) { self.event($0)?.event == "moving" }
            #expect(try installation.followers().output.contains("full"))
            Glibc.kill(following.pid, SIGINT)
            let ended = try following.waitForEnd(within: 30)
            #expect(ended.status == 0 && ended.output.contains("byFollower"), "\(ended.output)")
            // The device is notified with its next update, which it sends because it moves.
            let screen = "\(installation.workspace.directory)/state/output/\(Installation.bundle).log"
            let watch = try Child("screen", "/usr/bin/tail", ["-n", "+1", "-F", screen], log: "/dev/null")
            defer { watch.kill() }
            _ = try watch.waitForLine(within: 60) { $0.contains("nobody follows you any more") }
            #expect(try installation.followers().output.contains("No one follows"))
        }
    }
}
