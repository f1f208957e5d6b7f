internal import CoreLocation
internal import Dispatch
internal import Foundation
internal import Glibc
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The app's side of lock-step: runs one program in this process, in the device's time.
final class SeparateApp: Kernel.Owner {
    private let socket = PacketSocket(owning: LockStep.descriptor)
    private let clock: VirtualClock
    private let kernel: Kernel
    /// The misuses that the device was notified of.
    private var misuses: Set<Misuse> = []

    init(_ clock: VirtualClock.Setting) {
        self.clock = VirtualClock(clock)
        ContainedDefaults.install()
        self.kernel = Kernel(clock: self.clock)
        _ = self.kernel.addProcess("the app")
        self.kernel.owner = self
        // Only this thread makes a client.
        nonisolated(unsafe) let app = self
        LocationClient.find { unsafe Kernel.current === app.kernel ? app.client : app.strayClient }
    }

    private lazy var connection = Connection(self.socket, self.kernel)
    private lazy var client = LocationClient(transport: self.connection)

    /// The client of code on a thread without a device: it is connected to nothing.
    private var strayClient: LocationClient {
        self.socket.report(
            .problem("created a Core Location object on \(Strays.thread)\(CodeLine.here); it is connected to no device")
        )
        return Strays.shared.nowhere
    }

    /// Follows the device's orders until the device is gone.
    func run(_ main: @escaping @MainActor @Sendable () async throws -> Void) -> Never {
        var events: [TransportEvent] = []
        var zone: String?
        var start: (() -> Void)? = {
            Task.detached { exitProcess(await Self.status(of: main)) }
        }
        while true {
            switch self.next() {
            case .event(let event): events.append(event)
            case .go: break
            case .clock(let clock): self.clock.setting = clock
            case .zone(let identifier): zone = identifier
            case .run(let now):
                self.clock.move(to: now)
                self.kernel.pump(until: now) {
                    self.kernel.perform(as: 1) {
                        if let zone { Self.enter(zone) }
                        start?()
                        for event in events { self.connection.deliver(event) }
                    }
                }
                start = nil
                zone = nil
                events = []
                ContainedDefaults.save()
                self.socket.report(.idle(next: self.kernel.nextWakeUp))
            }
        }
    }

    /// Changes the time zone of the process, and notifies its code.
    private static func enter(_ zone: String) {
        unsafe setenv("TZ", zone, 1)
        tzset()
        NSTimeZone.resetSystemTimeZone()
        NotificationCenter.default.post(name: .NSSystemTimeZoneDidChange, object: nil)
    }

    /// Runs the program, and returns its exit status.
    @MainActor private static func status(of main: @MainActor @Sendable () async throws -> Void) async -> Int32 {
        do {
            try await main()
            return 0
        } catch {
            FileHandle.standardError.write(Data("its main threw: \(error)\n".utf8))
            return 1
        }
    }

    private func next() -> LockStep.Order {
        guard case .packet(let packet, _)? = try? self.socket.waitForPacket(), let order = LockStep.Order(packet) else {
            // The device is gone, so the test has ended.
            exitProcess(0)
        }
        return order
    }

    // MARK: Kernel.Owner

    var nextEvent: Int64 { .max }
    func eventsAreDue() {}
    func jobDidRun() {}
    func process(_ process: Kernel.ProcessNumber, wrote line: String) { self.socket.report(.wrote(line)) }
    func process(_ process: Kernel.ProcessNumber, did misuse: Misuse) {
        guard self.misuses.insert(misuse).inserted else { return }
        self.socket.report(.misuse(misuse, at: misuse.problem == nil ? "" : CodeLine.here))
    }
    func processDoesNotWait(_ process: Kernel.ProcessNumber) {
        self.socket.report(
            .problem(
                "ran a million jobs at one instant without waiting for anything; it is ended, so that the test can go on"
            )
        )
        exitProcess(1)
    }
}

/// The app's connection to the device's process.
private final class Connection: Transport {
    private let socket: PacketSocket
    // Used only on the thread that runs the app; `send` rejects all other threads.
    private nonisolated(unsafe) let kernel: Kernel
    private nonisolated(unsafe) var receive: (@Sendable (TransportEvent) -> Void)?

    init(_ socket: PacketSocket, _ kernel: Kernel) {
        self.socket = socket
        unsafe self.kernel = kernel
    }

    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        unsafe self.receive = receive
        self.socket.report(.connect)
        // The device answers at once.
        while case .packet(let packet, _)? = try? self.socket.waitForPacket(),
            case .event(let event)? = LockStep.Order(packet)
        { receive(event) }
    }

    func send(_ message: WireClientMessage) {
        guard unsafe Kernel.current === self.kernel else {
            return self.socket.report(
                .problem(
                    "used a Core Location object on \(Strays.thread)\(CodeLine.here); the call has no effect"
                )
            )
        }
        self.socket.report(.message(message))
    }

    func misused(_ rule: String) {
        self.socket.report(.problem("broke a rule: \(rule)\(CodeLine.here); a device would end the app"))
    }

    var callbacks: CallbackContext? { CallbackContext { DispatchQueue.main.async(execute: $0) } }

    func deliver(_ event: TransportEvent) { unsafe self.receive?(event) }
}

extension PacketSocket {
    fileprivate func report(_ report: LockStep.Report) {
        // If this fails, the next read finds out that the device is gone.
        if let packet = try? report.packet() { _ = try? self.send(packet) }
    }
}

/// Ends the process after writing its output, without the exit handlers of the test's binary.
private func exitProcess(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
}

/// Called by the C constructor in a process that was started to run a program; runs it.
@_cdecl("whereabouts_virtual_time_program")
func runProgram(_ setting: UnsafePointer<CChar>) {
    let words = unsafe String(cString: setting).split(separator: " ", maxSplits: 2)
    guard words.count == 3, let epoch = Int64(words[0]), let boot = Int64(words[1]),
        let type = _typeByName(String(words[2])),
        let program = type as? any SeparateProgram.Type
    else {
        FileHandle.standardError.write(Data("\(LockStep.variable) names no program of this binary\n".utf8))
        exitProcess(64)
    }
    // A program that the app starts is not one of our processes.
    unsafe unsetenv(LockStep.variable)
    SelfCheck.require()
    SeparateApp(VirtualClock.Setting(epoch: epoch, boot: boot)).run { try await program.main() }
}
