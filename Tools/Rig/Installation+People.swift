internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsJSONReading

/// The people of the story: the app's own, and those who ask.
extension Installation {
    /// Where the app keeps who its person is; the person's command line works on the same files.
    public var sharerProfile: String {
        "\(self.workspace.directory)/state/containers/\(Self.bundle)/.local/share/sharing"
    }

    /// Runs the app in the foreground, grants it Always if it asks, and ends it once it can be asked.
    ///
    /// - Parameter asksPermission: whether it is the first time.
    /// - Throws: ``RigError``.
    public func runAppOnce(asksPermission: Bool = true) throws {
        let shown = self.linesShown
        try self.check(
            self.run(
                "locationctl",
                ["run", Self.bundle, "--", "--server", self.server, "--trust-roots", self.workspace.authorityPath]
            ),
            "locationctl run"
        )
        let screen = try self.watchScreen(after: shown)
        defer { self.end(screen) }
        if asksPermission {
            _ = try screen.waitForLine(within: 20) { $0.contains("waiting for your permission") }
            try self.check(self.run("locationctl", ["authorize", Self.bundle, "always"]), "locationctl authorize")
        }
        _ = try screen.waitForLine(within: 40) { $0.contains("your friends can ask") }
        try self.check(self.run("locationctl", ["terminate", Self.bundle]), "locationctl terminate")
    }

    /// The file that has all that the app showed.
    private var screen: String { "\(self.workspace.directory)/state/output/\(Self.bundle).log" }

    /// The number of lines that the app has shown so far.
    private var linesShown: Int {
        FileManager.default.contents(atPath: self.screen)?.count { $0 == UInt8(ascii: "\n") } ?? 0
    }

    /// Shows what the app shows from a line on.
    private func watchScreen(after lines: Int) throws -> Child {
        try self.start("screen", "/usr/bin/tail", ["-n", "+\(lines + 1)", "-F", self.screen])
    }

    /// Starts the app, or brings it to the foreground, and waits until it shows a line.
    ///
    /// - Parameters:
    ///   - options: options of `locationctl run`.
    ///   - words: a part of the line.
    /// - Throws: ``RigError``.
    public func runApp(_ options: String..., until words: String) throws {
        let screen = try self.watchScreen(after: self.linesShown)
        defer { self.end(screen) }
        try self.check(self.run("locationctl", ["run", Self.bundle] + options), "locationctl run")
        _ = try screen.waitForLine(within: 40) { $0.contains(words) }
    }

    /// Has an agent show a person what the device tells them; it waits for no input.
    public func beginAgent() throws -> Child {
        let input = "\(self.workspace.directory)/agent.in"
        guard unsafe mkfifo(input, 0o600) == 0 else { throw RigError("the agent", "cannot make \(input)") }
        let command = "exec '\(self.binaries.path("locationctl"))' agent 0<>'\(input)'"
        return try self.start("agent", "/bin/bash", ["-c", command])
    }

    /// Starts a command that shows a page in a browser.
    ///
    /// - Returns: the address that opens it once.
    /// - Throws: ``RigError``.
    public func beginWeb(_ name: String, options: [String] = []) throws -> String {
        let child = try self.start("\(name) web", self.binaries.path(name), ["web"] + options, log: "web")
        return try child.waitForLine(within: 20) { $0.hasPrefix("http://127.0.0.1:") }
    }

    /// The findings of `locationctl doctor`.
    public func doctor() throws -> String { try self.run("locationctl", ["doctor"]).output }

    /// Waits until the sharing server has the sharer's one device in a state.
    ///
    /// - Throws: ``RigError`` when it has not in time.
    public func waitForDevice(_ state: String, within seconds: Int64 = 20) throws {
        let end = clinux_boottime() + seconds * 1_000_000_000
        while true {
            let devices = try self.run("whereabouts", ["devices", "--profile", self.sharerProfile])
            if devices.output.contains(state) { return }
            guard clinux_boottime() < end else { throw RigError("whereabouts devices", devices.output) }
            _ = poll(nil, 0, 100)
        }
    }

    /// Takes Always back while the app is not running, and waits until it has told its server.
    public func takeAlwaysBack() throws {
        let shown = self.linesShown
        try self.check(self.run("locationctl", ["authorize", Self.bundle, "never"]), "locationctl authorize")
        let screen = try self.watchScreen(after: shown)
        defer { self.end(screen) }
        _ = try screen.waitForLine(within: 20) { $0.contains("sharing is paused") }
    }

