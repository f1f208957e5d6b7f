internal import CoreLocation
internal import LocationEngine
internal import OrderedCollections

/// Who ended a process.
enum Ending {
    case person
    case system
    case crash

    var words: String {
        switch self {
        case .person: "is closed by the person"
        case .system: "is terminated by the system"
        case .crash: "crashes"
        }
    }

    /// What ends the process.
    var signal: Int32 {
        switch self {
        case .person, .system: 9
        case .crash: 11
        }
    }
}

/// Apps: installed, launched, shown, ended.
extension DeviceHost {
    func install(_ app: AppUnderTest) {
        guard self.isHeard("\(app.bundle) was to be installed") else { return }
        let bundle = BundleID(app.bundle)
        self.apps[bundle] = app
        self.timeline.add(.event, app.bundle, "is installed")
        self.feed(.appInstalled(bundle, app.manifest))
    }

    func uninstall(_ bundle: BundleID) {
        guard self.isHeard("\(bundle) was to be uninstalled") else { return }
        for process in self.living(bundle) { self.end(process, "is removed") }
        self.timeline.add(.event, bundle.rawValue, "is uninstalled")
        self.feed(.appUninstalled(bundle))
        self.apps[bundle] = nil
    }

    /// The app's own process, if it runs.
    func appProcess(_ bundle: BundleID) -> VirtualProcess? {
        self.living(bundle).first { $0.role == .app }
    }

    func living(_ bundle: BundleID) -> [VirtualProcess] {
        self.processes.compactMap(\.self).filter { $0.bundle == bundle && !$0.hasEnded }
    }

    var living: [VirtualProcess] { self.processes.compactMap(\.self).filter { !$0.hasEnded } }

    // MARK: Phases

    func open(_ bundle: BundleID) {
        for other in self.living where other.bundle != bundle && other.role == .app && other.phase == .foreground {
            self.leave(other.bundle)
        }
        guard let process = self.appProcess(bundle) else {
            return self.launch(bundle, .foreground, .user, "is opened by the person")
        }
        self.resume(bundle)
        guard process.phase != .foreground else { return }
        process.phase = .foreground
        self.timeline.add(.event, process.name, "comes to the foreground")
        self.timeline.stands(process)
        self.feed(.phaseChanged(bundle, .foreground))
    }

    func leave(_ bundle: BundleID) {
        guard let process = self.appProcess(bundle), process.phase == .foreground else { return }
        process.phase = .background
        self.timeline.add(.event, process.name, "goes to the background")
        self.timeline.stands(process)
        self.feed(.phaseChanged(bundle, .background))
    }

    func suspend(_ bundle: BundleID) {
        guard let process = self.appProcess(bundle), !process.isSuspended else { return }
        process.isSuspended = true
        self.timeline.add(.event, process.name, "is suspended")
        self.timeline.stands(process)
        self.kernel.hold(process.number)
    }

    func resume(_ bundle: BundleID) {
        guard let process = self.appProcess(bundle), process.isSuspended else { return }
        process.isSuspended = false
        self.timeline.add(.event, process.name, "goes on")
        self.timeline.stands(process)
        self.kernel.goOn(process.number)
        let held = process.held
        process.held = []
        for item in held { self.deliver(item.event, to: process) }
    }

    // MARK: Launching

    func launch(_ bundle: BundleID, _ phase: Lifecycle.Phase, _ reason: Lifecycle.LaunchReason, _ words: String) {
        guard let app = self.apps[bundle] else {
            return self.problems.add("\(bundle) is not installed on this device; install it first")
        }
        guard self.appProcess(bundle) == nil else { return }
        let process = self.makeProcess(
            bundle,
            .app,
            Lifecycle.Arrival(phase: phase, isManaged: true, reason: reason),
            words
        )
        self.launches[bundle, default: 0] += 1
        if case .separate(let program) = app.entry { return self.start(program, as: process) }
        // Touched by the thread that pumps only.
        nonisolated(unsafe) let host = self
        nonisolated(unsafe) let started = process
        self.kernel.perform(as: process.number) {
            switch app.entry {
            case .separate: break
            case .object(let make):
                _ = Task.detached { @MainActor in unsafe started.root = make() }
            case .main(let main):
                _ = Task.detached { @MainActor in
                    do {
                        try await main()
                        unsafe host.returned(started, nil)
                    } catch {
                        unsafe host.returned(started, error)
                    }
                }
            }
        }
    }

    private func makeProcess(
        _ bundle: BundleID,
        _ role: Principal.Role,
        _ arrival: Lifecycle.Arrival,
        _ words: String
    ) -> VirtualProcess {
        let process = VirtualProcess(number: self.kernel.addProcess(), bundle: bundle, role: role, arrival: arrival)
        self.processes.append(process)
        self.timeline.add(.event, process.name, words)
        self.timeline.stands(process)
        return process
    }

    /// The program's `main` came to its end; its process goes once what it said last is taken in.
    private func returned(_ process: VirtualProcess, _ error: (any Error)?) {
        self.schedule(after: .zero) { [unowned self] in
            guard !process.hasEnded else { return }
            self.end(
                process,
                error.map { "its main threw: \($0)" } ?? "returns from main and exits",
                .exited(error == nil ? 0 : 1)
            )
        }
    }

