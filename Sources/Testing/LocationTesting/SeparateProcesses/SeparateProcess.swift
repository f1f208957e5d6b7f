internal import CoreLocation
internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

/// The device's side of an app in a separate process, in lock-step with the device (ADR 0027).
///
/// The process is the test's own binary, started again to run one program. Its code runs only while the device waits for it.
final class SeparateProcess {
    /// When the next task of the process wakes; `Int64.max`: no task will wake.
    private(set) var next: Int64 = 0
    private let socket: PacketSocket
    private let pid: pid_t
    /// The orders to send when the process runs next.
    private var outbox: [LockStep.Order] = []
    /// Whether the process waits, in its first call of Core Location, for the service's answer.
    private(set) var waitsForAnswer = false
    private var hasEnded = false

    /// More real milliseconds than any app needs to become idle, or to print why it crashed.
    static let patience: Int32 = 30_000

    /// Starts the test's binary to run a program.
    ///
    /// - Parameters:
    ///   - program: the name of the program's type, in the runtime's (mangled) form.
    ///   - clock: the device's clocks.
    ///   - environment: the variables to add to the test's own.
    /// - Throws: ``WireError`` if no more sockets or processes can be created.
    init(program: String, clock: VirtualClock.Setting, environment: [String: String]) throws(WireError) {
        let (socket, other) = try PacketSocket.pair()
        self.socket = socket
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, other.descriptor, LockStep.descriptor)
        unsafe clinux_close_from(&actions, LockStep.descriptor + 1)
        var variables = ProcessInfo.processInfo.environment
        variables.merge(environment) { $1 }
        variables[LockStep.variable] = "\(clock.epoch) \(clock.boot) \(program)"
        // Without `fast` a crash takes seconds, because inlined calls are looked up.
        if variables["SWIFT_BACKTRACE"] == nil { variables["SWIFT_BACKTRACE"] = "symbolicate=fast" }
        var arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        var entries = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (arguments + entries).forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let code = unsafe posix_spawn(&pid, "/proc/self/exe", &actions, nil, &arguments, &entries)
        guard code == 0 else { throw WireError("cannot start the test's binary again", code: code) }
        self.pid = pid
    }

    /// Whether an order waits for the process, or a task of it is scheduled for this time.
    func isDue(_ now: Int64) -> Bool { !self.hasEnded && (!self.outbox.isEmpty || self.next <= now) }

    /// Sends the process an event: at once while it waits for an answer, otherwise when it runs next.
    func deliver(_ event: TransportEvent) {
        if self.waitsForAnswer { self.send(.event(event)) } else { self.outbox.append(.event(event)) }
    }

    /// Sends the process the new setting of the device's clocks.
    func set(_ clock: VirtualClock.Setting) { self.outbox.append(.clock(clock)) }

    /// Sends the process the device's new time zone.
    func enter(_ zone: String) { self.outbox.append(.zone(zone)) }

    /// The end of a step.
    enum Step {
        /// All its tasks wait.
        case idle
        /// The process ended in this way.
        case ended(Engine.ProcessEnd)
        /// The process does not become idle.
        case restless
    }

    /// Lets the process run at an instant.
    ///
    /// - Parameters:
    ///   - now: the instant.
    ///   - hear: receives each report of the process meanwhile; returns whether the answer to its connection is complete.
    /// - Returns: the outcome of the run.
    func live(through now: Int64, _ hear: (LockStep.Report) -> Bool) -> Step {
        for order in self.outbox { self.send(order) }
        self.outbox = []
        self.send(.run(now: now))
        defer { self.waitsForAnswer = false }
        while true {
            guard let received = try? self.socket.waitForPacket(milliseconds: Self.patience) else {
                return .ended(self.end())
            }
            switch received {
            // A process that ends closes the socket, and then its status is known; a process that only closed the socket is
            // killed.
            case .closed: return .ended(self.end())
            case .empty: return .restless
            case .packet(let packet, _):
                // Both sides run the same code, so a packet that cannot be decoded is not expected.
                guard let report = LockStep.Report(packet) else { return .ended(self.end()) }
                if case .idle(let next) = report {
                    self.next = next
                    return .idle
                }
                if case .connect = report { self.waitsForAnswer = true }
                let isAnswered = hear(report)
                if self.waitsForAnswer, isAnswered {
                    self.waitsForAnswer = false
                    self.send(.go)
                }
            }
        }
    }

    /// Kills the process, unless it has ended, and waits for its end.
    @discardableResult
    func end() -> Engine.ProcessEnd {
        if !self.hasEnded { kill(self.pid, SIGKILL) }
        return self.waitForEnd()
    }

    private func waitForEnd() -> Engine.ProcessEnd {
        guard !self.hasEnded else { return .exited(0) }
        self.hasEnded = true
        var status: Int32 = 0
        while unsafe waitpid(self.pid, &status, 0) < 0, errno == EINTR {}
        return clinux_exited(status) != 0
            ? .exited(clinux_exit_status(status)) : .signalled(clinux_term_signal(status))
    }

    private func send(_ order: LockStep.Order) {
        // A failure is ignored: the process has ended, which is noticed when its answer is awaited.
        if let packet = try? order.packet() { _ = try? self.socket.send(packet) }
    }
}
