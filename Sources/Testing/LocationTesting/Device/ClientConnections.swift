internal import CoreLocation
internal import DequeModule
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The connections of processes to the location service, and the messages that arrive on them.
final class ClientConnections {
    let context: DeviceContext
    let processes: ProcessTable
    let time: DeviceTime
    private let timeline: Timeline
    private let service: LocationService
    let deliveries: Deliveries
    let checks: CodeChecks
    private var inbox = Deque<(Kernel.ProcessNumber, WireClientMessage)>()

    init(
        _ context: DeviceContext,
        _ processes: ProcessTable,
        _ service: LocationService,
        _ deliveries: Deliveries,
        _ checks: CodeChecks
    ) {
        (self.context, self.time, self.timeline) = (context, context.time, context.timeline)
        (self.processes, self.service, self.deliveries, self.checks) = (processes, service, deliveries, checks)
    }

    // MARK: Messages

    /// The client of the Core Location objects that a process makes; nil for code of the device itself or of the test.
    func client(of number: Kernel.ProcessNumber) -> LocationClient? {
        guard let process = self.processes[number] else { return nil }
        if let client = process.client { return client }
        let transport = VirtualTransport(self, process: process)
        process.transport = transport
        let client = LocationClient(transport: transport)
        process.client = client
        return client
    }

    /// A process sent a message.
    ///
    /// The message is handled after the current job, because that job may hold locks.
    func received(_ message: WireClientMessage, from number: Kernel.ProcessNumber) {
        // A message without a connection is lost.
        guard let process = self.processes[number], process.connectedSince != nil else { return }
        if case .declaration(let declaration) = message.body { process.declares(declaration, now: self.time.instant) }
        self.inbox.append((number, message))
    }

    private func takeIn(_ message: WireClientMessage, from number: Kernel.ProcessNumber) {
        guard let process = self.processes[number], !process.hasEnded else { return }
        if case .declaration(let declaration) = message.body {
            let before = process.streams
            process.declared(declaration, self.timeline)
            self.checks.declared(before, by: process)
        }
        guard let message = ClientMessage(message) else { return }
        if self.deliveries.ignores(message, of: process) { return }
        if let words = message.words { self.timeline.add(.request, process.name, words) }
        self.checks.received(message, from: process)
        self.service.feed(.messageReceived(message, from: process.clientID))
    }

    func takeInbox() {
        while let (process, message) = self.inbox.popFirst() { self.takeIn(message, from: process) }
    }

    // MARK: Connections

    /// A process's client connects, for the first time or again: the engine sends it the present state at once.
    func connect(_ number: Kernel.ProcessNumber) {
        guard let process = self.processes[number] else { return }
        guard self.service.isServing else {
            self.processes.deliver(.disconnected, to: process)
            return self.reconnectLater(process)
        }
        process.connectedSince = self.time.instant
        self.service.feed(.connectionOpened(process.clientID, process.principal, Caller()))
        self.processes.deliver(.connected, to: process)
        // A separate process already sent all its declarations; its first call waits for the answer.
        if process.separate == nil { self.takeInbox() }
    }

    func disconnected(_ process: VirtualProcess) {
        guard let since = process.connectedSince else { return }
        process.connectedSince = nil
        process.reconnectPause.connectionEnded(after: since.duration(to: self.time.instant))
        // Events for a suspended process waited in the service, and are lost with the connection.
        process.held = []
        process.lostConnection(self.timeline)
        self.processes.deliver(.disconnected, to: process)
        self.reconnectLater(process)
    }

    /// Tries to connect after a while, as the client's real transport does.
    private func reconnectLater(_ process: VirtualProcess) {
        self.time.schedule(after: process.reconnectPause.take()) { [unowned self] in
            guard !process.hasEnded, process.connectedSince == nil else { return }
            guard self.service.isServing, !process.isSuspended else { return self.reconnectLater(process) }
            self.connect(process.number)
        }
    }

    /// The connection broke; the process lives on and reconnects, as on a real device.
    func cutOff(_ client: ClientID) {
        guard let process = self.processes[client], !process.hasEnded else { return }
        self.time.schedule(after: .zero) { [unowned self] in
            guard !process.hasEnded else { return }
            self.timeline.add(.event, process.name, "is cut off")
            self.disconnected(process)
        }
    }
}
