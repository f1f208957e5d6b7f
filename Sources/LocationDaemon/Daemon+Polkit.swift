internal import CLinux
internal import Dispatch
internal import Foundation
internal import Glibc
internal import LocationEngine
internal import LocationWire
internal import LocationWireMessages
internal import Logging
internal import SwiftProtobuf
internal import Vocabulary

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
    /// The longest complaint of pkcheck's that is shown, in bytes: two lines on a terminal.
    static let complaintBytesMax = 300

    /// A process that wants to be an owner's.
    struct Applicant: Hashable {
        let process: ProcessIdentity
        let user: uid_t
    }

    /// A question to polkit.
    struct PolkitCheck {
        let asking: AppProcess
        let user: uid_t
        /// Its complaints.
        let errors: PipeEnd
    }

    /// The reason why polkit does not answer, and what that costs.
    struct PolkitFailure: Sendable, Hashable {
        let cause: String
        let remedy: String
        let since: WallTime
        /// The number of connections and answers since then that were refused without it.
        var refused: UInt64 = 0
    }

    /// The way that polkit can be asked.
    enum PolkitState: Sendable, Hashable {
        /// It is not to be asked.
        case unused
        /// It was not asked yet.
        case untried
        /// It answers.
        case answers
        /// It does not.
        case fails(PolkitFailure)
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
            guard !self.isOwners(socket) else { return admitted(self, nil) }
            let mayOrder = socket.peer.map { self.owns(socket, $0.uid) } ?? false
            return self.turnAway(socket, mayOrder ? Self.refusalOfApps : Self.refusalOfUsers, refused)
        }
        guard !self.isAppsUser(peer.uid), let process = ProcessIdentity(pid: peer.pid),
            // The number may have passed to a process of another user's since it connected.
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
                "polkit did not allow \(Self.polkitAction) (pkaction -v -a \(Self.polkitAction) says to whom it does)"
            if case .fails(let failure) = daemon.polkit {
                words = "polkit was not asked: \(failure.cause); \(failure.remedy)"
            }
            daemon.turnAway(socket, "this user gives no orders here, and is in no group of --owners; \(words)", refused)
        }
    }

    /// The answer to apps and to what they started.
    private static let refusalOfApps =
        "apps, and what they started, give no orders here; start this by yourself, in a session that no app began"
    /// The answer to other users.
    private static let refusalOfUsers =
        "this user gives no orders here: locationd takes them from its own user, from root, and from members of the group of its --owners; "
        + "have root add this user to that group (adduser USER GROUP), and log in anew"

    /// Tells a connection that is not taken why.
    private func turnAway(
        _ socket: PacketSocket,
        _ reason: String,
        _ refused: (isolated Daemon, String) -> Void
    ) {
        // A connection that is closed with packets in it is reset.
        self.dropsQueue(of: socket)
        refused(self, reason)
    }

    /// Counts somebody whom polkit did not allow, or could not be asked about.
    func refusePolkit(_ applicant: Applicant) {
        self.refuseOwner(applicant.process.pid, applicant.user)
        guard case .fails(var failure) = self.polkit else { return }
        failure.refused += 1
        self.polkit = .fails(failure)
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
            let (pid, errors) = try Self.spawn(
                self.configuration.pkcheckPath,
                ["--action-id", Self.polkitAction, "--process", process]
            )
            let asking = try AppProcess(child: pid, cgroup: nil, queue: self.executor.queue) { [weak self] end in
                self?.assumeIsolated { daemon in
                    let errors = daemon.polkitChecks.removeValue(forKey: id)?.errors
                    daemon.reapOrphans()
                    let complaint = errors?.text(bytesMax: Self.complaintBytesMax) ?? ""
                    daemon.polkitSaid(end, complaint, about: applicant, answered)
                }
            }
            self.polkitChecks[id] = PolkitCheck(asking: asking, user: applicant.user, errors: errors)
        } catch {
            self.polkitFailed(error.description, remedy: "apt-get install polkitd")
            return answered(self, false)
        }
        self.executor.queue.asyncAfter(deadline: .now() + Self.polkitTimeMax / .seconds(1)) { [weak self] in
            self?.assumeIsolated { $0.polkitChecks[id]?.asking.signal(SIGKILL) }
        }
    }

    /// Asks about locationd itself: that it may is no news, but whether polkit answers, and knows the action.
    func tryPolkit() {
        guard self.polkit != .unused, let process = ProcessIdentity(pid: getpid()) else { return }
        self.askPolkit(about: Applicant(process: process, user: geteuid())) { _, _ in }
    }

    /// Tries a polkit that fails again, less and less often, so that the trouble is not shown for longer than it lasts.
    private func tryPolkitLater() {
        guard !self.isPolkitTriedLater, !self.isStopping else { return }
        self.isPolkitTriedLater = true
        let pause = self.polkitBackoff.next() / .seconds(1)
        self.executor.queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            self?.assumeIsolated { daemon in
                daemon.isPolkitTriedLater = false
                if case .fails = daemon.polkit, !daemon.isStopping { daemon.tryPolkit() }
            }
        }
    }

    /// Hands on what pkcheck said about a process.
    ///
    /// A failure may be that of a process which is gone. Before polkit is in trouble for all it is asked about locationd itself.
    private func polkitSaid(
        _ end: AppProcess.End,
        _ complaint: String,
        about applicant: Applicant,
        _ answered: @escaping @Sendable (isolated Daemon, Bool) -> Void
    ) {
        // As pkcheck(1) has it: 0 yes; 1, 2 and 3 no, or not without asking a person.
        if case .exited(let status) = end, (0...3).contains(status) {
            if case .fails = self.polkit { self.logger.info("polkit answers again") }
            self.polkit = .answers
            self.polkitBackoff.reset()
            return answered(self, status == 0)
        }
        if self.polkit == .answers, applicant.process.pid != getpid(), let own = ProcessIdentity(pid: getpid()) {
            return self.askPolkit(about: Applicant(process: own, user: geteuid())) { daemon, _ in
                answered(daemon, false)
            }
        }
        if case .exited = end {
            self.polkitFailed(
                "pkcheck failed\(complaint.isEmpty ? "" : ": \(complaint)")",
                remedy: Self.remedy(against: complaint)
            )
        } else {
            self.polkitFailed(
                "pkcheck did not answer within \(Self.polkitTimeMax / .seconds(1)) s",
                remedy: "systemctl restart polkit"
            )
        }
        answered(self, false)
    }

    /// The remedy against what pkcheck complains of, in the words of polkit 122 and GLib.
    private static func remedy(against complaint: String) -> String {
        if complaint.contains("not registered") {
            return "install \(Self.polkitAction.dropLast(".manage".count)).policy of locationd's package in "
                + "/usr/share/polkit-1/actions"
        }
        if complaint.contains("Could not connect") { return "systemctl start dbus polkit" }
        return "apt-get install polkitd, systemctl start polkit; journalctl -u polkit says more"
    }

    private func polkitFailed(_ cause: String, remedy: String) {
        defer { self.tryPolkitLater() }
        var failure = PolkitFailure(cause: cause, remedy: remedy, since: Clocks.wall())
        if case .fails(let before) = self.polkit {
            // It goes on to fail, perhaps in other words.
            failure = PolkitFailure(cause: cause, remedy: remedy, since: before.since, refused: before.refused)
            guard before.cause != cause else { return }
        }
        self.polkit = .fails(failure)
        self.logger.warning(
            "polkit is not asked, and only root and the owners' group give orders",
            metadata: ["reason": "\(cause)", "remedy": "\(remedy)"]
        )
    }

    /// The state of polkit, for people; nil: it is not to be asked.
    var polkitStatus: WirePolkitStatus? {
        switch self.polkit {
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

    /// Starts a program that says nothing but what it complains of, with an environment of its own.
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
