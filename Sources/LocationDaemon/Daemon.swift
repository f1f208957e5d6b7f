internal import CLinux
internal import Crypto
internal import Dispatch
internal import Foundation
internal import LocationEngine
internal import LocationHost
internal import LocationWire
internal import LocationWireMessages
public import Logging
internal import NIOCore
internal import NIOPosix
internal import SwiftProtobuf

/// The shell around the engine: feeds it what happens, and does what it says. It decides nothing itself.
///
/// One serial queue runs everything: sockets, processes, timers and the engine. Inputs are handled one after the other
/// and their effects are performed synchronously, so that no two interleave.
public actor Daemon {
    /// A connected process: who it is, and how to reach it.
    struct Peer {
        let principal: Principal
        let connection: PacketConnection
        /// The user who connected by themselves; nil: the connection was handed over.
        let user: UInt32?
        /// The only process packets are taken from; 0: the connection was handed to the process it belongs to.
        let pid: Int32
    }

    let executor: QueueExecutor
    let configuration: DaemonConfiguration
    let logger: Logger
    var bundles: BundleStore
    var engine: Engine
    var log: DeviceLog
    let spool: PushSpool
    var accounts: PushAccountsFile
    let snapshots: SnapshotStore
    private let deviceKey: Curve25519.Signing.PrivateKey
    let launcher: ProcessLauncher
    let cgroups: CgroupTree?
    private let locks: [DirectoryLock]
    /// One thread for the network: gpsd's lines and the gateway's pushes.
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    // All of these are touched on the executor's queue only.
    var peers: [ClientID: Peer] = [:]
    var controls: [ObjectIdentifier: PacketConnection] = [:]
    var agents: [ObjectIdentifier: Agent] = [:]
    /// The apps whose processes locationd started, or took over.
    var runs: [BundleID: AppRun] = [:]
    var extensionProcesses: [LaunchID: (bundle: BundleID, process: AppProcess)] = [:]
    var ledger: ProcessLedger
    var management = Management()
    /// Copies bundles that are to be installed, one after the other.
    let copying = DispatchQueue(label: "locationd.copying", qos: .utility)
    /// How many are copied, or wait for it.
    var installations = 0
    var nextInstallation = 0
    private(set) var isStopping = false
    /// Who waits for the last process to end.
    private var stopped: CheckedContinuation<Void, Never>?
    /// Why what was decided last is not on disk; nil: it is.
    var unsaved: DaemonError?
    /// Pushes that the disk did not take, and that are not acknowledged.
    var untaken: [Push] = []
    private var listeners: [PacketListener] = []
    private var nextClient: UInt64 = 1
    /// The input whose effects are performed, and those that came meanwhile.
    private var inputs: [Engine.Input] = []
    private var timer: DeadlineTimer?
    private var source: (any FixSource)?
    var link: (any PushLinkHost)?
    private(set) var geocodingServer: GeocodingServer?
    var geocoding = GeocodingDesk()
    var sourceState = "off"
    var linkState = "not configured"

    /// Less than service managers wait before they kill.
    private static let stopPatience = 3.0
    /// How long after a failure to save the state it is tried again.
    static let savePause: Double = 2

    /// Runs the actor on its own queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

    /// Reads the state; nothing runs before ``start()``.
    ///
    /// - Throws: ``DaemonError``.
    public init(_ configuration: DaemonConfiguration, logger: Logger) throws {
        self.executor = QueueExecutor(label: "locationd")
        self.configuration = configuration
        self.logger = logger
        let state = configuration.stateDirectory
        for directory in [state, state + "/containers", state + "/output", configuration.runtimeDirectory] {
            try DurableFile.makeDirectory(directory)
        }
        self.locks = [
            try DirectoryLock(directory: state), try DirectoryLock(directory: configuration.runtimeDirectory),
        ]
        guard unsafe access(configuration.launcherPath, X_OK) == 0 else {
            throw DaemonError(
                "\(configuration.launcherPath) is missing or not executable; locationd starts apps with it: "
                    + "install location-launch there, or name it with --launcher"
            )
        }
        self.bundles = try BundleStore(directory: state + "/apps")
        for (bundle, reason) in self.bundles.broken.sorted(by: { $0.key < $1.key }) {
            logger.error(
                "an installed app is not served; install it again, or uninstall it",
                metadata: ["app": "\(bundle)", "reason": "\(reason)"]
            )
        }
        self.spool = try PushSpool(directory: state + "/pushes")
        self.accounts = PushAccountsFile(path: state + "/pushes.json", logger: logger)
        let keyPath = state + "/device.key"
        self.deviceKey = try DeviceKey.load(path: keyPath)
        self.snapshots = SnapshotStore(
            directory: state,
            seal: try StateSeal(
                deviceKey: self.deviceKey,
                at: keyPath,
                credentials: configuration.credentialsDirectory
            )
        )
        self.log = DeviceLog(path: state + "/log.jsonl")
        self.ledger = ProcessLedger(path: state + "/processes.json")
        self.cgroups = try CgroupTree.find(configuration.cgroup, state: state)
        self.launcher = ProcessLauncher(
            launcherPath: configuration.launcherPath,
            runtimeDirectory: configuration.runtimeDirectory
        )
        if let path = configuration.managementPath { self.management = try ManagementFile.read(path) }
        let now = Clocks.now()
        let manifests = self.bundles.apps.sorted { $0.key < $1.key }.map { id, installed in
            (id, installed.bundle.manifest(approved: installed.approved))
        }
        if let (snapshot, elapsed) = try self.snapshots.load(now: now) {
            let bundles = self.bundles
            self.engine = Engine(
                restoring: snapshot,
                manifests: manifests,
                running: self.ledger.load().filter { bundles.runs($0) }.map { (BundleID($0.bundle), $0.phase) },
                policy: configuration.policy,
                elapsed: elapsed,
                now: now
            )
        } else {
            self.engine = Engine(policy: configuration.policy, now: now)
            for (bundle, manifest) in manifests {
                _ = try self.engine.handle(.appInstalled(bundle, manifest), now: now)
            }
        }
    }

    /// Opens the sockets, connects to the gateway, and takes up what was left undone.
    ///
    /// - Throws: ``DaemonError`` when a socket or the device's key cannot be had.
    public func start() throws {
        let queue = self.executor.queue
        self.timer = try DeadlineTimer(queue: queue) { [weak self] in
            self?.assumeIsolated { $0.feed(.deadlineReached) }
        }
        let fixes: @Sendable (FixSourceEvent) -> Void = { [weak self] event in
            queue.async { [weak self] in self?.assumeIsolated { $0.received(event) } }
        }
        switch self.configuration.source {
        case .gpsd(let host, let port):
            self.source = NetworkSource(.gpsd, host: host, port: port, group: self.group, events: fixes)
        case .nmea(let host, let port):
            self.source = NetworkSource(.nmea, host: host, port: port, group: self.group, events: fixes)
        case .replay(let path):
            self.source = try ReplaySource(path: path, group: self.group, events: fixes)
        }
        if let gateway = self.configuration.gateway {
            self.linkState = "connecting"
            self.link = try GatewayLink(gateway, key: self.deviceKey, group: self.group, logger: self.logger) {
                [weak self] event in
                queue.async { [weak self] in self?.assumeIsolated { $0.received(event) } }
            }
        }
        if let geocoder = self.configuration.geocoder {
            self.geocodingServer = try GeocodingServer(geocoder, group: self.group)
        }
        let runtime = self.configuration.runtimeDirectory
        self.listeners = [
            // Whoever may enter the directory may knock; who they are is found out from the kernel.
            try PacketListener(path: SocketPaths.apps(in: runtime), mode: 0o666, queue: queue) { [weak self] socket in
                self?.assumeIsolated { $0.appConnected(socket) }
            },
            try PacketListener(path: SocketPaths.control(in: runtime), mode: 0o600, queue: queue) {
                [weak self] socket in
                self?.assumeIsolated { $0.controlConnected(socket) }
            },
            try PacketListener(path: SocketPaths.agent(in: runtime), mode: 0o600, queue: queue) { [weak self] socket in
                self?.assumeIsolated { $0.agentConnected(socket) }
            },
        ]
        self.perform(self.engine.start(now: Clocks.now()))
        self.feed(.managementChanged(self.management))
        self.readoptApps()
        for push in self.spool.load() { self.feed(.pushRecovered(push)) }
        self.timer?.set(self.engine.nextDeadline)
        self.logger.info("started", metadata: ["apps": "\(self.bundles.apps.count)"])
    }

    /// Ends every connection and every process it started, by force after ``stopPatience``.
    public func stop() async {
        guard !self.isStopping else { return }
        // From here on processes end because they are told to: what they let go of is not their will.
        self.isStopping = true
        if self.unsaved != nil { self.persist() }
        for listener in self.listeners { listener.close() }
        for entry in self.extensionProcesses.values { entry.process.endSupervised() }
        for run in self.runs.values {
            run.process.signal(SIGTERM)
            // Stopped, it could not end.
            run.process.thaw()
        }
        for peer in self.peers.values { peer.connection.close() }
        for control in self.controls.values { control.close() }
        for agent in self.agents.values { agent.connection.close() }
        self.source?.stop()
        self.link?.stop()
        self.geocodingServer?.stop()
        await withCheckedContinuation { continuation in
            self.stopped = continuation
            self.processEnded()
            self.executor.queue.asyncAfter(deadline: .now() + Self.stopPatience) { [weak self] in
                self?.assumeIsolated { daemon in
                    for run in daemon.runs.values { run.process.signal(SIGKILL) }
                    for entry in daemon.extensionProcesses.values { entry.process.endSupervised() }
                    daemon.runs = [:]
                    daemon.extensionProcesses = [:]
                    daemon.processEnded()
                }
            }
        }
        self.logger.info("stopped")
    }

    /// Records the end of a process, for which ``stop()`` may be waiting.
    func processEnded() {
        guard self.isStopping, self.runs.isEmpty, self.extensionProcesses.isEmpty else { return }
        self.stopped?.resume()
        self.stopped = nil
    }

    /// Reads the device owner's rules again; those in force stay when the file is wrong.
    public func reload() {
        guard let path = self.configuration.managementPath else {
            return self.logger.info("there are no rules to read again; --management names a file of them")
        }
        do {
            self.management = try ManagementFile.read(path)
            self.feed(.managementChanged(self.management))
            self.logger.info("the rules were read again", metadata: ["file": "\(path)"])
        } catch {
            self.logger.error("the rules in force stay", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: Inputs

    /// Feeds the engine one input and does what it says.
    func feed(_ input: Engine.Input) { _ = self.effects(of: input) }

    /// Feeds the engine one input and does what it says.
    ///
    /// One that comes while the effects of another are performed waits for their end, so that no two interleave.
    ///
    /// - Returns: what the engine said to it; nothing when it has to wait.
    func effects(of input: Engine.Input) -> [Engine.Effect] {
        guard !self.isStopping else { return [] }
        self.inputs.append(input)
        guard self.inputs.count == 1 else { return [] }
        let effects = self.handle(input)
        self.inputs.removeFirst()
        while let next = self.inputs.first {
            _ = self.handle(next)
            self.inputs.removeFirst()
        }
        self.accounts.saveIfChanged()
        self.timer?.set(self.engine.nextDeadline)
        return effects
    }

    private func handle(_ input: Engine.Input) -> [Engine.Effect] {
        var effects: [Engine.Effect] = []
        do {
            effects = try self.engine.handle(input, now: Clocks.now())
            self.perform(effects)
        } catch {
            assertionFailure("\(error)")
            self.logger.error("an input was refused", metadata: ["reason": "\(error.reason)"])
        }
        // A fix changes nothing that agents show.
        if case .sensed(.fix) = input { return effects }
        self.tellAgents()
        return effects
    }

    private func received(_ event: FixSourceEvent) {
        switch event {
        case .fix(let fix):
            self.sourceState = "delivering"
            self.feed(.sensed(.fix(fix)))
        case .ready:
            self.sourceState = "searching"
            self.feed(.sensed(.ready(.receiver)))
        case .lost(let reason):
            self.sourceState = reason
            self.logger.warning("no fixes", metadata: ["reason": "\(reason)"])
            self.feed(.sensed(.lost(.receiver)))
        }
    }

    func takeClientID() -> ClientID {
        defer { self.nextClient += 1 }
        return ClientID(self.nextClient)
    }

    // MARK: Effects

    private func perform(_ effects: [Engine.Effect]) {
        for effect in effects { self.perform(effect) }
    }

    private func perform(_ effect: Engine.Effect) {
        switch effect {
        case .persist: self.persist()
        case .tell(let client, let message): self.tell(client, message)
        case .disconnect(let client): self.disconnect(client)
        // Agents are told by comparison, after the input is dealt with.
        case .people: break
        case .process(.launchApp(let bundle, _, let reason)): self.launchApp(bundle, reason)
        case .process(.freeze(let bundle)): self.freeze(bundle)
        case .process(.thaw(let bundle)): self.thaw(bundle)
        case .sensor(.receiver, isOn: true): self.source?.start()
        case .sensor(.receiver, isOn: false):
            self.sourceState = "off"
            self.source?.stop()
        case .process(.launchExtension(let bundle, let launch)): self.launchExtension(of: bundle, launch)
        case .process(.killExtension(let launch)): self.extensionProcesses[launch]?.process.endSupervised()
        case .gateway(.register(let bundle)): self.registerTopic(bundle)
        case .gateway(.unregister(let bundle)): self.link?.unregister(bundle)
        case .gateway(.enable(let bundles)): self.link?.enable(bundles)
        case .forgetPush(let push): self.spool.forget(push)
        case .note(let note): self.note(note)
        }
    }

    private func persist() {
        let now = Clocks.now()
        do {
            try self.snapshots.save(self.engine.snapshot(now: now.monotonic), now: now)
            self.unsaved = nil
        } catch {
            self.logger.error("the state could not be saved", metadata: ["reason": "\(error)"])
            let isFirst = self.unsaved == nil
            self.unsaved = DaemonError(
                "\(error); what was changed holds, is saved as soon as that is possible, and is lost if locationd ends before"
            )
            if isFirst { self.saveLater() }
        }
    }

    /// Tries again until the state is saved: a full disk is emptied some time.
    private func saveLater() {
        self.executor.queue.asyncAfter(deadline: .now() + Self.savePause) { [weak self] in
            self?.assumeIsolated { daemon in
                guard daemon.unsaved != nil, !daemon.isStopping else { return }
                daemon.persist()
                if daemon.unsaved != nil { daemon.saveLater() }
            }
        }
    }

    private func note(_ note: Note) {
        let now = Clocks.wall()
        self.accounts.record(note, time: now)
        let line = DeviceLog.Line(note, time: now)
        self.log.append(line)
        self.logger.info("\(line.event)", metadata: ["app": "\(line.bundle)"])
    }
}