    /// Makes a person who asks.
    public func makeRequester(_ name: String) throws -> RequesterFiles {
        let profile = "\(self.workspace.directory)/\(name)"
        let made = try self.run(
            "whereabouts",
            [
                "identity", "create", "--profile", profile, "--server", self.server, "--trust-roots",
                self.workspace.authorityPath, "--json",
            ]
        )
        try self.check(made, "whereabouts identity")
        struct Shown: Decodable { var id: String }
        guard let shown = try? JSONReader().decode(Shown.self, from: Data(made.output.utf8)) else {
            throw RigError("whereabouts identity", "it printed no id: \(made.output)")
        }
        return RequesterFiles(profile: profile, id: shown.id, grant: "\(profile).grant")
    }

    /// Has the sharer approve a requester; an earlier grant's file makes room for the new one.
    public func approve(_ requester: RequesterFiles, options: [String] = []) throws {
        try? FileManager.default.removeItem(atPath: requester.grant)
        try self.check(
            self.run(
                "whereabouts",
                ["approve", requester.id, "--profile", self.sharerProfile, "--for", "1d", "--out", requester.grant]
                    + options
            ),
            "whereabouts approve"
        )
    }

    /// Has the sharer take the requester's grant back.
    public func revoke(_ requester: RequesterFiles) throws {
        try self.check(
            self.run("whereabouts", ["revoke", requester.grant, "--profile", self.sharerProfile]),
            "whereabouts revoke"
        )
    }

    /// Has the sharer make a link, and returns its address with the key.
    public func makeLink(named name: String, options: [String]) throws -> String {
        let made = try self.run(
            "whereabouts",
            ["link", "--profile", self.sharerProfile, "--name", name, "--json"] + options
        )
        try self.check(made, "whereabouts link")
        struct Shown: Decodable { var link: String }
        return try JSONReader().decode(Shown.self, from: Data(made.output.utf8)).link
    }

    /// Compares the page that opens links with that of the command line.
    public func verifyViewer() throws -> Child.Ended {
        try self.run("whereabouts", ["verify-viewer", self.server, "--trust-roots", self.workspace.authorityPath])
    }

    /// Has the sharer end a link.
    public func revokeLink(_ name: String) throws {
        try self.check(
            self.run("whereabouts", ["revoke", name, "--profile", self.sharerProfile]),
            "whereabouts revoke"
        )
    }

    /// Asks where the sharer is, as a requester; `grant` is another's in the stranger's case.
    public func ask(_ requester: RequesterFiles, grant: String? = nil, options: [String] = []) throws -> Child.Ended {
        try self.run(
            "whereabouts",
            ["ask", "--profile", requester.profile, "--grant", grant ?? requester.grant] + options
        )
    }

    /// Begins to ask, and does not wait for the end.
    public func beginAsking(_ requester: RequesterFiles) throws -> Child {
        try self.start(
            "whereabouts ask",
            self.binaries.path("whereabouts"),
            ["ask", "--profile", requester.profile, "--grant", requester.grant],
            log: "commands"
        )
    }

    /// Begins to follow, and does not wait for the end.
    public func beginFollowing(_ requester: RequesterFiles, options: [String] = []) throws -> Child {
        try self.start(
            "whereabouts follow",
            self.binaries.path("whereabouts"),
            ["follow", "--profile", requester.profile, "--grant", requester.grant] + options,
            log: "commands"
        )
    }

    /// Asks the sharer's side who follows, or ends it.
    public func followers(options: [String] = []) throws -> Child.Ended {
        try self.run("whereabouts", ["followers", "--profile", self.sharerProfile] + options)
    }

    /// Asks a person's side for their schedules, fetches their answers, or ends them; the sharer's side without a person.
    public func schedules(of requester: RequesterFiles? = nil, options: [String] = []) throws -> Child.Ended {
        try self.run("whereabouts", ["schedules", "--profile", requester?.profile ?? self.sharerProfile] + options)
    }

    /// The lines of locationd's log of this device, as JSON objects.
    public func deviceEvents() throws -> [String] {
        let ended = try self.run("locationctl", ["log", "--json", "--lines", "250"])
        try self.check(ended, "locationctl log")
        struct Line: Decodable { var event: String }
        return try ended.output.split(separator: "\n").map {
            try JSONReader().decode(Line.self, from: Data($0.utf8)).event
        }
    }

    /// Waits until locationd's log has an event as often as expected; a requester has its answer before the extension has
    /// said that it is done.
    ///
    /// - Throws: ``RigError`` when it has not in time, or has it more often.
    public func waitForEvents(_ event: String, count: Int, within seconds: Int64 = 20) throws {
        let end = clinux_boottime() + seconds * 1_000_000_000
        while true {
            let found = try self.deviceEvents().count { $0 == event }
            if found == count { return }
            guard found < count, clinux_boottime() < end else {
                throw RigError(event, "it is in the log \(found) times, not \(count), after \(seconds) s")
            }
            _ = poll(nil, 0, 100)
        }
    }
}
