internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsLocationWire

/// Starts apps and extensions through `location-launch`.
struct ProcessLauncher {
    /// The maximum number of processes and threads of one app.
    ///
    /// Source: our choice. A Swift app has about ten threads, and libdispatch makes up to 64 for work that blocks.
    static let tasksMax = 256
    /// The maximum number of processes and threads of an extension; added to ``tasksMax``, because its app runs as the same user.
    static let extensionTasksMax = 64

    let launcherPath: String
    let runtimeDirectory: String

    struct Order {
        var executable: String
        var arguments: [String]
        /// The app's own directory, which is its home and working directory.
        var container: String
        /// The user of the process; nil: locationd's user.
        var user: UInt32?
        /// Whether the process runs under a supervisor, with an extension's limits.
        var isExtension = false
        /// The file for the process's output and errors, which are appended.
        var outputPath: String
        /// The end of the connection that the process inherits.
        var connection: PacketSocket
        /// The cgroup of the process and its descendants; nil: no cgroup is used.
        var cgroup: Cgroup?
        /// The mark of the process and its descendants; nil: marks cannot be used on this machine.
        var mark: UInt64?
    }

    /// Starts a process.
    ///
    /// - Returns: the number of the process, which the caller must reap.
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
        let joining = order.cgroup.map { ["-c", $0.directory] } ?? []
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
                    + "locationd looks for location-launch next to its own executable; give another path with --launcher"
            )
        }
        return pid
    }

    /// Renames the app's output file when it is long, so that a new one is started; one old file is kept.
    private func rotate(_ path: String) {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        // A mebibyte, as for the device's own log: about ten thousand lines.
        guard let size, size > DeviceLog.fileBytesMax else { return }
        _ = unsafe rename(path, path + ".old")
    }

    /// The `PATH` of an app with its own user: Debian's default for users.
    static let plainPath = "/usr/local/bin:/usr/bin:/bin"

    /// The environment of an app's process: its own home, and only the variables that programs need.
    private func environment(_ order: Order) -> [String] {
        var own = ProcessInfo.processInfo.environment
        // Root's PATH names the administrator's directories, some of which apps should not know.
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
