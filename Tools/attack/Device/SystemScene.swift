internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// A system-wide locationd, which gives each app its own user: an honest action is an order that is carried out.
///
/// The kernel limits the attacks. The scene has PID, mount and IPC namespaces, which end with it; each user has 800
/// processes in them at most, and the state is on a file system of 96 MiB in memory.
final class SystemScene: AttackScene {
    /// The hostile app, and one that the owner installs and removes.
    static let (hostile, other) = ("com.example.Hostile", "com.example.Other")
    /// The group whose members give orders; Debian has it, without members.
    static let ownersGroup = (name: "nogroup", number: 65_534)
    static let python = "/usr/bin/python3"
    private static let users = UInt32(77_900)...77_907

    /// The first process: it starts locationd again when it ends, as systemd does.
    private static let first = """
        mount -t tmpfs -o size=96m,mode=711 none "$0" || exit 1
        for start in 1 2 3 4 5; do prlimit --nproc=800 "$@"; done
        """

    /// The reason why this machine cannot run the scene; nil if it can.
    static var obstacle: String? {
        let tools = ["unshare", "nsenter", "prlimit", "mount", "python3"].map { "/usr/bin/\($0)" }
        let missing = tools.filter { !FileManager.default.isExecutableFile(atPath: $0) }
        guard missing.isEmpty, geteuid() == 0 else { return "needs root, python3 and util-linux" }
        // In a container, root may not be allowed to make a namespace, or to mount.
        let workspace = try? Workspace()
        defer { workspace?.remove() }
        let trial = workspace.flatMap {
            try? Child(
                "unshare",
                "/usr/bin/unshare",
                ["-pfi", "--mount-proc", "mount", "-t", "tmpfs", "none", $0.directory],
                log: $0.logs + "/trial"
            )
        }
        return (try? trial?.waitForEnd(within: 20).status) == 0 ? nil : "this machine makes no namespaces"
    }

    private let workspace: Workspace
    /// The honest party, and the owner whom an attack uses.
    private let person: OwnerOutside
    private let owner: OwnerOutside
    private let daemon: Child
    /// The first process of the namespaces, with its ID in this process's namespace.
    private let firstPID: Int32

    private init(_ workspace: Workspace, _ daemon: Child) throws {
        self.workspace = workspace
        self.daemon = daemon
        guard let first = Self.children(of: daemon.pid).first else {
            throw RigError("locationd", "unshare(1) has no child")
        }
        self.firstPID = first
        self.person = try OwnerOutside("person", of: workspace, inside: first)
        self.owner = try OwnerOutside("owner", of: workspace, inside: first)
    }

