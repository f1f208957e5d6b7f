internal import Foundation
internal import Rig

/// A private system bus for a test, with services of published interfaces and with our examples.
struct SystemBus {
    /// Whether all required programs are installed.
    static let isThere =
        [
            "/usr/bin/dbus-daemon", Self.python, "/usr/lib/python3/dist-packages/dbus",
            "/usr/lib/python3/dist-packages/gi",
        ]
        .allSatisfy(FileManager.default.fileExists)
    private static let python = "/usr/bin/python3"
    private static let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    let scratch: Scratch
    private let bus: Child
    private let environment: [String: String]

    init() throws {
        self.scratch = try Scratch()
        self.bus = try Child(
            "dbus-daemon",
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--print-address=1"],
            log: self.scratch.path + "/bus.log"
        )
        self.environment = ["DBUS_SYSTEM_BUS_ADDRESS": try self.bus.waitForLine(within: 30) { _ in true }]
    }

    /// Starts the services of a script in this folder.
    func services(_ script: String, _ arguments: String...) throws -> Child {
        let path = Self.tree.appending(path: "Tests/LocationDaemonTests/SystemBus/\(script)").path
        let services = try Child(
            script,
            Self.python,
            [path] + arguments,
            environment: self.environment,
            log: self.scratch.path + "/services.log"
        )
        _ = try services.waitForLine(within: 30) { $0 == "ready" }
        return services
    }

    /// Starts an example; its state is in the test's folder.
    func example(_ name: String, _ arguments: String...) throws -> Child {
        let path = Self.tree.appending(path: "Examples/\(name)").path
        let environment = self.environment.merging(["XDG_STATE_HOME": self.scratch.path]) { $1 }
        return try Child(name, Self.python, [path] + arguments, environment: environment, log: self.log)
    }

    /// Starts a program; its standard error goes to the examples' file.
    func program(_ executable: String, _ arguments: [String]) throws -> Child {
        let name = URL(filePath: executable).lastPathComponent
        return try Child(name, executable, arguments, environment: self.environment, log: self.log)
    }

    /// Starts a script in this folder, in a sandbox like Flatpak's, or without one.
    func script(_ name: String, _ arguments: String..., sandboxOf app: String? = nil) throws -> Child {
        let path = Self.tree.appending(path: "Tests/LocationDaemonTests/SystemBus/\(name)").path
        guard let app else { return try self.program(Self.python, [path] + arguments) }
        let info = self.scratch.path + "/flatpak-info"
        try Data("[Application]\nname=\(app)\n".utf8).write(to: URL(filePath: info))
        return try self.program(Self.bubblewrap, Self.sandbox(info) + [Self.python, path] + arguments)
    }

    static let geoClue = "/usr/libexec/geoclue"

    /// Starts the real GeoClue, which reads NMEA 0183 at a socket and has no network sources.
    func geoClue(reading socket: String) throws -> Child {
        let configuration = self.scratch.path + "/geoclue.conf"
        let off = ["3g", "cdma", "modem-gps", "wifi", "compass", "static-source"].map { "[\($0)]\nenable=false\n" }
        let text =
            "[agent]\nwhitelist=test-agent\n[network-nmea]\nenable=true\nnmea-socket=\(socket)\n" + off.joined()
            + "[weather]\nallowed=true\nsystem=false\nusers=\n"
        try Data(text.utf8).write(to: URL(filePath: configuration))
        let sandbox = [
            "--dev-bind", "/", "/", "--unshare-net", "--ro-bind", configuration, "/etc/geoclue/geoclue.conf",
        ]
        return try self.program(Self.bubblewrap, sandbox + [Self.geoClue])
    }

    private static let bubblewrap = "/usr/bin/bwrap"

    /// The root directory of a Flatpak sandbox, with the file that names the app.
    private static func sandbox(_ info: String) -> [String] {
        ["/usr", "/etc", "/lib", "/lib64", "/bin", Self.tree.path].flatMap { ["--ro-bind-try", $0, $0] }
            + ["--proc", "/proc", "--dev", "/dev", "--bind", "/tmp", "/tmp", "--ro-bind", info, "/.flatpak-info"]
    }

    /// Whether sandboxes can be created here.
    static let hasSandboxes: Bool = {
        guard let scratch = try? Scratch(), FileManager.default.isExecutableFile(atPath: Self.bubblewrap) else {
            return false
        }
        let arguments = Self.sandbox("/dev/null") + ["/usr/bin/true"]
        let trial = try? Child("bwrap", Self.bubblewrap, arguments, log: scratch.path + "/log")
        return (try? trial?.waitForEnd(within: 30).status) == 0
    }()

    /// The file with the examples' standard error.
    private var log: String { self.scratch.path + "/example.log" }

    /// Whether the examples print all these words within a period.
    func isSaid(_ words: [String]) -> Bool {
        Waiting.until(within: 30) {
            let log = (try? String(contentsOfFile: self.log, encoding: .utf8)) ?? ""
            return words.allSatisfy(log.contains)
        }
    }

    /// How often the programs printed these words.
    func timesSaid(_ words: String) -> Int {
        let log = (try? String(contentsOfFile: self.log, encoding: .utf8)) ?? ""
        return log.components(separatedBy: words).count - 1
    }

    func terminate(_ children: Child...) {
        for child in children + [self.bus] { child.terminate() }
    }
}
