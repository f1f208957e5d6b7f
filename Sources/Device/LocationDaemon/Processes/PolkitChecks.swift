internal import Dispatch
internal import Foundation
internal import Glibc
internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsHostSupport
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Asks polkit about processes that want the rights of an owner: the running checks, and the applicants that wait for the answers.
///
/// `pkcheck` receives the process ID, start time and user of the peer. ``PolkitCoordinator`` makes the decisions. Used only on the
/// daemon's queue.
final class PolkitChecks {
    /// The longest error text of pkcheck that is shown, in bytes: two lines on a terminal.
    static let complaintBytesMax = 300

    /// A process that wants the rights of an owner.
    struct Applicant: Hashable {
        let process: ProcessIdentity
        let user: uid_t
    }

    /// A running pkcheck, and the pipe with its error output.
    private struct Check {
        let asking: AppProcess
        let errors: PipeEnd
    }

    private let program: String
    private let logger: Logger
    private let reach: Reach<PolkitChecks>
    private var coordinator: PolkitCoordinator
    private var checks: [PolkitCoordinator.QuestionID: Check] = [:]
    private var waiting: [PolkitCoordinator.QuestionID: (Bool) -> Void] = [:]
    private var timer: BootTimer?

    /// Prepares for questions; none is asked before ``start()``.
    ///
    /// - Parameters:
    ///   - program: the path of pkcheck; nil: polkit is not used.
    ///   - logger: receives whether polkit works.
    ///   - reach: finds this object for its event handlers.
    init(program: String?, logger: Logger, reach: Reach<PolkitChecks>) {
        self.program = program ?? ""
        self.logger = logger
        self.reach = reach
        self.coordinator = PolkitCoordinator(isUsed: program != nil, hostsUser: geteuid())
    }

    /// Creates the timer that ends questions without an answer.
    func start() throws(DaemonError) {
        self.timer = try BootTimer.make(queue: self.reach.daemon.queue) { [reach] in reach { $0.deadlineReached() } }
    }

    /// Whether polkit works.
    var state: PolkitCoordinator.State { self.coordinator.state }

    /// The running checks, which are children of locationd.
    var processes: [AppProcess] { self.checks.values.map(\.asking) }

    /// Counts an applicant that polkit refused, or that polkit could not be asked about.
    func refused() { self.coordinator.refused() }

    /// Asks polkit whether a process may manage locationd.
    func ask(about applicant: Applicant, _ answered: @escaping (Bool) -> Void) {
        switch self.coordinator.asked(by: applicant.user, now: Clocks.now().monotonic) {
        case .refuse: answered(false)
        case .ask(let question):
            self.waiting[question] = answered
            self.timer?.follow(self.coordinator.deadline)
            self.runCheck(question, about: applicant)
        }
    }

    /// Checks whether polkit works, with a question about locationd itself.
    func tryOut() { self.perform(self.coordinator.tried(now: Clocks.now().monotonic)) }

    /// Ends questions that polkit did not answer in time, and tries again if polkit failed.
    private func deadlineReached() { self.perform(self.coordinator.deadlineReached(now: Clocks.now().monotonic)) }

    /// Ends all open questions.
    func stop() { self.perform(self.coordinator.stopped()) }

    private func perform(_ actions: [PolkitCoordinator.Action]) {
        self.timer?.follow(self.coordinator.deadline)
        for action in actions {
            switch action {
            case .askAboutHost(let question):
                let own = ProcessIdentity(pid: getpid()).map { Applicant(process: $0, user: geteuid()) }
                self.runCheck(question, about: own)
            case .kill(let question): self.checks[question]?.asking.signal(SIGKILL)
            case .answer(let question, let isAllowed): self.waiting.removeValue(forKey: question)?(isAllowed)
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
    private func runCheck(_ question: PolkitCoordinator.QuestionID, about applicant: Applicant?) {
        do throws(DaemonError) {
            guard let applicant else { throw DaemonError("cannot read /proc/\(getpid())/stat") }
            let process = "\(applicant.process.pid),\(applicant.process.startTicks),\(applicant.user)"
            let (pid, errors) = try Self.spawn(
                self.program,
                ["--action-id", PolkitCoordinator.action, "--process", process]
            )
            let asking = try AppProcess(child: pid, cgroup: nil, queue: self.reach.daemon.queue) { [reach] end, _ in
                reach { $0.checkEnded(question, end) }
            }
            self.checks[question] = Check(asking: asking, errors: errors)
        } catch {
            self.perform(self.coordinator.notStarted(question, reason: error.description, now: Clocks.now()))
        }
    }

    private func checkEnded(_ question: PolkitCoordinator.QuestionID, _ end: AppProcess.End) {
        let errors = self.checks.removeValue(forKey: question)?.errors
        self.reach.daemon.childEnded()
        let complaint = errors?.text(bytesMax: Self.complaintBytesMax) ?? ""
        let status: Int32? = if case .exited(let status) = end { status } else { nil }
        self.perform(self.coordinator.ended(question, status: status, complaint: complaint, now: Clocks.now()))
    }

    /// The state of polkit, for people; nil: polkit is not used.
    var status: WirePolkitStatus? {
        switch self.state {
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
