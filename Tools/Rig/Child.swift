internal import Foundation
internal import Glibc
internal import Synchronization
internal import WhereaboutsCLinux

/// A process that the rig started, in its own process group; its output goes to a file, and standard output can be read by lines.
public final class Child: Sendable {
    /// The end of a process: its exit status, or 128 plus the signal.
    public struct Ended: Sendable, Hashable {
        /// The exit status.
        public let status: Int32
        /// The standard output that ``Child/waitForLine(within:where:)`` did not read.
        public let output: String
    }

    private struct State {
        var buffer: [UInt8] = []
        var ended: Int32?
    }

    /// Its name in messages.
    public let name: String
    /// The process ID, which is also the ID of its group.
    public let pid: Int32
    private let output: Int32
    private let logPath: String
    private let state = Mutex(State())

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - name: the process's name in messages.
    ///   - executable: its path.
    ///   - arguments: the arguments, without the executable.
    ///   - environment: variables to add to this process's own.
    ///   - log: the file that its standard error goes to.
    /// - Throws: ``RigError`` if the process cannot be started.
    public init(
        _ name: String,
        _ executable: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        log: String
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw RigError(name, "cannot make a pipe: \(unsafe String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let errors = unsafe open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer {
            close(ends[1])
            close(errors)
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // Sockets of this process, such as a test runner's, must not stay open in the child.
        unsafe clinux_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        // A child inherits blocked signals, and the threads of Swift's pool block them.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        let whole = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let argv = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        let envp = unsafe whole.map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { unsafe (argv + envp).forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let code = unsafe posix_spawn(&pid, executable, &actions, &attributes, argv + [nil], envp + [nil])
        guard code == 0 else {
            close(ends[0])
            throw RigError(name, "cannot start \(executable): \(unsafe String(cString: strerror(code)))")
        }
        self.name = name
        self.pid = pid
        self.output = ends[0]
        self.logPath = log
    }

    deinit {
        close(self.output)
    }

    /// Waits for a line of standard output, and consumes all output up to it.
    ///
    /// - Returns: the line.
    /// - Throws: ``RigError`` with the end of the log, if the line does not come in time or the process ends.
    public func waitForLine(within seconds: Double, where matches: (String) -> Bool) throws -> String {
        let deadline = Self.now + seconds
        while true {
            while let line = self.takeLine() {
                if matches(line) { return line }
            }
            guard try self.readMore(until: deadline) else {
                // A child that is never reaped would keep swift-testing from noticing the end of other children.
                self.kill()
                throw RigError(self.name, "it ended before it was ready\(self.endOfLog)")
            }
        }
    }

    /// Waits for the end of the process.
    public func waitForEnd(within seconds: Double) throws -> Ended {
        let deadline = Self.now + seconds
        do {
            while try self.readMore(until: deadline) {}
        } catch {
            self.kill()
            throw error
        }
        let status = self.reap()
        return Ended(
            status: status,
            output: String(decoding: self.state.withLock { $0.buffer }, as: UTF8.self)
        )
    }

    /// Ends the process with SIGTERM, and after `seconds` with SIGKILL.
    public func terminate(within seconds: Double = 5) {
        guard self.state.withLock({ $0.ended }) == nil else { return }
        Glibc.kill(self.pid, SIGTERM)
        let descriptor = clinux_pidfd_open(self.pid)
        if descriptor >= 0 {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&waiting, 1, Int32(seconds * 1000))
            close(descriptor)
        }
        self.kill()
    }

    /// Ends the process and its group at once.
    public func kill() {
        guard self.state.withLock({ $0.ended }) == nil else { return }
        Glibc.kill(-self.pid, SIGKILL)
        Glibc.kill(self.pid, SIGKILL)
        _ = self.reap()
    }

    private func reap() -> Int32 {
        self.state.withLock { state in
            if let ended = state.ended { return ended }
            var status: Int32 = 0
            while unsafe waitpid(self.pid, &status, 0) < 0, errno == EINTR {}
            let ended = clinux_exited(status) != 0 ? clinux_exit_status(status) : 128 + clinux_term_signal(status)
            state.ended = ended
            return ended
        }
    }

    private func takeLine() -> String? {
        self.state.withLock { state in
            guard let end = state.buffer.firstIndex(of: 0x0A) else { return nil }
            defer { state.buffer.removeSubrange(...end) }
            return String(decoding: state.buffer[..<end], as: UTF8.self)
        }
    }

    /// Reads the output of the process; false at end of file.
    private func readMore(until deadline: Double) throws -> Bool {
        var waiting = pollfd(fd: self.output, events: Int16(POLLIN), revents: 0)
        let left = max(0, deadline - Self.now)
        guard unsafe poll(&waiting, 1, Int32(min(left * 1000, 2e9))) > 0 else {
            throw RigError(self.name, "it did not get ready or end in time\(self.endOfLog)")
        }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = unsafe read(self.output, &chunk, chunk.count)
        if count > 0 { self.state.withLock { $0.buffer += chunk.prefix(count) } }
        return count > 0
    }

    private var endOfLog: String {
        let text = (try? String(contentsOfFile: self.logPath, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").suffix(5).joined(separator: "\n    ")
        return "; see \(self.logPath)" + (lines.isEmpty ? "" : ", which ends:\n    \(lines)")
    }

    private static var now: Double { Double(clinux_boottime()) / 1e9 }
}
