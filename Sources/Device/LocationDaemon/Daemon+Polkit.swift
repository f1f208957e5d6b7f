internal import Dispatch
internal import Foundation
internal import Glibc
internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsHostSupport
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// polkit as the second way to become an owner: for the person at the seat, or the people that polkit's rules name (ADR 0024).
///
/// `pkcheck` receives the process ID, start time and user of the peer. Until polkit has answered, the connection has no rights; all other
/// work continues. ``PolkitCoordinator`` makes the decisions.
extension Daemon {
    /// The longest error text of pkcheck that is shown, in bytes: two lines on a terminal.
    static let complaintBytesMax = 300

    /// A process that wants the rights of an owner.
    struct Applicant: Hashable {
        let process: ProcessIdentity
        let user: uid_t
    }

    /// A running pkcheck, and the pipe with its error output.
    struct PolkitCheck {
        let asking: AppProcess
        let errors: PipeEnd
    }

    /// Admits the connection of an owner, at once or after polkit has agreed; refuses all others.
    ///
    /// - Parameters:
    ///   - socket: the connection.
    ///   - refused: receives the reason, to send it to the peer.
    ///   - admitted: receives the process that polkit was asked about, or nil if polkit was not asked.
    func admitOwner(
        _ socket: PacketSocket,
        refused: @escaping @Sendable (isolated Daemon, String) -> Void,
        admitted: @escaping @Sendable (isolated Daemon, Applicant?) -> Void
    ) {
        guard self.configuration.asksPolkit, let peer = socket.peer, !self.owns(socket, peer.uid) else {
            guard !self.isOwners(socket) else { return admitted(self, nil) }
            let mayOrder = socket.peer.map { self.owns(socket, $0.uid) } ?? false
            return self.turnAway(socket, mayOrder ? Self.refusalOfApps : Self.refusalOfUsers, refused)
        }
        guard !self.isAppsUser(peer.uid), let process = ProcessIdentity(pid: peer.pid),
            // A process of another user may have received the number since the peer connected.
            Self.user(of: peer.pid) == peer.uid, !self.isOfApp(peer.pid)
        else {
            self.refuseOwner(peer.pid, peer.uid)
            return self.turnAway(socket, Self.refusalOfApps, refused)
        }
        let applicant = Applicant(process: process, user: peer.uid)
        self.askPolkit(about: applicant) { daemon, isAllowed in
            guard !daemon.isStopping else { return }
            if isAllowed { return admitted(daemon, applicant) }
            daemon.refusePolkit(applicant)
            var words =
                "polkit did not allow \(PolkitCoordinator.action) (`pkaction -v -a \(PolkitCoordinator.action)` shows its rule)"
            if case .fails(let failure) = daemon.polkit.state {
                words = "polkit was not asked: \(failure.cause); \(failure.remedy)"
            }
            daemon.turnAway(
                socket,
                "this user may not control locationd (not a member of the group of --owners); \(words)",
                refused
            )
        }
    }

    /// The refusal for apps and their descendants.
    private static let refusalOfApps =
        "apps and the programs that they start may not control locationd; run this yourself, in a session that no app started"
    /// The refusal for users who are not owners.
    private static let refusalOfUsers =
        "this user may not control locationd; only its own user, root and members of the group of its --owners may; "
        + "let root add this user to that group (adduser USER GROUP), and log in again"

    /// Refuses a connection of the owner beyond the limit of its kind.
    func turnAwaySurplus(
        _ socket: PacketSocket,
        _ reason: String,
        _ refused: (isolated Daemon, String) -> Void
    ) {
        self.warn(
            .connectionsRefused,
            "too many connections to the owner's sockets; one was refused",
            Self.metadata(ofProcess: socket.peer?.pid, socket.peer?.uid)
        )
        self.turnAway(socket, reason, refused)
    }

    /// Sends a refused connection the reason.
    private func turnAway(
        _ socket: PacketSocket,
        _ reason: String,
        _ refused: (isolated Daemon, String) -> Void
    ) {
        // Read the waiting packets first: closing a socket with unread packets resets it.
        self.dropsQueue(of: socket)
        refused(self, reason)
    }

