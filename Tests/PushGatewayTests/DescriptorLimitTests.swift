internal import Foundation
internal import Rig
internal import Testing

/// Tests for server processes with a low limit of open files.
@Suite(.timeLimit(.minutes(1))) struct DescriptorLimitTests {
    /// Goal: a limit that is too low causes an error with the limit, the rule and the remedy, instead of a crash of the
    /// event loop.
    @Test(arguments: ["gateway", "server"]) func tooFewDescriptorsAreAnError(_ command: String) throws {
        let rig = try RelayRig()
        try rig.writeKeys()
        let vendor = rig.vendor
        let files = "--certificate \(vendor.path("tls.pem")) --private-key \(vendor.path("tls.key"))"
        let options =
            command == "gateway"
            ? "--key \(GatewayRig.teamID):\(GatewayRig.keyID):\(vendor.path("key.p8"))"
            : "--address 127.0.0.1:0 --apns-endpoint localhost:1 --apns-key \(vendor.path("key.p8")) --apns-key-id KEYKEYKEY1 --apns-team-id TEAMTEAM01"
        let script =
            "ulimit -n 20; exec \(try Binaries().path("whereabouts")) \(command) \(files) "
            + "--database \(vendor.path("few.sqlite")) \(options)"
        let child = try Child("sh", "/bin/sh", ["-c", script], log: vendor.path("log"))
        let ended = try child.waitForEnd(within: 30)
        let log = try String(contentsOfFile: vendor.path("log"), encoding: .utf8)
        #expect(
            ended.status == 1 && log.contains("may open 20 files and connections") && log.contains("ulimit -n"),
            "\(log)"
        )
    }

    private static let strangers = """
        import signal, socket, sys
        held = []
        for number in range(200):
            for port in sys.argv[1:]:
                held.append(socket.create_connection(("127.0.0.1", int(port)), 20, (f"127.0.0.{10 + number % 32}", 0)))
        print("connected", flush=True)
        signal.alarm(60)
        signal.pause()
        """

    /// Goal: attackers who occupy the gateway part of `whereabouts serve` leave the sharing server its share of the
    /// descriptors.
    ///
    /// Method: 200 connections from 32 addresses to each port of a process with 300 descriptors, and a client from
    /// another address.
    @Test func twoServersOfOneProcessShareItsDescriptors() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "share-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: place) }
        let (program, log) = (try Binaries().path("whereabouts"), place + ".log")
        defer { try? FileManager.default.removeItem(atPath: log) }
        #expect(try Child("init", program, ["init", place], log: log).waitForEnd(within: 30).status == 0)
        let file = URL(filePath: place + "/whereabouts.toml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing(/address = "127.0.0.1:[0-9]+"/, with: "address = \"127.0.0.1:0\"").utf8).write(to: file)
        let server = try Child("serve", "/bin/sh", ["-c", "ulimit -n 300; exec \(program) serve \(place)"], log: log)
        defer { server.kill() }
        var ports: [String: Int] = [:]
        for _ in 0..<2 {
            let line = try server.waitForLine(within: 20) { $0.hasPrefix("listening ") }
            for match in line.matches(of: /(\w+)=127\.0\.0\.1:([0-9]+)/) {
                ports[String(match.output.1)] = Int(match.output.2)
            }
        }
        let (device, https) = (try #require(ports["device"]), try #require(ports["https"]))
        // The connections need as many descriptors, which the other tests of this process would lack.
        let script = ["-c", Self.strangers, "\(device)", "\(https)"]
        let strangers = try Child("strangers", "/usr/bin/python3", script, log: log)
        defer { strangers.kill() }
        _ = try strangers.waitForLine(within: 60) { $0 == "connected" }
        let arguments = [
            "--silent", "--max-time", "5", "--cacert", place + "/ca.pem", "https://localhost:\(https)/see",
        ]
        for _ in 0..<5 {
            #expect(try Child("curl", "/usr/bin/curl", arguments, log: log).waitForEnd(within: 10).status == 0)
        }
        let said = try String(contentsOfFile: log, encoding: .utf8)
        #expect(said.matches(of: /too few file descriptors/).count == 2, "\(said)")
    }
}
