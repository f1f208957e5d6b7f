internal import CoreLocation
internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

/// The cause of a process's end.
enum Ending {
    case person
    case system
    case crash
    case removal
    /// The code of its app is removed, to free storage.
    case offload
    /// A new version of its app replaces it.
    case update
    /// The location service ends, and its apps with it.
    case service

    var words: String {
        switch self {
        case .person: "is closed by the person"
        case .system: "is terminated by the system"
        case .crash: "crashes"
        case .removal: "is removed"
        case .offload: "is ended, as its code is removed"
        case .update: "is ended, as a new version takes its place"
        case .service: "is ended by the location service"
        }
    }

    /// The signal that ends the process.
    var signal: Int32 {
        switch self {
        case .person, .system, .removal, .offload, .update: 9
        case .service: 15
        case .crash: 11
        }
    }
}

/// The installed apps, and their launches: how an app is started, shown, suspended, ended and launched again.
final class AppProcesses {
    let context: DeviceContext
    let processes: ProcessTable
    let timeline: Timeline
    let service: LocationService
    private let checks: CodeChecks
    let gateway: VirtualGateway
    /// The installed apps, in the order they were installed.
    private(set) var installed: OrderedDictionary<BundleID, AppUnderTest> = [:]
    /// The container of each installed app.
    private(set) var containers: [BundleID: Container] = [:]
    /// The number of launches of each app.
    private(set) var launches: [BundleID: Int] = [:]
    /// The apps whose code is removed and whose data and decisions stay.
    var offloaded: Set<BundleID> = []
    /// The apps that the system launches only into the foreground.
    var withoutRefresh: Set<BundleID> = []
    var lockState = Lock.open
    /// Why the processes end that the present order ends.
    var ending = Ending.system

    init(
        _ context: DeviceContext,
        _ processes: ProcessTable,
        _ service: LocationService,
        _ checks: CodeChecks,
        _ gateway: VirtualGateway
    ) {
        (self.context, self.timeline, self.processes) = (context, context.timeline, processes)
        (self.service, self.checks, self.gateway) = (service, checks, gateway)
    }

    /// Removes the files of all apps.
    func release() { self.containers = [:] }

    // MARK: Installation

    func install(_ app: AppUnderTest) {
        guard self.service.isHeard("\(app.bundle) was to be installed") else { return }
        let bundle = BundleID(app.bundle)
        let isUpdate = self.installed[bundle] != nil
        self.installed[bundle] = app
        if self.containers[bundle] == nil { self.containers[bundle] = Container() }
        self.timeline.add(.event, app.bundle, isUpdate ? "is installed again" : "is installed")
        self.ending = .update
        self.offloaded.remove(bundle)
        self.service.order(.install(bundle, app.manifest))
    }

    /// Installs an app over itself.
    func update(_ bundle: BundleID) {
        if let app = self.installed[bundle] { self.install(app) }
    }

    func uninstall(_ bundle: BundleID) {
        guard self.service.isHeard("\(bundle) was to be uninstalled") else { return }
        self.timeline.add(.event, bundle.rawValue, "is uninstalled")
        self.ending = .removal
        self.service.order(.remove(bundle))
        self.installed[bundle] = nil
        self.containers[bundle] = nil
    }

    // MARK: Phases

    func open(_ bundle: BundleID) {
        guard self.mayStart(bundle, .foreground) else { return }
        self.download(bundle)
        for other in self.processes.livingApps where other.bundle != bundle && other.phase == .foreground {
            self.leave(other.bundle)
        }
        if let process = self.processes.app(bundle) {
            guard process.phase != .foreground else { return }
            self.processes.show(process, .foreground)
        }
        self.run(bundle, .foreground)
    }

    /// Launches or resumes the app for the person or the test; while the location service is down, no engine decides about it.
    func run(_ bundle: BundleID, _ phase: Lifecycle.Phase) {
        guard self.installed[bundle] != nil else {
            return self.context.problems.add("\(bundle) is not installed on this device; install it first")
        }
        guard self.mayStart(bundle, phase) else { return }
        if self.service.isServing { return self.service.order(.run(bundle, phase)) }
        guard self.processes.app(bundle) == nil else { return self.resume(bundle) }
        self.start(bundle, Lifecycle.Arrival(phase: phase, isManaged: true))
    }

    func leave(_ bundle: BundleID) {
        guard let process = self.processes.app(bundle), process.phase == .foreground else { return }
        self.processes.show(process, .background)
        self.service.order(.show(bundle, .background))
    }

    func suspend(_ bundle: BundleID) {
        if let process = self.processes.app(bundle) { self.processes.suspend(process) }
    }

    /// Resumes an app, as the system does for a background refresh: the engine gives the app time if it is suspended.
    func wake(_ bundle: BundleID) {
        self.service.feed(.appWoken(bundle))
        self.resume(bundle)
    }

    private func resume(_ bundle: BundleID) {
        if let process = self.processes.app(bundle) { self.processes.resume(process) }
    }

    // MARK: Launching

    func perform(_ order: DeviceCore.ProcessOrder) {
        switch order {
        case .startApp(let bundle, _, let arrival): self.start(bundle, arrival)
        case .endApp(let bundle): self.endApp(bundle)
        case .killApp(let bundle): self.killApp(bundle)
        case .freeze(let bundle): self.suspend(bundle)
        case .thaw(let bundle): self.resume(bundle)
        case .startExtension(let bundle, let launch): self.startExtension(of: bundle, launch)
        case .killExtension(let launch): self.killExtension(launch)
        }
    }