    func launchExtension(of bundle: BundleID, _ launch: LaunchID) {
        guard let make = self.apps[bundle]?.pushExtension else { return }
        // Not in the middle of the effects of another input.
        self.schedule(after: .zero) { [unowned self] in
            let arrival = Lifecycle.Arrival(phase: .background, isManaged: true, reason: .push)
            let process = self.makeProcess(bundle, .pushExtension(launch), arrival, "is launched for a push")
            nonisolated(unsafe) let host = self
            nonisolated(unsafe) let started = process
            self.kernel.perform(as: process.number) {
                _ = Task.detached { @MainActor in
                    let service = make()
                    unsafe started.root = service
                    service.serve(.current()) { unsafe host.returned(started, nil) }
                }
            }
        }
    }

    // MARK: Ending

    func terminate(_ bundle: BundleID, by ending: Ending) {
        guard let process = self.appProcess(bundle) else { return }
        // From here on what its objects release is their death, not the app's will.
        switch ending {
        case .person: self.feed(.terminationBegan(bundle, by: .person))
        case .system: self.feed(.terminationBegan(bundle, by: .system))
        case .crash: break
        }
        self.end(process, ending.words, .signalled(ending.signal))
    }

    func killExtension(_ launch: LaunchID) {
        guard let process = self.living.first(where: { $0.role == .pushExtension(launch) }) else { return }
        self.schedule(after: .zero) { [unowned self] in
            guard !process.hasEnded else { return }
            self.end(process, "is killed", .signalled(9))
        }
    }

    /// The engine cut the process off.
    func disconnect(_ client: ClientID) {
        guard let process = self.process(of: client), !process.hasEnded else { return }
        self.schedule(after: .zero) { [unowned self] in
            guard !process.hasEnded else { return }
            self.end(process, "is cut off")
        }
    }

    /// Ends a process, first its connection, then its tasks; none of its code runs any more.
    func end(_ process: VirtualProcess, _ reason: String, _ end: Engine.ProcessEnd = .exited(0)) {
        guard !process.hasEnded else { return }
        self.timeline.add(.event, process.name, reason)
        process.bury()
        self.timeline.stands(process)
        self.kernel.end(process.number)
        self.separate.removeAll { $0 === process }
        if process.connectedSince != nil { self.feed(.clientVanished(process.clientID)) }
        switch process.role {
        case .app: self.feed(.appExited(process.bundle, end))
        case .pushExtension(let launch): self.feed(.extensionExited(process.bundle, launch, end))
        }
    }

    // MARK: People

    /// What is asked now.
    var prompt: Prompt? { self.isServing ? self.engine.currentPrompt : nil }

    /// Shows the question to the person, who answers after a while, or not.
    func askPerson() {
        guard let asked = self.prompt, let answer = self.habit?(Person.Question(asked.question), asked.bundle.rawValue)
        else { return }
        let engines = self.disk.restarts
        self.schedule(after: self.reactionTime) { [unowned self] in
            // A new engine numbers its questions anew.
            if self.prompt?.id == asked.id, self.disk.restarts == engines { self.answer(answer) }
        }
    }

    func answer(_ answer: Person.Answer) {
        guard let prompt = self.prompt else { return }
        let answer = answer.answer(to: prompt.question)
        self.timeline.add(.event, "person", "answers \(prompt.bundle): \(answer.words)")
        self.feed(.promptAnswered(prompt.id, answer))
    }

    func set(_ bundle: BundleID, to setting: Person.Setting) {
        guard self.isHeard("\(bundle) was to be set to \(setting.words)") else { return }
        let locked = self.engine.mayBeSet(bundle) ? "" : ", in vain: it is locked by the owner"
        self.timeline.add(.event, "person", "sets \(bundle) to \(setting.words)\(locked)")
        self.feed(.authorizationSet(bundle, setting.setting))
    }

    func set(_ bundle: BundleID, precise: Bool) {
        guard self.isHeard("the precise location of \(bundle) was to be switched") else { return }
        self.timeline.add(.event, "person", "switches the precise location of \(bundle) \(precise ? "on" : "off")")
        self.feed(.accuracySet(bundle, precise: precise))
    }

    func switchServices(on: Bool) {
        guard self.isHeard("location services were to be switched") else { return }
        self.timeline.add(.event, "person", "switches location services \(on ? "on" : "off")")
        self.feed(.servicesSwitched(on: on))
    }

    /// Puts the owner's rules in force; they lie in a file, so that a service that is down reads them when it is back.
    func manage(_ rules: Management) {
        self.management = rules
        self.timeline.add(.event, "owner", "changes the rules")
        self.feed(.managementChanged(rules.rules))
    }

    func dismissActivity(_ title: String, of bundle: BundleID) {
        guard self.isHeard("\(title) of \(bundle) was to be dismissed") else { return }
        self.timeline.add(.event, "person", "dismisses \(title) of \(bundle)")
        self.feed(.activityDismissed(bundle, title: title))
    }
}

extension DeviceHost {
    /// Runs something in a process's name on its main actor, now, and what that makes ready.
    func perform<Result>(in process: VirtualProcess, _ body: @MainActor () -> Result) -> Result {
        // The thread that pumps is the main actor of its processes; the types cannot say so.
        withoutActuallyEscaping(body) { body in
            let plain = unsafe unsafeBitCast(body, to: (() -> Result).self)
            var result: Result?
            self.act { result = self.kernel.perform(as: process.number, plain) }
            guard let result else { preconditionFailure("the pump begins with what it is given") }
            return result
        }
    }
}
