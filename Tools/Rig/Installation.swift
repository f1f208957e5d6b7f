internal import Foundation
internal import Glibc
internal import Synchronization

/// Everything one location request needs, running: receiver, gateway, sharing server, locationd, and the example app.
///
/// Each step waits for an event, with a deadline; the error of a failed step contains the end of the log.
public final class Installation: Sendable {
    /// The example app.
    public static let bundle = "com.example.FindFriends"

    /// The exit status of `whereabouts ask` for a device that did not answer.
    public static let unreachableStatus: Int32 = 5

    /// The exit status of `whereabouts ask` for a refusal.
    public static let refusedStatus: Int32 = 3

    /// The directory of the run.
    public let workspace: Workspace
    /// The executables.
    public let binaries: Binaries

    private struct State {
        /// The processes that were started and not waited for, in the order of starting.
        var children: [Child] = []
        var isStopped = false
        var receiver = ""
        var source: [String] = []
        var providerPort = ""
        var devicePort = ""
        var server = ""
    }

    private let state = Mutex(State())

    /// Makes the directory of the run.
    public init() throws {
        self.binaries = try Binaries()
        self.workspace = try Workspace()
    }

    /// The source of the fixes, for people; known after ``startReceiver(seconds:)``.
    public var receiver: String { self.state.withLock { $0.receiver } }

    /// Ends everything in the reverse order of starting; remaining processes of apps are killed.
    ///
    /// Nothing starts afterwards.
    ///
    /// - Returns: the processes that had to be killed, of those that should have ended by themselves.
    @discardableResult
    public func stop() -> [Int32] {
        let children = self.state.withLock { state in
            state.isStopped = true
            defer { state.children = [] }
            return state.children
        }
        for child in children.reversed() { child.terminate() }
        let left = self.workspace.processes()
        self.workspace.killProcesses()
        return left
    }

    func start(
        _ name: String,
        _ executable: String,
        _ arguments: [String],
        log: String? = nil
    ) throws -> Child {
        try self.state.withLock { state in
            if state.isStopped { throw RigError(name, "everything is being stopped") }
            let child = try Child(
                name,
                executable,
                arguments,
                environment: self.environment,
                log: self.workspace.log(log ?? name)
            )
            state.children.append(child)
            return child
        }
    }

    private var environment: [String: String] {
        // gpsfake leaves a socket where temporary files go.
        ["LOCATIOND_RUNTIME": "\(self.workspace.directory)/run", "TMPDIR": self.workspace.directory]
    }

    /// The sharing server's address.
    public var server: String { self.state.withLock { $0.server } }

    /// The sharing server's database.
    public var serverDatabase: String { "\(self.workspace.directory)/server.sqlite" }

    /// The gateway's port for providers; nil until it was started.
    public var providerPort: Int? { Int(self.state.withLock { $0.providerPort }) }

    /// The gateway's port for devices; nil until it was started.
    public var devicePort: Int? { Int(self.state.withLock { $0.devicePort }) }

    /// The socket on which the gateway answers its operator.
    public var controlPath: String { "\(self.workspace.directory)/gateway.control" }

    /// The number of a process that runs, by its name such as `gateway`.
    public func pid(of name: String) -> Int32? {
        self.state.withLock { $0.children.first { $0.name == name }?.pid }
    }

    /// Ends a program as a crash would.
    public func kill(_ name: String) {
        let child = self.state.withLock { state in
            defer { state.children.removeAll { $0.name == name } }
            return state.children.first { $0.name == name }
        }
        child?.kill()
    }

    // MARK: Steps

    /// Ends a process before all others end.
    func end(_ child: Child) {
        self.state.withLock { $0.children.removeAll { $0 === child } }
        child.terminate()
    }

    /// Starts everything, until the app can answer requests.
    ///
    /// - Parameters:
    ///   - receiver: whether there is a receiver; otherwise locationd tries to connect to a port without a gpsd.
    ///   - policy: options of locationd for its policy, without the leading hyphens.
    /// - Throws: ``RigError``.
    public func startAll(receiver: Bool = true, policy: [String: String] = [:]) throws {
        if receiver {
            try self.startReceiver()
        } else {
            let port = try Loopback.freePort()
            self.state.withLock { $0.source = ["--gpsd", "127.0.0.1:\(port)"] }
        }
        try self.startGateway()
        try self.startServer(options: policy["push-budget-capacity"].map { ["--device-pushes", $0] } ?? [])
        try self.startLocationd(policy: policy)
        try self.installApp()
        try self.runAppOnce()
    }

