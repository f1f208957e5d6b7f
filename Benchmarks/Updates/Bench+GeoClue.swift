internal import Foundation
internal import Rig

/// The same receiver, read for programs that use `org.freedesktop.GeoClue2` on a bus of their own.
extension Bench {
    private static let geoClue = "/usr/libexec/geoclue"
    private static let python = "/usr/bin/python3"
    private static let agent = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Tests/LocationDaemonTests/SystemBus/geoclue_agent.py").path

    private func startBus(log: String) throws -> (Child, [String: String]) {
        guard let daemon = Binaries.system("dbus-daemon") else {
            throw NotMeasured(reason: "dbus-daemon, for GeoClue, is not installed; apt-get install dbus")
        }
        let bus = try Child("dbus-daemon", daemon, ["--session", "--nofork", "--print-address=1"], log: log)
        return (bus, ["DBUS_SYSTEM_BUS_ADDRESS": try bus.waitForLine(within: 20) { _ in true }])
    }

    private func client(_ environment: [String: String], log: String) -> (Int) throws -> Child {
        let client = self.binaries.path("geoclue-client")
        return { try Child("client \($0)", client, [], environment: environment, log: log) }
    }

    /// GeoClue itself, which reads its socket for NMEA 0183; its configuration has a fixed path, so a sandbox puts another file there.
    func startGeoClue(_ feed: ReceiverFeed, _ socket: String, label: String, log: String) throws -> Servers {
        let modules = "/usr/lib/python3/dist-packages"
        let needed = [Self.geoClue, Self.python, modules + "/dbus", modules + "/gi"]
        guard needed.allSatisfy(FileManager.default.fileExists), let bubblewrap = Binaries.system("bwrap") else {
            throw NotMeasured(
                reason: "GeoClue, the reference, is not installed; "
                    + "apt-get install geoclue-2.0 bubblewrap python3-dbus python3-gi"
            )
        }
        let configuration = self.workspace.directory + "/geoclue.conf"
        let off = ["3g", "cdma", "modem-gps", "wifi", "compass", "static-source"].map { "[\($0)]\nenable=false\n" }
        let text =
            "[agent]\nwhitelist=test-agent\n[network-nmea]\nenable=true\nnmea-socket=\(socket)\n" + off.joined()
            + "[bench]\nallowed=true\nsystem=false\nusers=\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        let (bus, environment) = try self.startBus(log: log)
        let server = try Child(
            "geoclue",
            bubblewrap,
            [
                "--dev-bind", "/", "/", "--unshare-net", "--ro-bind", configuration, "/etc/geoclue/geoclue.conf",
                Self.geoClue,
            ],
            environment: environment,
            log: log
        )
        // GeoClue serves no client without an agent; until GeoClue has its name, agents end at once.
        for _ in 0..<50 {
            let agent = try Child("agent", Self.python, [Self.agent, "8"], environment: environment, log: log)
            guard (try? agent.waitForLine(within: 5) { $0 == "ready" }) != nil else { continue }
            return Servers(
                children: [bus, server, agent],
                processes: [bus.pid, try Self.program(in: server.pid)],
                client: self.client(environment, log: log),
                sent: { feed.sent(latitude: $0[2]) }
            )
        }
        throw RigError("geoclue", "it takes no agent; see \(log)")
    }

    /// The process that a sandbox runs.
    private static func program(in sandbox: Int32) throws -> Int32 {
        let children = try String(contentsOfFile: "/proc/\(sandbox)/task/\(sandbox)/children", encoding: .utf8)
        return children.split(separator: " ").first.flatMap { Int32($0) } ?? sandbox
    }

    func startLocationdGeoClue(_ feed: ReceiverFeed, label: String, log: String) throws -> Servers {
        let (state, runtime) = ("\(self.workspace.directory)/\(label)", "\(self.workspace.directory)/run")
        // There is no agent to ask.
        let rules = "\(self.workspace.directory)/answers.json"
        try Data(#"{"everyApp": {"answer": "while-using"}}"#.utf8).write(to: URL(fileURLWithPath: rules))
        let (bus, environment) = try self.startBus(log: log)
        let locationd = try Child(
            "locationd",
            self.binaries.path("locationd"),
            [
                "--state", state, "--runtime", runtime, "--nmea", "127.0.0.1:\(feed.port)", "--log-level", "warning",
                "--management", rules, "--cgroup", "none",
            ],
            log: log
        )
        _ = try locationd.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        let broker = try Child(
            "locationd-geoclue",
            self.binaries.path("locationd-geoclue"),
            ["--runtime", runtime],
            environment: environment,
            log: log
        )
        _ = try broker.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        return Servers(
            children: [bus, locationd, broker],
            processes: [bus.pid, locationd.pid, broker.pid],
            client: self.client(environment, log: log),
            sent: self.sentByTime(feed)
        )
    }
}
