internal import CLinux
internal import Dispatch
internal import Foundation
internal import Glibc
internal import LocationEngine
internal import LocationWire
internal import Logging

/// polkit, the second way to be an owner of a machine's locationd: the person at the seat, or whomever rules of the owner's name (ADR 0085).
///
/// `pkcheck` is asked about the process at the other end, by its number, the time at which it began, and its user. Nothing waits for it: a
/// connection is nobody's until the answer is there.
extension Daemon {
    /// The action in `org.whereabouts.location1.policy`.
    static let polkitAction = "org.whereabouts.location1.manage"
    /// The most questions at a time: each is a process.
    static let polkitChecksMax = 16
    /// The most questions of one user's at a time, so that nobody takes all.
    static let polkitChecksOfUserMax = 4
    /// How long polkit has for an answer, which takes it some milliseconds; no person is asked.
    static let polkitTimeMax = Duration.seconds(5)

    /// A process that wants to be an owner's.
    struct Applicant: Hashable {
        let process: ProcessIdentity
        let user: uid_t
    }

    /// A question to polkit.
    struct PolkitCheck {
        let asking: AppProcess
        let user: uid_t
    }

    /// The way that polkit can be asked.
    enum PolkitState: Sendable, Hashable {
        /// It is not to be asked.
        case unused
        /// It was not asked yet.
        case untried
        /// It answers.
        case answers
        /// It does not, and why.
        case fails(String)
    }

    /// Hands a connection of an owner's on: at once, or when polkit has said yes; others are refused.
    ///
    /// - Parameters:
    ///   - socket: the connection.
    ///   - refused: tells the peer why it is refused.
    ///   - admitted: takes the connection, with the process that polkit was asked about, if it was.
    func admitOwner(
        _ socket: PacketSocket,
        refused: @escaping @Sendable (isolated Daemon, String) -> Void,
        admitted: @escaping @Sendable (isolated Daemon, Applicant?) -> Void
    ) {
        guard self.configuration.asksPolkit, let peer = socket.peer, !self.owns(socket, peer.uid) else {
            if self.isOwners(socket) { admitted(self, nil) }
            return
        }
        guard !self.isAppsUser(peer.uid), let process = ProcessIdentity(pid: peer.pid),
            // The number may have passed to a process of another user's since it connected.
            Self.user(of: peer.pid) == peer.uid, !self.isOfApp(peer.pid)
        else { return self.refuseOwner() }
        let applicant = Applicant(process: process, user: peer.uid)
        self.askPolkit(about: applicant) { daemon, isAllowed in
            guard !daemon.isStopping else { return }
            if isAllowed { return admitted(daemon, applicant) }
            daemon.refuseOwner()
            // A connection that is closed with packets in it is reset, and the peer does not read why.
            daemon.dropsQueue(of: socket)
            var words =
                "polkit did not allow \(Self.polkitAction) (pkaction -v -a \(Self.polkitAction) says to whom it does)"
            if case .fails(let reason) = daemon.polkit { words = "polkit was not asked: \(reason)" }
            refused(daemon, "this user gives no orders here, and is in no group of --owners; \(words)")
        }
    }

    private static func user(of pid: Int32) -> uid_t? {
        var status = stat()
        return unsafe lstat("/proc/\(pid)", &status) == 0 ? status.st_uid : nil
    }

    /// Asks polkit whether a process may manage locationd.
    func askPolkit(
        about applicant: Applicant,
        _ answered: @escaping @Sendable (isolated Daemon, Bool) -> Void
    ) {
        guard self.polkitChecks.count < Self.polkitChecksMax,
            self.polkitChecks.values.count(where: { $0.user == applicant.user }) < Self.polkitChecksOfUserMax
        else { return answered(self, false) }
        let id = self.nextPolkitCheck
        self.nextPolkitCheck += 1
        do throws(DaemonError) {
            let process = "\(applicant.process.pid),\(applicant.process.startTicks),\(applicant.user)"
            let pid = try Self.spawn(
                self.configuration.pkcheckPath,
                ["--action-id", Self.polkitAction, "--process", process]
            )
            let asking = try AppProcess(child: pid, cgroup: nil, queue: self.executor.queue) { [weak self] end in
                self?.assumeIsolated { daemon in
                    daemon.polkitChecks[id] = nil
                    daemon.reapOrphans()
                    answered(daemon, daemon.polkitSaid(end))
                }
            }
            self.polkitChecks[id] = PolkitCheck(asking: asking, user: applicant.user)
        } catch {
            self.polkitFailed(error.description)
            return answered(self, false)
        }
        self.executor.queue.asyncAfter(deadline: .now() + Self.polkitTimeMax / .seconds(1)) { [weak self] in
            self?.assumeIsolated { $0.polkitChecks[id]?.asking.signal(SIGKILL) }
        }
    }

    /// The answer in the exit status, as pkcheck(1) has it: 0 yes; 1, 2 and 3 no, or not without asking a person.
    private func polkitSaid(_ end: AppProcess.End) -> Bool {
        switch end {
        case .exited(let status) where (0...3).contains(status):
            self.polkit = .answers
            return status == 0
        case .exited: self.polkitFailed("pkcheck failed; is polkit running, and \(Self.polkitAction) installed?")
        case .signalled, .unknown:
            self.polkitFailed("pkcheck did not answer within \(Self.polkitTimeMax / .seconds(1)) s")
        }
        return false
    }

    private func polkitFailed(_ reason: String) {
        if self.polkit != .fails(reason) {
            self.logger.warning(
                "polkit is not asked, and only root and the owners' group give orders",
                metadata: ["reason": "\(reason)"]
            )
        }
        self.polkit = .fails(reason)
    }

    /// Starts a program that says nothing, with an environment of its own.
    private static func spawn(_ program: String, _ arguments: [String]) throws(DaemonError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        unsafe clinux_close_from(&actions, 3)
        let bus = ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"].map { "DBUS_SYSTEM_BUS_ADDRESS=\($0)" }
        let texts = [program] + arguments
        let environment = ["PATH=\(ProcessLauncher.plainPath)"] + (bus.map { [$0] } ?? [])
        var pid: pid_t = 0
        let code = unsafe ProcessLauncher.withCStrings(texts) { arguments in
            unsafe ProcessLauncher.withCStrings(environment) { environment in
                unsafe posix_spawn(&pid, program, &actions, nil, arguments, environment)
            }
        }
        guard code == 0 else {
            throw DaemonError(
                "cannot start \(program): \(unsafe String(cString: strerror(code))); apt-get install polkitd"
            )
        }
        return pid
    }
}