    /// The folder of the example app's sources.
    static let example = URL(filePath: #filePath).appending(path: "../../../Examples/FindFriends").standardized
        .path(percentEncoded: false)

    /// Starts gpsd with a generated walk, or has locationd play the walk itself if gpsd is not installed.
    ///
    /// - Parameter seconds: the length of the walk, which is then repeated back and forth.
    /// - Throws: ``RigError``.
    public func startReceiver(seconds: Int = 1800) throws {
        let track = "\(self.workspace.directory)/walk.nmea"
        // gpsfake begins to send about two seconds after its start.
        let start = Date.now.addingTimeInterval(2).formatted(.iso8601)
        try self.check(
            self.run("locationctl", ["track", "--start", start, "--duration", "\(seconds)", "--output", track]),
            "locationctl track"
        )
        guard let gpsfake = Binaries.system("gpsfake"), let gpspipe = Binaries.system("gpspipe"),
            Binaries.system("gpsd") != nil
        else {
            return self.state.withLock {
                $0.source = ["--replay", track]
                $0.receiver = "no gpsd here: locationd plays the recorded walk itself"
            }
        }
        let port = try Loopback.freePort()
        _ = try self.start(
            "gpsd",
            gpsfake,
            // Three sentences an epoch: a third of a second after each plays the walk in its own time.
            ["--quiet", "--nowait", "--cycle", "0.333", "--port", "\(port)", track]
        )
        try Loopback.waitForListener(on: port, within: 20)
        // Wait for a position with an accuracy, as of a receiver that was on for a while.
        let look = try self.start("gpspipe", gpspipe, ["-w", "127.0.0.1:\(port)"])
        defer { self.end(look) }
        _ = try look.waitForLine(within: 20) { $0.contains("\"TPV\"") && $0.contains("\"eph\"") }
        self.state.withLock {
            $0.source = ["--gpsd", "127.0.0.1:\(port)"]
            $0.receiver = "gpsd on port \(port), fed with the walk by gpsfake"
        }
    }

    /// Starts the push gateway; after a kill, on the same ports.
    ///
    /// - Parameters:
    ///   - apps: the apps of the providers' key; empty: all.
    ///   - options: more options of the gateway.
    /// - Throws: ``RigError``.
    public func startGateway(apps: String = "", options: [String] = []) throws {
        let ports = self.state.withLock { state in
            (
                provider: state.providerPort.isEmpty ? "0" : state.providerPort,
                device: state.devicePort.isEmpty ? "0" : state.devicePort
            )
        }
        let child = try self.start(
            "gateway",
            self.binaries.path("whereabouts"),
            [
                "gateway", "--provider-address", "127.0.0.1:\(ports.provider)",
                "--device-address", "127.0.0.1:\(ports.device)",
                "--certificate", self.workspace.certificatePath, "--private-key", self.workspace.privateKeyPath,
                "--key",
                "\(Workspace.teamID):\(Workspace.keyID):\(self.workspace.providerKeyPath)"
                    + (apps.isEmpty ? "" : ":\(apps)"),
                "--database", "\(self.workspace.directory)/gateway.sqlite", "--control", self.controlPath,
            ] + options
        )
        let line = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        let (provider, device) = (try Self.port(in: line, "provider"), try Self.port(in: line, "device"))
        self.state.withLock {
            $0.providerPort = provider
            $0.devicePort = device
        }
    }

    /// Makes locationd connect to the caller's push service, and to no receiver.
    public func usePushService(port: Int) throws {
        let receiver = try Loopback.freePort()
        self.state.withLock {
            $0.devicePort = "\(port)"
            $0.source = ["--gpsd", "127.0.0.1:\(receiver)"]
        }
    }

    /// Starts the sharing server.
    ///
    /// - Parameters:
    ///   - options: more options of the server.
    ///   - descriptors: the limit of the server's descriptors, and so of its connections; nil: the limit of this process.
    /// - Throws: ``RigError``.
    public func startServer(options: [String] = [], descriptors: Int? = nil) throws {
        let limited = descriptors.map { ["/usr/bin/prlimit", "--nofile=\($0):\($0)"] } ?? []
        let command = limited + [self.binaries.path("whereabouts")]
        let child = try self.start(
            "server",
            command[0],
            Array(command.dropFirst()) + [
                "server", "--address", "127.0.0.1:0",
                "--certificate", self.workspace.certificatePath, "--private-key", self.workspace.privateKeyPath,
                "--database", self.serverDatabase,
                "--apns-endpoint", "localhost:\(self.state.withLock { $0.providerPort })",
                "--apns-trust-roots", self.workspace.authorityPath, "--apns-key", self.workspace.providerKeyPath,
                "--apns-key-id", Workspace.keyID, "--apns-team-id", Workspace.teamID,
            ] + options
        )
        let line = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        let port = try Self.port(in: line, "https")
        self.state.withLock { $0.server = "https://localhost:\(port)" }
    }

    /// Starts locationd.
    public func startLocationd(policy: [String: String] = [:]) throws {
        let child = try self.start(
            "locationd",
            self.binaries.path("locationd"),
            [
                "--state", "\(self.workspace.directory)/state", "--runtime", "\(self.workspace.directory)/run",
                "--gateway", "localhost:\(self.state.withLock { $0.devicePort })",
                "--gateway-trust-roots", self.workspace.authorityPath,
            ] + policy.map { "--\($0)=\($1)" } + self.state.withLock { $0.source }
        )
        _ = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
    }

    /// Installs the app again, with a shell script in place of its extension; the app continues to monitor pushes.
    ///
    /// - Parameter script: what the extension does.
    /// - Throws: ``RigError``.
    public func replaceExtension(byScript script: String) throws {
        let path = "\(self.workspace.directory)/extension.sh"
        guard
            FileManager.default.createFile(
                atPath: path,
                contents: Data("#!/bin/sh\n\(script)\n".utf8),
                attributes: [.posixPermissions: 0o755]
            )
        else { throw RigError("the extension", "cannot write \(path)") }
        try self.replaceExtension(by: path)
    }

    /// Installs the app again, with another executable as its extension; the app continues to monitor pushes.
    ///
    /// - Parameter executable: the file to use.
    /// - Throws: ``RigError``.
    public func replaceExtension(by executable: String) throws {
        let bundle = "\(self.workspace.directory)/FindFriends.app"
        let place = "\(bundle)/PlugIns/FindFriendsLocationPush.appex/FindFriendsLocationPush"
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.copyItem(atPath: executable, toPath: place)
        try self.check(self.run("locationctl", ["install", bundle, "--approve-entitlements"]), "locationctl install")
    }

    /// Makes the bundle of the example app and installs it.
    public func installApp() throws {
        let example = Self.example
        try self.check(
            self.run(
                "locationctl",
                [
                    "bundle", "--app", "\(example)/FindFriends", "--extension", "\(example)/FindFriendsLocationPush",
                    "--products", self.binaries.directory, "--output", self.workspace.directory,
                ]
            ),
            "locationctl bundle"
        )
        try self.check(
            self.run(
                "locationctl",
                ["install", "\(self.workspace.directory)/FindFriends.app", "--approve-entitlements"]
            ),
            "locationctl install"
        )
    }

    // MARK: Commands

    /// Runs one of this build's executables to its end.
    public func run(_ name: String, _ arguments: [String]) throws -> Child.Ended {
        let child = try self.start(
            "\(name) \(arguments.first ?? "")",
            self.binaries.path(name),
            arguments,
            log: "commands"
        )
        defer { self.state.withLock { $0.children.removeAll { $0 === child } } }
        return try child.waitForEnd(within: 60)
    }

    /// Runs a script of bash to its end.
    public func runScript(_ path: String) throws -> Child.Ended {
        let child = try self.start("the script", "/bin/bash", [path], log: "commands")
        defer { self.state.withLock { $0.children.removeAll { $0 === child } } }
        return try child.waitForEnd(within: 90)
    }

    func check(_ ended: Child.Ended, _ step: String) throws {
        guard ended.status == 0 else {
            let log = (try? String(contentsOfFile: self.workspace.log("commands"), encoding: .utf8)) ?? ""
            let last = log.split(separator: "\n").suffix(3).joined(separator: "\n    ")
            throw RigError(step, "it ended with status \(ended.status):\n    \(last)")
        }
    }

    private static func port(in line: String, _ name: String) throws -> String {
        for word in line.split(separator: " ") where word.hasPrefix("\(name)=") {
            if let port = word.split(separator: ":").last { return String(port) }
        }
        throw RigError("a server", "its line names no \(name): \(line)")
    }
}
