internal import Dispatch
internal import Foundation
internal import Glibc
internal import Rig

/// A system-wide locationd, which gives each app its own user, in a PID namespace: an honest action is an order that is
/// carried out.
///
/// The kernel limits the attack. The namespace ends with locationd, and each user has 800 processes in it at most.
final class ForkingScene: AttackScene {
    static let bundle = "com.example.Chains"
    private static let users = UInt32(77_900)...77_907
    private static let python = "/usr/bin/python3"

    /// The reason why this machine cannot run the scene; nil if it can.
    static var obstacle: String? {
        let tools = [self.python, "/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/prlimit"]
        let missing = tools.filter { !FileManager.default.isExecutableFile(atPath: $0) }
        guard missing.isEmpty, geteuid() == 0 else { return "needs root, python3 and util-linux" }
        // In a container, root may not be allowed to make a namespace.
        let workspace = try? Workspace()
        defer { workspace?.remove() }
        let trial = workspace.flatMap {
            try? Child("unshare", "/usr/bin/unshare", ["-pf", "true"], log: $0.logs + "/trial")
        }
        return (try? trial?.waitForEnd(within: 20).status) == 0 ? nil : "this machine makes no PID namespaces"
    }

    /// The app: chains of processes that count themselves in a file, and end by themselves after two minutes.
    private static let app = """
        #!\(python)
        import os, select, sys, time
        end = time.monotonic() + 120
        count = os.open(os.environ["HOME"] + "/links", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        def chain():
            while time.monotonic() < end:
                try:
                    os.setsid()
                except OSError: pass
                os.write(count, b".")
                select.select([], [], [], 0.002)
                try:
                    if os.fork(): os._exit(0)
                except OSError: pass
            os._exit(0)
        for _ in range(int(sys.argv[1])):
            try:
                if os.fork() == 0: chain()
            except OSError: pass
        select.select([], [], [], 120)
        """

    private let workspace: Workspace
    private let daemon: Child
    private let owner: Child
    private let orders: FileHandle
    private let pid: Int32
    /// Runs one order at a time, because replies do not name their orders.
    private let turn = DispatchQueue(label: "orders")

    private init(_ workspace: Workspace, daemon: Child, owner: Child, orders: FileHandle, pid: Int32) {
        self.workspace = workspace
        self.daemon = daemon
        self.owner = owner
        self.orders = orders
        self.pid = pid
    }

    static func start() async throws -> ForkingScene {
        let workspace = try Workspace()
        var children: [Child] = []
        do {
            // Apps need to pass through this directory to reach their files.
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: workspace.directory)
            let binaries = try Binaries()
            let runtime = "\(workspace.directory)/run"
            let daemon = try Child(
                "locationd",
                "/usr/bin/unshare",
                [
                    "-pf", "--mount-proc", "--kill-child", "prlimit", "--nproc=800", binaries.path("locationd"),
                    "--state", "\(workspace.directory)/state", "--runtime", runtime, "--gpsd", "127.0.0.1:9",
                    "--cgroup", "none", "--app-users", "\(self.users.lowerBound)-\(self.users.upperBound)",
                ],
                log: "\(workspace.logs)/locationd.log"
            )
            children.append(daemon)
            _ = try daemon.waitForLine(within: 30) { $0.hasPrefix("listening ") }
            let pid = try self.child(of: daemon.pid)
            let fifo = "\(workspace.directory)/orders"
            guard unsafe mkfifo(fifo, 0o600) == 0 else { throw RigError("the scene", "cannot make \(fifo)") }
            let owner = try Child(
                "owner",
                "/usr/bin/nsenter",
                ["-t", "\(pid)", "-p", "-m", binaries.path("attack"), "--as-owner", runtime],
                environment: ["ATTACK_ORDERS": fifo],
                log: "\(workspace.logs)/owner.log"
            )
            children.append(owner)
            let orders = try FileHandle(forUpdating: URL(filePath: fifo))
            let scene = ForkingScene(workspace, daemon: daemon, owner: owner, orders: orders, pid: pid)
            try await scene.order("install \(try self.makeBundle(in: workspace))")
            return scene
        } catch {
            for child in children.reversed() { child.kill() }
            workspace.remove()
            throw error
        }
    }

    private static func makeBundle(in workspace: Workspace) throws -> String {
        let path = "\(workspace.directory)/Chains.app"
        let bundle = URL(filePath: path)
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let values = [
            "CFBundleIdentifier": self.bundle, "CFBundleExecutable": "Chains",
            "NSLocationWhenInUseUsageDescription": "to fork",
        ]
        try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
        try Data(self.app.utf8).write(to: bundle.appending(path: "Chains"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(path)/Chains")
        return path
    }

    /// The process that `unshare` started in the namespace, with its ID in this process's namespace.
    private static func child(of pid: Int32) throws -> Int32 {
        let children = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        guard let child = children.split(separator: " ").first.flatMap({ Int32($0) }) else {
            throw RigError("locationd", "unshare(1) has no child")
        }
        return child
    }

    /// Has the owner give an order, and waits for the reply.
    func order(_ order: String) async throws {
        let reply = try await withCheckedThrowingContinuation { continuation in
            self.turn.async {
                continuation.resume(
                    with: Result {
                        try self.orders.write(contentsOf: Data("\(order)\n".utf8))
                        return try self.owner.waitForLine(within: 20) { _ in true }
                    }
                )
            }
        }
        guard reply == "done" else { throw RigError("locationd", "\(order): \(reply)") }
    }

    func honestAction() async throws { try await self.order("settings") }

    /// The number of processes that the app made.
    func linksCount() -> Int {
        let containers = "\(self.workspace.directory)/state/containers"
        let path = "\(containers)/\(Self.bundle)/links"
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return size ?? 0
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

    var pids: [Int32] { [self.pid] }

    func stop() async {
        try? self.orders.close()
        self.owner.kill()
        self.daemon.terminate()
        self.workspace.remove()
    }
}
