internal import CoreLocation
internal import Dispatch
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The connection of one process to its device: passes values, without encoding.
final class VirtualTransport: Transport {
    // Used only on the thread that runs the device; `reach` rejects all other threads.
    private nonisolated(unsafe) var connections: ClientConnections?
    private nonisolated(unsafe) var receive: (@Sendable (TransportEvent) -> Void)?
    private let process: Kernel.ProcessNumber
    private let name: String
    /// The misuses that were reported.
    private let told = Mutex(Told())

    /// A launch on a device.
    private struct Launch: Hashable {
        let device: UInt64
        let process: Kernel.ProcessNumber
    }

    private struct Told {
        /// The launches that misused the connection, each reported once; nil: code outside of devices.
        var launches: Set<Launch?> = []
        /// The line of the first misuse only, because finding a line takes a while.
        var line: String?
    }

    init(_ connections: ClientConnections, process: VirtualProcess) {
        unsafe self.connections = connections
        self.process = process.number
        self.name = process.name
    }

    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        unsafe self.receive = receive
        unsafe self.connections?.connect(self.process)
    }

    func send(_ message: WireClientMessage) {
        self.reach()?.received(message, from: self.process)
    }

    func used() { _ = self.reach() }

    func awaits(_ call: String, loop: UInt64?) {
        // Calls of ended processes are reported by the other functions.
        guard let connections = unsafe self.connections, connections.processes.areCurrent else { return }
        connections.context.story?.begins(call, loop: loop, in: self.process)
    }

    /// Reports an app's bug to the test, because ending the app, as a device does, would end the process of all tests.
    func refused(_ rule: String) {
        unsafe self.connections?.context.problems.add(
            "\(self.name): \(rule)\(CodeLine.here); a device would end the app"
        )
    }

    func misused(_ rule: String) { self.refused(rule) }

    func openedAgain(monitor name: String) { self.reach()?.deliveries.openedAgain(monitor: name, by: self.process) }

    func completedAgain() { self.reach()?.checks.completedAgain(by: self.process) }

    func watchedEnded() { self.reach()?.checks.watchedEnded(by: self.process) }

    func mayReadAgain() -> Bool { self.reach()?.deliveries.quirks.contains(.endsSecondLoop) != true }

    func detach() { unsafe self.connections = nil }

    /// A device's processes have one thread, their main thread.
    var callbacks: CallbackContext? { CallbackContext { DispatchQueue.main.async(execute: $0) } }

    /// Delivers an event to the process's client.
    func deliver(_ event: TransportEvent) {
        unsafe self.receive?(event)
    }

    /// The connections of the device, if the running code belongs to this process; otherwise nil, and the mistake is reported.
    private func reach() -> ClientConnections? {
        let own = unsafe self.connections
        if let own, own.processes[self.process]?.hasEnded == false, own.processes.areCurrent { return own }
        guard let line = self.tells(Kernel.current) else { return nil }
        guard Kernel.current != nil else {
            own?.context.problems.add(
                "a Core Location object of \(self.name) was used on \(Strays.thread)\(line), or by the test itself; "
                    + "the call has no effect. To read an app's object in a test, call VirtualApp.read"
            )
            return nil
        }
        let fault =
            own?.processes[self.process]?.hasEnded == false
            ? "was used on another device\(line): it is in a static, which all tests of a run share"
            : "was used after its process ended\(line): a static variable kept it, or one launch passed it to the next"
        DeviceHost.current?.checks.usedEndedLaunch(
            "a Core Location object of \(self.name) \(fault). On a device it ends with its process; here it has no effect. "
                + "Create it at every launch, or run the app in a process of its own (AppUnderTest(_:separateProcess:))"
        )
        return nil
    }

    /// The line of a misuse to report; nil when this launch already reported it.
    private func tells(_ kernel: Kernel?) -> String? {
        let launch = kernel.map { Launch(device: $0.vitals.number, process: $0.process) }
        guard self.told.withLock({ $0.launches.insert(launch).inserted }) else { return nil }
        if let line = self.told.withLock({ $0.line }) { return line }
        let line = CodeLine.here
        self.told.withLock { $0.line = line }
        return line
    }
}
