internal import Crypto
internal import Dispatch
public import Logging
internal import NIOCore
internal import NIOPosix
internal import WhereaboutsDeviceCore
internal import WhereaboutsDurableStorage
internal import WhereaboutsHostSupport
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWire
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The shell around the device's core on a real machine: sockets, processes, timers, disks.
///
/// It passes events to ``DeviceCore`` and performs the actions that the core returns; it decides nothing itself (ADR 0029).
///
/// **One queue.** Everything runs on one serial dispatch queue, the actor's executor: listeners, connections, ends of
/// processes, the deadline timer, and events from the network thread. An event that arrives while actions are performed
/// waits in the core, so actions of two events never interleave. Orders are answered after the last waiting event, when
/// it is known whether the decision is on disk.
///
/// **Parts.** Each part owns its state, and is used on that queue only. A part passes events to the core, and finds itself
/// again in its handlers, through ``Reach``:
/// - `core`: every decision; changed by `feed(_:)` alone.
/// - ``ClientConnections``, ``ToolConnections``, ``AgentConnections``, ``NMEAReaders``: the connections of each kind of peer.
/// - ``PolkitChecks``: the questions to polkit about peers that want to give orders.
/// - ``ProcessTable``: the processes of apps. ``AppFolders``: their users and files.
/// - ``DeviceSources``: the sources of positions and the scanner of beacons.
/// - ``DeviceStorage``: the files that the core's actions change.
/// - ``GatewayConnection``: the link to the push gateway.
///
/// ``DeviceReport`` reads the core and the parts for people, and changes neither.
///
/// The daemon checks what peers ask for, and keeps what no part owns: the installed apps, the owner's rules, and the
/// orders whose results are awaited.
public actor Daemon {
    let executor: QueueExecutor
    /// A reference to this actor for the event handlers of the parts.
    let reference: DaemonReference
    let configuration: DaemonConfiguration
    let logger: Logger
    var bundles: BundleStore
    let folders: AppFolders
    let processes: ProcessTable
    /// The core, which decides everything.
    var core: DeviceCore
    let storage: DeviceStorage
    private let deviceKey: Curve25519.Signing.PrivateKey
    private let locks: [ExclusiveLock]
    /// One thread for the network: receivers, the push gateway, the geocoder.
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    let clients: ClientConnections
    let tools: ToolConnections
    let agents: AgentConnections
    /// The connections of brokers that have not named an app yet.
    var brokers: [ObjectIdentifier: PacketConnection] = [:]
    let polkit: PolkitChecks
    var management = Management()
    /// Copies bundles one after the other.
    let copying = DispatchQueue(label: "locationd.copying", qos: .utility)
    /// The number of bundles that are being copied or wait for that.
    var installations = 0
    var nextInstallation = 0
    private var orders = OrdersInProgress()
    private(set) var isStopping = false
    /// The caller of ``stop()``, which waits for the last process to end.
    private var stopped: CheckedContinuation<Void, Never>?
    private var hasEnded = false
    private var listeners: [PacketListener] = []
    private var timer: BootTimer?
    let sources: DeviceSources
    let gateway: GatewayConnection
    private(set) var geocodingServer: GeocodingServer?
    /// The programs that read NMEA 0183; nil: no socket is configured.
    var nmea: NMEAReaders?
    /// The reached bounds of this shell; the core counts its own.
    let bounds: BoundLog

    /// Runs the actor on its own queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

    /// Reads the state; nothing runs before ``start()``.
    ///
    /// - Throws: ``DaemonError``.
    public init(_ configuration: DaemonConfiguration, logger: Logger) throws {
        self.executor = QueueExecutor(label: "locationd")
        self.reference = DaemonReference(queue: self.executor.queue)
        let configuration = try configuration.withDirectories()
        self.configuration = configuration
        self.logger = logger
        self.bounds = BoundLog(logger)
        let state = configuration.stateDirectory
        self.locks = try configuration.lockDirectories()
        try configuration.checkLauncher()
        self.clients = ClientConnections(bounds: self.bounds, reach: Reach(daemon: self.reference) { $0.clients })
        self.agents = AgentConnections(bounds: self.bounds, reach: Reach(daemon: self.reference) { $0.agents })
        self.folders = try AppFolders(configuration, reach: Reach(daemon: self.reference) { $0.folders })
        self.polkit = PolkitChecks(
            program: configuration.asksPolkit ? configuration.pkcheckPath : nil,
            logger: logger,
            reach: Reach(daemon: self.reference) { $0.polkit }
        )
        self.sources = DeviceSources(logger: logger, reach: Reach(daemon: self.reference) { $0.sources })
        self.gateway = GatewayConnection(logger: logger, reach: Reach(daemon: self.reference) { $0.gateway })
        let keyPath = state + "/device.key"
        let credential = try StateSeal.credential(in: configuration.credentialsDirectory)
        self.deviceKey = try DeviceKeyFile.load(path: keyPath, credential: credential)
        let seal = StateSeal(deviceKey: self.deviceKey, at: keyPath, credential: credential)
        self.bundles = try BundleStore(directory: state + "/apps", seal: seal)
        self.bundles.logBroken(to: logger)
        self.storage = try DeviceStorage(state, seal: seal, bounds: self.bounds, logger: logger)
        self.tools = ToolConnections(
            sources: self.sources,
            storage: self.storage,
            bounds: self.bounds,
            reach: Reach(daemon: self.reference) { $0.tools }
        )
        self.processes = try ProcessTable(
            configuration,
            folders: self.folders,
            bounds: self.bounds,
            logger: logger,
            reach: Reach(daemon: self.reference) { $0.processes }
        )
        if let path = configuration.managementPath { self.management = try ManagementFile.read(path) }
        let engine = try self.storage.loadEngine(
            bundles: self.bundles,
            running: self.processes.recorded,
            policy: configuration.policy
        )
        self.core = DeviceCore(
            engine,
            hasGeocoder: configuration.geocoder != nil,
            sources: SourceCoordinator(coarse: configuration.sources.map(\.isCoarse), policy: configuration.policy)
        )
    }

    /// Opens the sockets, connects to the gateway, and resumes unfinished work.
    ///
    /// - Throws: ``DaemonError`` when a socket or the device's key cannot be created.
    public func start() throws {
        let queue = self.executor.queue
        self.reference.set(self)
        self.timer = try BootTimer.make(queue: queue) { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
        try self.polkit.start()
        try self.sources.open(self.configuration.sources, group: self.group)
        if let address = self.configuration.gateway {
            try self.gateway.open(address, key: self.deviceKey, group: self.group)
        }
        if let geocoder = self.configuration.geocoder {
            self.geocodingServer = try GeocodingServer(geocoder, group: self.group)
        }
        let runtime = self.configuration.runtimeDirectory
        self.listeners = [
            // Every user may connect who can enter the directory; the kernel identifies the process.
            try self.listen("apps", at: SocketPaths.apps(in: runtime), mode: 0o666) { $0.appConnected($1) },
            try self.listenToOwners("control", at: SocketPaths.control(in: runtime), asksPolkit: true) {
                $0.controlConnected($1)
            },
            try self.listenToOwners("agent", at: SocketPaths.agent(in: runtime), asksPolkit: true) {
                $0.agentConnected($1)
            },
            try self.listenToOwners("broker", at: SocketPaths.broker(in: runtime)) { $0.brokerConnected($1) },
        ]
        for warning in self.folders.warnings { self.logger.warning("\(warning)") }
        let processes = self.processes.readoptApps(self.bundles)
        self.folders.removeLeftContainers(self.logger)
        self.feed(.begun(.init(management: self.management, processes: processes)))
        if let path = self.configuration.beaconFeed { self.sources.openBeaconFeed(path, group: self.group) }
        try self.makeNMEAPort()
        self.storage.recoverPushes { self.feed(.pushRecovered($0)) }
        self.polkit.tryOut()
        self.logger.info("started", metadata: ["apps": "\(self.bundles.apps.count)"])
    }

    /// Listens at a path, or on the socket that the service manager opened under that name.
    func listen(
        _ name: String,
        at path: String,
        mode: UInt32,
        _ connected: @escaping @Sendable (isolated Daemon, PacketSocket) -> Void
    ) throws -> PacketListener {
        let queue = self.executor.queue
        let accepted: @Sendable (PacketSocket) -> Void = { [weak self] socket in
            self?.assumeIsolated { connected($0, socket) }
        }
        guard let descriptor = self.configuration.sockets[name] else {
            return try PacketListener(path: path, mode: mode, queue: queue, accepted: accepted)
        }
        return PacketListener(try PacketSocket.listening(descriptor), queue: queue, accepted: accepted)
    }

    /// Ends all connections and started processes; the core decides how much time processes have.
    public func stop() async {
        guard !self.isStopping else { return }
        self.isStopping = true
        for listener in self.listeners { listener.close() }
        self.nmea?.close()
        self.feed(.endOrdered)
        self.clients.closeAll()
        self.tools.closeAll()
        self.agents.closeAll()
        for broker in self.brokers.values { broker.close() }
        self.polkit.stop()
        self.sources.stop()
        self.gateway.link?.stop()
        self.geocodingServer?.stop()
        await withCheckedContinuation { continuation in
            if self.hasEnded { return continuation.resume() }
            self.stopped = continuation
        }
        self.logger.info("stopped")
    }

    private func end() {
        if let fault = self.storage.flushLog() {
            self.logger.error("lines of the log are lost", metadata: ["reason": "\(fault)"])
        }
        self.hasEnded = true
        self.stopped?.resume()
        self.stopped = nil
    }

    /// Returns after the queue has run an item; a hung daemon never returns.
    public func runsQueue() {}

    /// Reads the device owner's rules again; a faulty file leaves the present rules in force.
    public func reload() {
        guard let path = self.configuration.managementPath else {
            return self.logger.info("no rules are configured; --management names their file")
        }
        do {
            self.management = try ManagementFile.read(path)
            self.feed(.managementChanged(self.management))
            self.logger.info("the rules were read again", metadata: ["file": "\(path)"])
        } catch {
            self.logger.error("the previous rules stay in force", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: Events

    /// Reports an event that only the engine needs.
    func feed(_ input: Engine.Input) { self.feed(.happened(input)) }

    /// Passes an event to the core and performs its actions; an event that arrives meanwhile waits in the core.
    func feed(_ event: DeviceCore.Event) {
        // Agents show nothing that changes with a measurement.
        if !event.isMeasurement { self.agents.mayDiffer = true }
        guard self.core.enqueue(event) else { return }
        while let actions = self.core.next(now: Clocks.now()) {
            for action in actions { self.perform(action) }
        }
        self.storage.saveAccounts()
        self.timer?.follow(self.core.nextDeadline?.at)
        self.gateway.read(self.core.readsGateway)
        self.agents.tellChanges(of: self.core.engine, self.bundles)
        self.answerOrders()
    }

    /// Carries out an order.
    ///
    /// - Parameters:
    ///   - order: the order.
    ///   - answered: receives the result once, possibly before this method returns.
    func carryOut(_ order: Order, then answered: @escaping (OrderResult) -> Void) {
        self.feed(.ordered(order, self.orders.add(answered)))
    }

    private func answerOrders() {
        while let (receiver, result) = self.orders.takeResult() { receiver(result) }
    }

    /// The reason why the last decision would not survive a restart; nil if it is on disk.
    var unsaved: DaemonError? {
        // If only claims of apps are missing on disk, the decisions are there.
        guard !self.storage.lacksApps else { return nil }
        return self.core.unsavedReason.map { reason in
            DaemonError(
                "\(reason); the change is in effect and will be saved when possible; it is lost if locationd ends before that"
            )
        }
    }

    // MARK: Actions

    private func perform(_ action: DeviceCore.Action) {
        switch action {
        case .save: self.save()
        case .keep(let push): self.keep(push)
        case .acknowledge(let push): self.gateway.link?.acknowledge(push)
        case .forget(let push): self.storage.spool.forget(push)
        case .tell(let client, let message):
            if self.nmea?.tell(client, message) != true { self.clients.tell(client, message) }
        case .tellPlaces(let client, let request, let result): self.tell(client, result, to: request)
        case .disconnect(let client):
            if self.nmea?.disconnect(client) != true { self.clients.close(client) }
        // `feed(_:)` updates agents after all actions.
        case .people: break
        case .process(let order): self.perform(order)
        case .recordProcesses: self.processes.record(self.core.runningApps)
        case .sensor(let sensor, let isOn): self.sources.power(sensor, isOn: isOn)
        case .source(let order): self.sources.perform(order)
        case .record(let fix): for key in self.tools.tell(fix) { self.trialEnded(key) }
        case .gateway(.register(let bundle)): self.gateway.register(bundle)
        case .gateway(.unregister(let bundle)): self.gateway.link?.unregister(bundle)
        case .gateway(.enable(let bundles)): self.gateway.link?.enable(bundles)
        case .lookUp(let lookUp, let question): self.lookUp(question, lookUp)
        case .answer(let order, let result): self.orders.answered(order, result)
        case .note(let note): self.storage.record(note)
        case .complain(let error):
            assertionFailure("\(error)")
            self.logger.error("an input was refused", metadata: ["reason": "\(error.reason)"])
        case .end: self.processes.endAllApps { [weak self] in self?.assumeIsolated { $0.end() } }
        }
    }

    private func save() {
        let now = Clocks.now()
        do {
            try self.storage.save(self.core.engine.snapshot(now: now.monotonic), now: now)
            self.feed(.stateSaved)
        } catch {
            self.logger.error("the state could not be saved", metadata: ["reason": "\(error)"])
            self.feed(.stateNotSaved(reason: "\(error)"))
        }
        self.lookAtDisk()
    }
}

extension DeviceCore.Event {
    /// Whether the event is a measurement, which is frequent.
    fileprivate var isMeasurement: Bool {
        switch self {
        case .happened(.sensed(let report)): report.isMeasurement
        case .sourceReported(.measured, _): true
        default: false
        }
    }
}