    static func start() async throws -> SystemScene {
        let workspace = try Workspace()
        var daemon: Child?
        do {
            // Apps need to pass through this directory to reach their files.
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: workspace.directory)
            let state = "\(workspace.directory)/state"
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
            let child = try Child(
                "locationd",
                "/usr/bin/unshare",
                [
                    "-pfi", "--mount-proc", "--kill-child", "sh", "-c", self.first, state, Binaries().path("locationd"),
                    "--state", state, "--runtime", "\(workspace.directory)/run", "--gpsd", "127.0.0.1:9",
                    "--cgroup", "none", "--app-users", "\(self.users.lowerBound)-\(self.users.upperBound)",
                    "--owners", self.ownersGroup.name,
                ],
                log: "\(workspace.logs)/locationd.log"
            )
            daemon = child
            _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
            let scene = try SystemScene(workspace, child)
            try await scene.install(self.hostile)
            return scene
        } catch {
            daemon?.kill()
            workspace.remove()
            throw error
        }
    }

    private static func children(of pid: Int32) -> [Int32] {
        let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { Int32($0) }
    }

    // MARK: Orders

    /// Has the owner give an order, and waits for the reply.
    @discardableResult func order(_ request: WireControlRequest) async throws -> WireControlReply {
        try await self.owner.order(request)
    }

    /// Installs an app whose program is ``HostileScript``.
    func install(_ bundle: String) async throws {
        let path = "\(self.workspace.directory)/\(bundle).app"
        if !FileManager.default.fileExists(atPath: path) { try Self.makeBundle(bundle, at: path) }
        try await self.order(.with { $0.install.path = path })
    }

    /// Makes the files of a bundle.
    static func makeBundle(_ bundle: String, at path: String) throws {
        let folder = URL(filePath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let values = [
            "CFBundleIdentifier": bundle, "CFBundleExecutable": "Program",
            "NSLocationWhenInUseUsageDescription": "to attack",
        ]
        try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
            .write(to: folder.appending(path: "Info.plist"))
        try Data(HostileScript.text.utf8).write(to: folder.appending(path: "Program"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(path)/Program")
    }

    /// Runs an app in a role of ``HostileScript``.
    func run(_ bundle: String, _ role: String...) async throws {
        try await self.order(
            .with {
                $0.run.bundle = bundle
                $0.run.arguments = role
            }
        )
    }

    func terminate(_ bundle: String) async throws {
        try await self.order(.with { $0.terminate.bundle = bundle })
    }

    func uninstall(_ bundle: String) async throws {
        try await self.order(.with { $0.uninstall.bundle = bundle })
    }

    /// Changes what the hostile app may do.
    ///
    /// - Returns: what it may do then.
    @discardableResult func decide(
        _ location: WireAppSettings.Location? = nil
    ) async throws -> WireAppSettings.Location? {
        let reply = try await self.order(
            .with {
                $0.settings.bundle = Self.hostile
                if let location { $0.settings.location = location }
            }
        )
        return reply.settings.apps.first { $0.bundle == Self.hostile }?.location
    }

    func honestAction() async throws { _ = try await self.person.order(.with { $0.settings = .init() }) }

    /// Ends locationd as a crash does, and waits for the next one; honest actions wait, too.
    func crash() async throws {
        try await self.person.reconnect { [self] in
            for pid in self.pids { kill(pid, SIGKILL) }
            _ = try self.daemon.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        }
        try await self.owner.reconnect {}
    }

    // MARK: Views of the scene

    /// The directory of the scene, which all its processes see.
    var directory: String { self.workspace.directory }

    /// Starts a program in the scene's PID and mount namespaces.
    func child(_ name: String, _ arguments: [String]) throws -> Child {
        try Child(
            name,
            "/usr/bin/nsenter",
            ["-t", "\(self.firstPID)", "-p", "-m"] + arguments,
            log: "\(self.workspace.logs)/\(name).log"
        )
    }

    /// The path of a file of locationd's state for its own processes.
    func state(_ name: String) -> String { "\(self.workspace.directory)/state/\(name)" }

    /// The path of the same file for this process.
    func seen(_ name: String) -> String { "/proc/\(self.firstPID)/root\(self.state(name))" }

    /// The path of an app's container in the state.
    func container(of bundle: String) -> String { "containers/\(bundle)" }

    /// The marks that an app left: one for each attempt, as its role says.
    func marks(of bundle: String) -> Data {
        let path = self.seen("\(self.container(of: bundle))/marks")
        return (try? Data(contentsOf: URL(filePath: path))) ?? Data()
    }

    /// Waits until a condition is true.
    ///
    /// - Throws: ``ChannelFailure`` if it is not after 30 s.
    func wait(for what: String, _ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while try await !condition() {
            guard ContinuousClock.now < end else { throw ChannelFailure(words: "\(what) did not happen") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The number of processes with an app's user, ended ones included.
    func processesOfApps() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.count { pid in
            let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("Uid:") }
            let user = line?.split(separator: "\t").dropFirst().first.flatMap { UInt32($0) }
            return user.map { Self.users.contains($0) } ?? false
        }
    }

    var pids: [Int32] {
        Self.children(of: self.firstPID).filter {
            (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "locationd\n"
        }
    }

    func stop() async {
        self.person.stop()
        self.owner.stop()
        self.daemon.kill()
        self.workspace.remove()
    }
}
