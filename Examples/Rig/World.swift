internal import Foundation
internal import Glibc

/// Everything one location request needs, running: receiver, gateway, sharing server, locationd, and the example app.
///
/// Each step waits for an event and has an end; a step that fails says why, with the end of the log that shows it.
public final class World {
    /// The example app.
    public static let bundle = "com.example.FindFriends"

    /// The directory of the run.
    public let workspace: Workspace
    /// The executables.
    public let binaries: Binaries
    /// Where the fixes come from, in words; known once ``startReceiver(track:)`` ran.
    public private(set) var receiver = ""

    private var children: [Child] = []
    private var source: [String] = []
    private var providerPort = ""
    private var devicePort = ""
    private var server = ""
    private let sharerFolder = "sharing"

    /// Makes the directory of the run.
    public init() throws {
        self.binaries = try Binaries()
        self.workspace = try Workspace()
    }

    /// Ends everything in the reverse order of starting; what is left of the apps is killed.
    ///
    /// - Returns: the processes that had to be killed, of those that should have ended by themselves.
    @discardableResult
    public func stop() -> [Int32] {
        for child in self.children.reversed() { child.terminate() }
        self.children = []
        let left = self.workspace.processes()
        self.workspace.killProcesses()
        return left
    }

    private func start(_ name: String, _ executable: String, _ arguments: [String]) throws -> Child {
        let child = try Child(
            name, executable, arguments, environment: self.environment, log: self.workspace.log(name))
        self.children.append(child)
        return child
    }

    private var environment: [String: String] {
        ["LOCATIOND_RUNTIME": "\(self.workspace.directory)/run"]
    }

    // MARK: Steps

    /// Starts gpsd with a generated walk, or has locationd play the walk itself where there is no gpsd.
    ///
    /// - Parameter seconds: the length of the walk; it is walked back and forth after that.
    public func startReceiver(seconds: Int = 1800) throws {
        let track = "\(self.workspace.directory)/walk.nmea"
        try self.check(
            self.run("locationctl", ["track", "--start", "now", "--duration", "\(seconds)", "--output", track]),
            "locationctl track")
        guard let gpsfake = Binaries.system("gpsfake"), Binaries.system("gpsd") != nil else {
            self.source = ["--replay", track]
            self.receiver = "no gpsd here: locationd plays the recorded walk itself"
            return
        }
        let port = try Self.freePort()
        _ = try self.start(
            "gpsd", gpsfake, ["--port", "\(port)", "--quiet", "--cycle", "1", "--slow", track])
        self.source = ["--gpsd", "127.0.0.1:\(port)"]
        self.receiver = "gpsd on port \(port), fed with the walk by gpsfake"
    }

    /// Starts the push gateway.
    public func startGateway() throws {
        let child = try self.start(
            "gateway", self.binaries.path("whereabouts"),
            [
                "gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
                "--certificate", self.workspace.certificatePath, "--private-key", self.workspace.privateKeyPath,
                "--key", "\(Workspace.teamID):\(Workspace.keyID):\(self.workspace.providerKeyPath)",
                "--database", "\(self.workspace.directory)/gateway.sqlite",
            ])
        let line = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        self.providerPort = try Self.port(in: line, "provider")
        self.devicePort = try Self.port(in: line, "device")
    }

    /// Starts the sharing server.
    public func startServer() throws {
        let child = try self.start(
            "server", self.binaries.path("whereabouts"),
            [
                "server", "--address", "127.0.0.1:0",
                "--certificate", self.workspace.certificatePath, "--private-key", self.workspace.privateKeyPath,
                "--database", "\(self.workspace.directory)/server.sqlite",
                "--apns-endpoint", "localhost:\(self.providerPort)",
                "--apns-trust-roots", self.workspace.authorityPath, "--apns-key", self.workspace.providerKeyPath,
                "--apns-key-id", Workspace.keyID, "--apns-team-id", Workspace.teamID,
            ])
        let line = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        self.server = "https://localhost:\(try Self.port(in: line, "https"))"
    }

    /// Starts locationd.
    public func startLocationd(_ options: [String] = []) throws {
        let child = try self.start(
            "locationd", self.binaries.path("locationd"),
            [
                "--state", "\(self.workspace.directory)/state", "--runtime", "\(self.workspace.directory)/run",
                "--gateway", "localhost:\(self.devicePort)", "--gateway-trust-roots", self.workspace.authorityPath,
            ] + self.source + options)
        _ = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
    }

    /// Makes the bundle of the example app and installs it.
    public func installApp(fromSources example: String) throws {
        try self.check(
            self.run(
                "locationctl",
                [
                    "bundle", "--app", "\(example)/FindFriends", "--extension", "\(example)/FindFriendsLocationPush",
                    "--products", self.binaries.directory, "--output", self.workspace.directory,
                ]), "locationctl bundle")
        try self.check(
            self.run(
                "locationctl", ["install", "\(self.workspace.directory)/FindFriends.app", "--approve-entitlements"]),
            "locationctl install")
    }
}
