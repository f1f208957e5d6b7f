internal import CoreLocation
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages

/// The processes of a device: each from its launch to its end, with the events that reach it.
final class ProcessTable {
    private let kernel: Kernel
    private let time: DeviceTime
    private let timeline: Timeline
    private let service: LocationService
    /// The processes by number.
    ///
    /// Number 0 is the device itself; numbers of other devices' processes are nil.
    private var numbered: [VirtualProcess?] = [nil]
    /// The living processes whose code runs in a separate process.
    private(set) var separate: [VirtualProcess] = []

    init(_ kernel: Kernel, _ context: DeviceContext, _ service: LocationService) {
        (self.kernel, self.time, self.timeline, self.service) = (kernel, context.time, context.timeline, service)
    }

    // MARK: Reading

    /// All processes, ended ones too, in the order of their launches.
    var all: [VirtualProcess] { self.numbered.compactMap(\.self) }

    var living: [VirtualProcess] { self.all.filter { !$0.hasEnded } }

    /// The apps' own processes, without those of extensions.
    var livingApps: [VirtualProcess] { self.living.filter { $0.role == .app } }

    func living(_ bundle: BundleID) -> [VirtualProcess] { self.living.filter { $0.bundle == bundle } }

    /// The app's own process, if it runs.
    func app(_ bundle: BundleID) -> VirtualProcess? { self.livingApps.first { $0.bundle == bundle } }

    /// The process of the app's push extension, if it runs.
    func pushExtension(of bundle: BundleID) -> VirtualProcess? { self.living(bundle).first { $0.role != .app } }

    /// The process of this device with a number; nil: the number belongs to another device, or to the device itself.
    subscript(number: Kernel.ProcessNumber) -> VirtualProcess? {
        self.numbered.indices.contains(number) ? self.numbered[number] : nil
    }

    subscript(client: ClientID) -> VirtualProcess? { self[Int(client.rawValue)] }

    /// The process whose code runs now.
    var current: VirtualProcess? { self[self.kernel.process] }

    /// Whether the code on this thread belongs to a process of this device, or to no process of its kernel.
    var areCurrent: Bool {
        guard let running = Kernel.current, running === self.kernel else { return false }
        return running.process == 0 || self.current != nil
    }

    // MARK: Life

    /// Adds a process that was launched.
    func add(
        _ bundle: BundleID,
        _ role: Principal.Role,
        _ arrival: Lifecycle.Arrival,
        _ words: String
    ) -> VirtualProcess {
        let name = role == .app ? bundle.rawValue : "\(bundle)'s extension"
        let number = self.kernel.addProcess(name, self.time.clock)
        let process = VirtualProcess(number: number, bundle: bundle, role: role, arrival: arrival)
        while self.numbered.count < number { self.numbered.append(nil) }
        self.numbered.append(process)
        self.stands(process, words)
        return process
    }

    /// The code of a process runs in a separate process.
    func runs(_ process: VirtualProcess, in separate: SeparateProcess) {
        process.separate = separate
        self.separate.append(process)
    }

    func show(_ process: VirtualProcess, _ phase: Lifecycle.Phase) {
        process.phase = phase
        self.stands(process, phase == .foreground ? "comes to the foreground" : "goes to the background")
    }

    func suspend(_ process: VirtualProcess) {
        guard !process.isSuspended else { return }
        process.isSuspended = true
        self.stands(process, "is suspended")
        self.kernel.hold(process.number)
    }

    func resume(_ process: VirtualProcess) {
        guard process.isSuspended else { return }
        process.isSuspended = false
        if process.holdings.ended != nil { process.holdings.ended = self.time.instant }
        self.stands(process, "goes on")
        self.kernel.goOn(process.number)
        let held = process.held
        process.held = []
        for item in held { self.deliver(item.event, to: process) }
    }

    /// Ends a process: first its connection, then its tasks.
    ///
    /// Afterwards none of its code runs.
    func end(_ process: VirtualProcess, _ reason: String, _ end: Engine.ProcessEnd = .signalled(9)) {
        guard !process.hasEnded else { return }
        process.bury()
        self.stands(process, reason)
        self.kernel.end(process.number)
        self.separate.removeAll { $0 === process }
        if process.connectedSince != nil { self.service.feed(.connectionClosed(process.clientID)) }
        switch process.role {
        case .app: self.service.feed(.appEnded(process.bundle, end))
        case .pushExtension(let launch): self.service.feed(.extensionEnded(launch, end))
        }
    }

    private func stands(_ process: VirtualProcess, _ words: String) {
        self.timeline.add(.event, process.name, words)
        self.timeline.stands(process.name, process.state)
    }

    /// Releases everything that code of apps made.
    func release() {
        for process in self.living {
            process.bury()
            self.kernel.end(process.number)
        }
        for process in self.all { process.transport?.detach() }
    }

    // MARK: Events

    func send(_ message: WireDaemonMessage, to client: ClientID) {
        if let process = self[client] { self.deliver(.message(message), to: process) }
    }

    /// Sends an event to a process's client; a suspended process gets it when it resumes.
    func deliver(_ event: TransportEvent, to process: VirtualProcess, newestOf stream: UInt64? = nil) {
        guard !process.hasEnded else { return }
        guard !process.isSuspended else { return process.hold(event, of: stream) }
        if let separate = process.separate { return separate.deliver(event) }
        self.perform(as: process) { process.transport?.deliver(event) }
    }

    /// Runs `body` as a process, so that the tasks it wakes belong to that process.
    func perform(as process: VirtualProcess, _ body: () -> Void) { self.kernel.perform(as: process.number, body) }

    // MARK: Waiting

    var hasWaiters: Bool {
        self.living.contains { !$0.streams.isEmpty || !self.kernel.wakeUps(of: $0.number).isEmpty }
    }

    /// The reason why each process waits, for people.
    var waits: [String] {
        self.living.map { process in
            var wakeUps = self.kernel.wakeUps(of: process.number)
            if let next = process.separate?.next, next < .max { wakeUps = [next] }
            return "\(process.name) (\(process.state)) \(process.waits(wakingAt: wakeUps))"
        }
    }
}