    /// Counts an applicant that polkit refused, or that polkit could not be asked about.
    func refusePolkit(_ applicant: Applicant) {
        self.refuseOwner(applicant.process.pid, applicant.user)
        self.polkit.refused()
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
        switch self.polkit.asked(by: applicant.user, now: Clocks.now().monotonic) {
        case .refuse: answered(self, false)
        case .ask(let question):
            self.polkitWaiting[question] = answered
            self.polkitTimer?.follow(self.polkit.deadline)
            self.runPolkitCheck(question, about: applicant)
        }
    }

    /// Checks whether polkit works, with a question about locationd itself.
    func tryPolkit() { self.perform(self.polkit.tried(now: Clocks.now().monotonic)) }

    /// Ends questions that polkit did not answer in time, and tries again if polkit failed.
    func polkitDeadlineReached() { self.perform(self.polkit.deadlineReached(now: Clocks.now().monotonic)) }

    /// Ends all open questions.
    func stopPolkit() { self.perform(self.polkit.stopped()) }

    private func perform(_ actions: [PolkitCoordinator.Action]) {
        self.polkitTimer?.follow(self.polkit.deadline)
        for action in actions {
            switch action {
            case .askAboutHost(let question):
                let own = ProcessIdentity(pid: getpid()).map { Applicant(process: $0, user: geteuid()) }
                self.runPolkitCheck(question, about: own)
            case .kill(let question): self.polkitChecks[question]?.asking.signal(SIGKILL)
            case .answer(let question, let isAllowed):
                self.polkitWaiting.removeValue(forKey: question)?(self, isAllowed)
            case .noteAnswers: self.logger.info("polkit answers again")
            case .noteFailure(let failure):
                self.logger.warning(
                    "polkit cannot be asked, so only root and the owners' group may control locationd",
                    metadata: ["reason": "\(failure.cause)", "remedy": "\(failure.remedy)"]
                )
            }
        }
    }

    /// Runs pkcheck for a question; `applicant` is nil if locationd could not read its own entry in /proc.
    private func runPolkitCheck(_ question: PolkitCoordinator.QuestionID, about applicant: Applicant?) {
        do throws(DaemonError) {
            guard let applicant else { throw DaemonError("cannot read /proc/\(getpid())/stat") }
            let process = "\(applicant.process.pid),\(applicant.process.startTicks),\(applicant.user)"
            let (pid, errors) = try Self.spawn(
                self.configuration.pkcheckPath,
                ["--action-id", PolkitCoordinator.action, "--process", process]
            )
            let asking = try AppProcess(child: pid, cgroup: nil, queue: self.executor.queue) { [weak self] end, _ in
                self?.assumeIsolated { $0.polkitCheckEnded(question, end) }
            }
            self.polkitChecks[question] = PolkitCheck(asking: asking, errors: errors)
        } catch {
            self.perform(self.polkit.notStarted(question, reason: error.description, now: Clocks.now()))
        }
    }

    private func polkitCheckEnded(_ question: PolkitCoordinator.QuestionID, _ end: AppProcess.End) {
        let errors = self.polkitChecks.removeValue(forKey: question)?.errors
        self.reapOrphans()
        let complaint = errors?.text(bytesMax: Self.complaintBytesMax) ?? ""
        let status: Int32? = if case .exited(let status) = end { status } else { nil }
        self.perform(self.polkit.ended(question, status: status, complaint: complaint, now: Clocks.now()))
    }

    /// The state of polkit, for people; nil: polkit is not used.
    var polkitStatus: WirePolkitStatus? {
        switch self.polkit.state {
        case .unused: nil
        case .untried: .init()
        case .answers: .with { $0.answers = true }
        case .fails(let failure):
            .with {
                $0.cause = failure.cause
                $0.remedy = failure.remedy
                $0.since = failure.since.microseconds
                $0.refused = failure.refused
            }
        }
    }

    /// Starts a program with a minimal environment, and returns the pipe with its error output.
    private static func spawn(
        _ program: String,
        _ arguments: [String]
    ) throws(DaemonError) -> (pid_t, errors: PipeEnd) {
        let (reading, writing) = try PipeEnd.pair()
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...1 {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, writing.descriptor, 2)
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
            throw DaemonError("cannot start \(program): \(unsafe String(cString: strerror(code)))")
        }
        return (pid, reading)
    }
}
