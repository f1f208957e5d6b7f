internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsLocationWire

/// Starts apps and extensions through `location-launch`.
struct ProcessLauncher {
    /// The most processes and threads of one app.
    ///
    /// Source: our choice. A Swift app has about ten threads, and libdispatch makes up to 64 for work that blocks.
    static let tasksMax = 256
    /// The most processes and threads of an extension, besides those of its app, which runs as the same user.
    static let extensionTasksMax = 64

    let launcherPath: String
    let runtimeDirectory: String

    struct Order {
        var executable: String
        var arguments: [String]
        /// The app's own directory: its home and where it starts.
        var container: String
        /// The user it runs as; nil: as locationd does.
        var user: UInt32?
        /// Whether it runs under a supervisor, with an extension's limits.
        var isExtension = false
        /// The file its output and errors are appended to.
        var outputPath: String
        /// locationd's end of the connection.
        var connection: PacketSocket
        /// The cgroup of the process and of all it starts; nil: there is none.
        var cgroup: Cgroup?
        /// The number that the process, and all it starts, is known by; nil: marks do not work here.
        var mark: UInt64?
    }

    /// Starts a process.
    ///
    /// - Returns: its number; it must be waited for.
    func launch(_ order: Order) throws(DaemonError) -> pid_t {
        self.rotate(order.outputPath)
        let output = unsafe open(order.outputPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard output >= 0 else {
            throw DaemonError("cannot open \(order.outputPath): \(unsafe String(cString: strerror(errno)))")
        }
        defer { close(output) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        unsafe posix_spawn_file_actions_adddup2(&actions, order.connection.descriptor, 3)
        let tasks = Self.tasksMax + (order.isExtension ? Self.extensionTasksMax : 0)
        let joining = order.cgroup.map { ["-c", $0.processesPath] } ?? []
        let arguments =
            [self.launcherPath] + (order.isExtension ? ["-s"] : [])
            + (order.user.map { ["-u", "\($0)", "-n", "\(tasks)"] } ?? []) + joining
            + (order.mark.map { ["-m", "\($0)"] } ?? []) + ["-d", order.container, "--", order.executable]
            + order.arguments
        var pid: pid_t = 0
        let code = unsafe Self.withCStrings(arguments) { arguments in
            unsafe Self.withCStrings(self.environment(order)) { environment in
                unsafe posix_spawn(&pid, self.launcherPath, &actions, nil, arguments, environment)
            }
        }
        guard code == 0 else {
            throw DaemonError(
                "cannot start \(self.launcherPath): \(unsafe String(cString: strerror(code))); "
                    + "locationd looks for location-launch beside its own executable, or where --launcher says"
            )
        }
        return pid
    }

    /// Starts a new file when the apps' file is long; one old file is kept.
    private func rotate(_ path: String) {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        // A megabyte, as the device's own log: about ten thousand lines.
        guard let size, size > DeviceLog.fileBytesMax else { return }
        _ = unsafe rename(path, path + ".old")
    }

    /// The `PATH` of an app with its own user: that of Debian's users.
    static let plainPath = "/usr/local/bin:/usr/bin:/bin"

    /// The environment of an app's process: its own home, and only the variables that programs need.
    private func environment(_ order: Order) -> [String] {
        var own = ProcessInfo.processInfo.environment
        // Root's names directories of the administrator's own, and perhaps some that an app must not know of.
        if order.user != nil { own["PATH"] = Self.plainPath }
        let kept = ["PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH"].compactMap { name in
            own[name].map { "\(name)=\($0)" }
        }
        return kept + [
            "HOME=\(order.container)", "TMPDIR=\(order.container)/tmp",
            "\(SocketPaths.descriptorVariable)=3", "\(SocketPaths.directoryVariable)=\(self.runtimeDirectory)",
        ]
    }

    static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = unsafe strings.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(pointers + [nil])
    }
}