    private func start(_ bundle: BundleID, _ arrival: Lifecycle.Arrival) {
        guard let app = self.installed[bundle] else {
            return self.service.feed(.appNotStarted(bundle, reason: "it is gone"))
        }
        if let reason = self.refusal(of: bundle, arrival) {
            self.timeline.add(.decision, bundle.rawValue, "is not launched: \(reason)")
            return self.service.feed(.appNotStarted(bundle, reason: reason))
        }
        let words =
            switch (arrival.reason, arrival.phase) {
            case (.user, .foreground): "is opened by the person"
            case (.user, .background): "is launched into the background"
            case (let reason, _): "is launched by the system: \(reason.words)"
            }
        let process = self.makeProcess(bundle, .app, arrival, words)
        self.service.feed(.appStarted(bundle))
        self.launches[bundle, default: 0] += 1
        if case .separate(let program) = app.entry { return self.start(program, as: process) }
        if self.launches[bundle] != 1 { self.checks.trial?.reached([.forgetsEndedLaunches]) }
        // Only the thread that runs the device uses these.
        nonisolated(unsafe) let apps = self
        nonisolated(unsafe) let started = process
        self.processes.perform(as: process) {
            switch app.entry {
            case .separate: break
            case .object(let make):
                _ = Task.detached { @MainActor in unsafe apps.took(make(), as: started) }
            case .main(let main):
                self.checks.trial?.reached([.endsWithoutError])
                _ = Task.detached { @MainActor in
                    do {
                        try await main()
                        unsafe apps.returned(started, nil)
                    } catch {
                        unsafe apps.returned(started, error)
                    }
                }
            }
        }
    }

    /// The app created the object that holds everything else.
    private func took(_ root: AnyObject, as process: VirtualProcess) {
        if VirtualProcess.isBuried(root) {
            self.checks.usedEndedLaunch(
                "the object of \(process.name) is that of an earlier launch: a static variable kept it. On a device it ends with "
                    + "its process. Create it at every launch, or run the app in a process of its own "
                    + "(AppUnderTest(_:separateProcess:))"
            )
        }
        process.root = root
    }

    private func makeProcess(
        _ bundle: BundleID,
        _ role: Principal.Role,
        _ arrival: Lifecycle.Arrival,
        _ words: String
    ) -> VirtualProcess {
        if role == .app { self.containers[bundle]?.registered = [:] }
        return self.processes.add(bundle, role, arrival, words)
    }

    /// The program's `main` returned; its process ends once its last messages are handled.
    private func returned(_ process: VirtualProcess, _ error: (any Error)?) {
        self.context.time.schedule(after: .zero) { [unowned self] in
            guard !process.hasEnded else { return }
            if let error { self.checks.broke(.endsWithoutError, process, "its main threw: \(error)") }
            self.processes.end(
                process,
                error.map { "its main threw: \($0)" } ?? "returns from main and exits",
                .exited(error == nil ? 0 : 1)
            )
        }
    }

    private func startExtension(of bundle: BundleID, _ launch: LaunchID) {
        guard let entry = self.installed[bundle]?.pushExtension else {
            return self.service.feed(.extensionEnded(launch, .neverStarted(0)))
        }
        let arrival = Lifecycle.Arrival(phase: .background, isManaged: true, reason: .push)
        let process = self.makeProcess(bundle, .pushExtension(launch), arrival, "is launched for a push")
        self.context.story?.momentBegan(.cutExtension)
        let make: @MainActor @Sendable () -> any CLLocationPushServiceExtension
        switch entry {
        case .separate(let program): return self.start(program, as: process)
        case .object(let object): make = object
        }
        nonisolated(unsafe) let apps = self
        nonisolated(unsafe) let started = process
        self.processes.perform(as: process) {
            _ = Task.detached { @MainActor in
                let service = make()
                unsafe started.root = service
                service.serve(.current()) { unsafe apps.returned(started, nil) }
            }
        }
    }

    private func start(_ program: String, as process: VirtualProcess) {
        var environment = self.containers[process.bundle]?.environment ?? [:]
        environment["TZ"] = self.context.time.timeZone?.identifier
        do throws(WireError) {
            let separate = try SeparateProcess(
                program: program,
                clock: self.context.time.clock.setting,
                environment: environment
            )
            self.processes.runs(process, in: separate)
        } catch {
            self.context.problems.add("\(process.name) could not be started in a process of its own: \(error)")
            self.processes.end(process, "could not be started", .neverStarted(0))
        }
    }

    // MARK: Ending

    func terminate(_ bundle: BundleID, by ending: Ending) {
        guard let process = self.processes.app(bundle) else { return }
        switch ending {
        case .person, .system, .update, .offload:
            self.ending = ending
            if self.service.isServing {
                self.service.order(.close(bundle, by: ending == .person ? .person : .system))
            } else {
                self.endApp(bundle)
            }
        case .crash, .removal, .service: self.processes.end(process, ending.words, .signalled(ending.signal))
        }
    }

    /// Ends the app's process at once, with the cause that `ending` has.
    private func endApp(_ bundle: BundleID) {
        guard let process = self.processes.app(bundle) else { return }
        self.processes.end(process, self.ending.words, .signalled(self.ending.signal))
    }

    private func killApp(_ bundle: BundleID) {
        guard let process = self.processes.app(bundle) else { return }
        if self.ending == .removal { return self.endApp(bundle) }
        // The app's own code may be running, and cannot be interrupted.
        self.context.time.schedule(after: .zero) { [unowned self] in
            guard !process.hasEnded else { return }
            self.processes.end(process, "is killed: it made no Core Location call in its time")
        }
    }

    private func killExtension(_ launch: LaunchID) {
        guard let process = self.processes.living.first(where: { $0.role == .pushExtension(launch) }) else { return }
        self.context.time.schedule(after: .zero) { [unowned self] in
            guard !process.hasEnded else { return }
            self.checks.ranOutOfTime(process)
            self.processes.end(process, "is killed")
        }
    }

}
