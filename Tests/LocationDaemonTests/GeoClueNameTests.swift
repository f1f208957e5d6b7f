internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages

/// Tests for GeoClue's name on a real bus: programs that do not know locationd become its apps.
@Suite(
    .offPool,
    .timeLimit(.minutes(2)),
    .enabled(if: SystemBus.isThere, "skipped: dbus, python3-dbus or python3-gi is not installed")
)
struct GeoClueNameTests {
    private let bus: SystemBus
    private let binaries: Binaries
    private var runtime: String { self.bus.scratch.path + "/run" }

    init() throws {
        self.bus = try SystemBus()
        self.binaries = try Binaries()
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: 1_779_008_400)
        track.duration = 600
        try Data(track.log().utf8).write(to: URL(filePath: self.bus.scratch.path + "/walk.nmea"))
    }

    private func locationd() throws -> Child {
        let child = try self.bus.program(
            self.binaries.path("locationd"),
            [
                "--state", self.bus.scratch.path + "/state", "--runtime", self.runtime, "--cgroup", "none",
                "--replay", self.bus.scratch.path + "/walk.nmea",
            ]
        )
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        return child
    }

    private func broker() throws -> Child {
        let child = try self.bus.program(self.binaries.path("locationd-geoclue"), ["--runtime", self.runtime])
        _ = try child.waitForLine(within: 30) { $0 == "listening org.freedesktop.GeoClue2" }
        return child
    }

    private func set(_ bundle: String, _ location: WireAppSettings.Location) throws {
        let reply = try ControlCall.reply(
            to: .with {
                $0.settings.bundle = bundle
                $0.settings.location = location
            },
            in: self.runtime
        )
        #expect(reply.failure.message == "")
    }

    /// Waits until a program receives something that begins with this text; skips everything before.
    @discardableResult
    private func hears(_ program: Child, _ beginning: String) throws -> String {
        try program.waitForLine(within: 30) { $0.hasPrefix(beginning) }
    }

    /// The accuracy in a program's line about a position, in metres.
    private func accuracy(_ line: String) -> Double {
        let words = line.split(separator: " ")
        return words.count == 5 ? Double(words[3]) ?? 0 : 0
    }

    /// Goal: a program gets what the person decided, without a second prompt.
    ///
    /// It is served when the decision changes, and only as long.
    @Test func aProgramIsRefusedAndServedAsThePersonSays() throws {
        let (locationd, broker) = (try self.locationd(), try self.broker())
        let agent = try TestAgent(runtime: self.runtime)
        let program = try self.bus.script("geoclue_client.py", "weather", "8")
        let prompt = try agent.waitForPrompt()
        #expect(prompt.bundle.hasPrefix("geoclue.claimed.weather."))
        #expect(prompt.appName.hasPrefix("weather (claimed by python3"), "\(prompt.appName)")
        try agent.answer(prompt.id, .dontAllow)
        #expect(try self.hears(program, "refused") == "refused org.freedesktop.DBus.Error.AccessDenied")
        kill(program.pid, SIGUSR1)
        try self.hears(program, "refused")

        try self.set(prompt.bundle, .whileUsing)
        kill(program.pid, SIGUSR1)
        try self.hears(program, "started")
        try self.hears(program, "active")
        #expect(self.accuracy(try self.hears(program, "position 53.54")) < 100)
        try self.set(prompt.bundle, .never)
        try self.hears(program, "inactive")

        // No prompt appeared again, and nothing keeps running for a program that ended.
        program.terminate()
        let isGone = try Waiting.until(within: 30) {
            try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status.apps.allSatisfy {
                $0.process == "not running" && $0.streams == 0
            }
        }
        #expect(isGone)
        let log = try ControlCall.reply(to: .with { $0.log.last = 100 }, in: self.runtime).log.lines
        #expect(log.count { $0.text.hasPrefix("A person is asked") } == 1)
        self.bus.terminate(broker, locationd)
    }

    @Test func aProgramThatAsksForACityIsNotToldTheStreet() throws {
        let (locationd, broker) = (try self.locationd(), try self.broker())
        let agent = try TestAgent(runtime: self.runtime)
        let program = try self.bus.script("geoclue_client.py", "weather", "4")
        try agent.answer(try agent.waitForPrompt().id, .allowWhileUsing)
        #expect(self.accuracy(try self.hears(program, "position")) >= 1000)
        self.bus.terminate(program, broker, locationd)
    }

    /// Goal: an app that is uninstalled while its program runs is installed again only when the program asks again.
    @Test func aRemovedAppIsAskedAboutWithTheNextStart() throws {
        let (locationd, broker) = (try self.locationd(), try self.broker())
        let agent = try TestAgent(runtime: self.runtime)
        let program = try self.bus.script("geoclue_client.py", "weather", "8")
        let prompt = try agent.waitForPrompt()
        try agent.answer(prompt.id, .allowWhileUsing)
        try self.hears(program, "position")
        let reply = try ControlCall.reply(to: .with { $0.uninstall.bundle = prompt.bundle }, in: self.runtime)
        #expect(reply.failure.message == "")
        try self.hears(program, "inactive")
        #expect(try ControlCall.reply(to: .with { $0.settings = .init() }, in: self.runtime).settings.apps.isEmpty)
        kill(program.pid, SIGUSR1)
        try agent.answer(try agent.waitForPrompt().id, .allowWhileUsing)
        try self.hears(program, "position")
        self.bus.terminate(program, broker, locationd)
    }

    @Test func aLocationdThatIsStartedAnewServesOn() throws {
        let (locationd, broker) = (try self.locationd(), try self.broker())
        let agent = try TestAgent(runtime: self.runtime)
        let program = try self.bus.script("geoclue_client.py", "weather", "8")
        try agent.answer(try agent.waitForPrompt().id, .allowWhileUsing)
        try self.hears(program, "position")
        locationd.kill()
        let next = try self.locationd()
        let before = try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status.apps.count
        #expect(before == 1)
        // Skip the updates from before the end.
        let isServed = try Waiting.until(within: 30) {
            try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status.apps.first?.streams == 1
        }
        #expect(isServed)
        try self.hears(program, "position")
        kill(program.pid, SIGUSR2)
        try self.hears(program, "inactive")
        self.bus.terminate(program, broker, next)
    }

    /// Goal: a sandboxed app has the sandbox's identity, whatever it claims, and the agent of the person's desktop
    /// shows the prompt.
    @Test(.enabled(if: SystemBus.hasSandboxes, "skipped: bubblewrap is not installed, or makes no sandboxes here"))
    func anAppInASandboxIsKnownAndItsDesktopAnswers() throws {
        let (locationd, broker) = (try self.locationd(), try self.broker())
        let agent = try self.bus.script("geoclue_agent.py", "4")
        try self.hears(agent, "ready")
        let program = try self.bus.script("geoclue_client.py", "firefox", "8", sandboxOf: "org.example.Maps")
        #expect(try self.hears(agent, "asked") == "asked about org.example.Maps at 8")
        #expect(self.accuracy(try self.hears(program, "position")) >= 1000)
        let apps = try ControlCall.reply(to: .with { $0.settings = .init() }, in: self.runtime).settings.apps
        #expect(apps.map(\.bundle) == ["geoclue.flatpak.org.example.Maps"] && apps.map(\.precise) == [false])
        // In the sandbox, no agent can answer for people.
        let other = try self.bus.script("geoclue_agent.py", "8", sandboxOf: "org.example.Maps")
        #expect(try other.waitForEnd(within: 30).status == 1)
        self.bus.terminate(program, agent, broker, locationd)
    }

    /// Goal: the broker's log says once that locationd is unreachable, with the remedy, and once that it is back.
    @Test func theBrokerSaysThatLocationdIsAwayAndBack() throws {
        let broker = try self.broker()
        #expect(self.bus.isSaid(["locationd cannot be reached", self.runtime]))
        let locationd = try self.locationd()
        #expect(self.bus.isSaid(["connected to locationd again"]))
        locationd.terminate()
        #expect(Waiting.until(within: 30) { self.bus.timesSaid("locationd cannot be reached") == 2 })
        #expect(self.bus.timesSaid("connected to locationd again") == 1)
        self.bus.terminate(broker)
    }

    /// Goal: calls outside of GeoClue's interface are refused and have no effect.
    @Test func callsWithOtherArgumentsAreRefused() throws {
        let broker = try self.broker()
        let words = try self.bus.script("geoclue_calls.py").waitForEnd(within: 30).output.split(separator: "\n")
        #expect(
            words == [
                "CreateClient s org.freedesktop.DBus.Error.InvalidArgs",
                "DeleteClient os org.freedesktop.DBus.Error.InvalidArgs",
                "DeleteClient s org.freedesktop.DBus.Error.InvalidArgs",
                "Get s org.freedesktop.DBus.Error.InvalidArgs",
                "Set ssvs org.freedesktop.DBus.Error.InvalidArgs",
                "Set ssv(ay) org.freedesktop.DBus.Error.InvalidArgs",
                "Set ssv(99) org.freedesktop.DBus.Error.InvalidArgs",
                "Dance - org.freedesktop.DBus.Error.UnknownMethod",
                "Set ssv(8) fine",
            ]
        )
        self.bus.terminate(broker)
    }

    private static let whereAmI = "/usr/libexec/geoclue-2.0/demos/where-am-i"
    private static let firefox = "/usr/bin/firefox-esr"
    private static let portal = "/usr/libexec/xdg-desktop-portal"
    private static let qt = "/usr/lib/python3/dist-packages/PyQt5/QtPositioning.abi3.so"

    private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Goal: unmodified programs, which do not know locationd, are served as their person decides.
    private func isServed(_ start: () throws -> Child, hearing beginning: String) throws {
        let (locationd, broker) = (try self.locationd(), try self.broker())
        let agent = try TestAgent(runtime: self.runtime)
        let program = try start()
        let prompt = try agent.waitForPrompt()
        #expect(prompt.appName.contains(" (claimed by "), "\(prompt.appName)")
        try agent.answer(prompt.id, .allowOnce)
        try self.hears(program, beginning)
        program.terminate()
        self.bus.terminate(broker, locationd)
    }

    @Test(.enabled(if: Self.isThere(Self.whereAmI), "skipped: geoclue-2-demo is not installed"))
    func geoCluesOwnProgramIsServed() throws {
        try self.isServed({ try self.bus.program(Self.whereAmI, ["-t", "60"]) }, hearing: "Latitude:    53.54")
    }

    @Test(.enabled(if: Self.isThere(Self.firefox), "skipped: firefox-esr is not installed"))
    func firefoxIsServed() throws {
        try self.isServed({ try self.bus.script("geoclue_firefox.py") }, hearing: "position 53.54")
    }

    @Test(.enabled(if: Self.isThere(Self.qt), "skipped: python3-pyqt5.qtpositioning is not installed"))
    func qtIsServed() throws {
        try self.isServed({ try self.bus.script("geoclue_qt.py") }, hearing: "position 53.54")
    }

    /// Goal: the portal, which asks for sandboxed apps, counts as one app.
    @Test(.enabled(if: Self.isThere(Self.portal), "skipped: xdg-desktop-portal is not installed"))
    func thePortalIsServed() throws {
        let folder = self.bus.scratch.path + "/portal"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try self.isServed({ try self.bus.script("geoclue_portal.py", folder) }, hearing: "position 53.54")
    }
}
