internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsJSONReading

/// The people: the app's person, and the requesters.
extension Installation {
    /// The app's profile, which the person's command line uses, too.
    public var sharerProfile: String {
        "\(self.workspace.directory)/state/containers/\(Self.bundle)/.local/share/sharing"
    }

    /// Runs the app in the foreground, grants it Always if it asks, and ends it once it can answer requests.
    ///
    /// - Parameter asksPermission: whether the app will ask, as at its first run.
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

    /// The file with the app's output.
    private var screen: String { "\(self.workspace.directory)/state/output/\(Self.bundle).log" }

    /// The number of lines that the app has shown so far.
    private var linesShown: Int {
        FileManager.default.contents(atPath: self.screen)?.count { $0 == UInt8(ascii: "\n") } ?? 0
    }

    /// Follows the app's output after some lines.
    private func watchScreen(after lines: Int) throws -> Child {
        try self.start("screen", "/usr/bin/tail", ["-n", "+\(lines + 1)", "-F", self.screen])
    }

    /// Starts the app, or brings it to the foreground, and waits until it shows a line.
    ///
    /// - Parameters:
    ///   - options: options of `locationctl run`.
    ///   - words: a part of the line to wait for.
    /// - Throws: ``RigError``.
    public func runApp(_ options: String..., until words: String) throws {
        let screen = try self.watchScreen(after: self.linesShown)
        defer { self.end(screen) }
        try self.check(self.run("locationctl", ["run", Self.bundle] + options), "locationctl run")
        _ = try screen.waitForLine(within: 40) { $0.contains(words) }
    }

    /// Starts an agent that shows the device's prompts and indicators, and reads no input.
    public func beginAgent() throws -> Child {
        let input = "\(self.workspace.directory)/agent.in"
        guard unsafe mkfifo(input, 0o600) == 0 else { throw RigError("the agent", "cannot make \(input)") }
        let command = "exec '\(self.binaries.path("locationctl"))' agent 0<>'\(input)'"
        return try self.start("agent", "/bin/bash", ["-c", command])
    }

    /// Starts a command that shows a page in a browser.
    ///
    /// - Returns: the address that opens the page once.
    /// - Throws: ``RigError``.
    public func beginWeb(_ name: String, options: [String] = []) throws -> String {
        let child = try self.start("\(name) web", self.binaries.path(name), ["web"] + options, log: "web")
        return try child.waitForLine(within: 20) { $0.hasPrefix("http://127.0.0.1:") }
    }

    /// The findings of `locationctl doctor`.
    public func doctor() throws -> String { try self.run("locationctl", ["doctor"]).output }

    /// Waits until the sharing server lists the sharer's only device with a state.
    ///
    /// - Throws: ``RigError`` if the state does not appear in time.
    public func waitForDevice(_ state: String, within seconds: Int64 = 20) throws {
        let end = clinux_boottime() + seconds * 1_000_000_000
        while true {
            let devices = try self.run("whereabouts", ["devices", "--profile", self.sharerProfile])
            if devices.output.contains(state) { return }
            guard clinux_boottime() < end else { throw RigError("whereabouts devices", devices.output) }
            _ = poll(nil, 0, 100)
        }
    }

    /// Sets the app to Never while it is not running, and waits until the app shows that sharing is paused.
    public func takeAlwaysBack() throws {
        let shown = self.linesShown
        try self.check(self.run("locationctl", ["authorize", Self.bundle, "never"]), "locationctl authorize")
        let screen = try self.watchScreen(after: shown)
        defer { self.end(screen) }
        _ = try screen.waitForLine(within: 20) { $0.contains("sharing is paused") }
    }

    /// Creates a requester.
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

    /// Has the sharer approve a requester; the new grant replaces an earlier one's file.
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

    /// Has the sharer revoke the requester's grant.
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
            ["link", "--profile", self.sharerProfile, "--name", name, "--own-name", "Alice", "--json"]
                + options
        )
        try self.check(made, "whereabouts link")
        struct Shown: Decodable { var link: String }
        return try JSONReader().decode(Shown.self, from: Data(made.output.utf8)).link
    }

    /// Compares the server's page for links with the command line's copy.
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

    /// Requests the sharer's position, as a requester; a stranger uses another requester's `grant`.
    public func ask(_ requester: RequesterFiles, grant: String? = nil, options: [String] = []) throws -> Child.Ended {
        try self.run(
            "whereabouts",
            ["ask", "--profile", requester.profile, "--grant", grant ?? requester.grant] + options
        )
    }

    /// Starts `whereabouts ask`, and does not wait for its end.
    public func beginAsking(_ requester: RequesterFiles) throws -> Child {
        try self.start(
            "whereabouts ask",
            self.binaries.path("whereabouts"),
            ["ask", "--profile", requester.profile, "--grant", requester.grant],
            log: "commands"
        )
    }

    /// Starts `whereabouts follow`, and does not wait for its end.
    public func beginFollowing(_ requester: RequesterFiles, options: [String] = []) throws -> Child {
        try self.start(
            "whereabouts follow",
            self.binaries.path("whereabouts"),
            ["follow", "--profile", requester.profile, "--grant", requester.grant] + options,
            log: "commands"
        )
    }

    /// Lists the sharer's followers, or ends live shares.
    public func followers(options: [String] = []) throws -> Child.Ended {
        try self.run("whereabouts", ["followers", "--profile", self.sharerProfile] + options)
    }

    /// Lists a requester's schedules, fetches their answers, or ends them; without a requester, the sharer's.
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

    /// Waits until locationd's log has an event as often as expected; a requester has its answer before the extension
    /// completes the push.
    ///
    /// - Throws: ``RigError`` if the log has the event less often in time, or more often.
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
