internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The rules that code of apps always has to keep, checked at each thing that a process does.
///
/// A misuse of the device is a problem of the test. A broken ``Rule`` is a failure of the story that is played, and a
/// ``PushMistake`` is kept in the account of the extension's process.
final class CodeChecks {
    private let context: DeviceContext
    let processes: ProcessTable
    let time: DeviceTime
    let timeline: Timeline
    let service: LocationService

    init(_ context: DeviceContext, _ processes: ProcessTable, _ service: LocationService) {
        (self.context, self.time, self.timeline) = (context, context.time, context.timeline)
        (self.processes, self.service) = (processes, service)
    }

    /// The run of the story that is played; nil: none is played.
    var trial: Trial? { self.context.story?.trial }

    /// A process sent a message.
    func received(_ message: ClientMessage, from process: VirtualProcess) {
        switch message {
        case .pushCompleted(let id): self.pushCompleted(id, by: process)
        case .geocodeRequest: self.note(.askedGeocoder, of: process)
        case .authorizationRequest: self.requestedAuthorization(process)
        default: break
        }
    }

    // MARK: Output and misuses

    func wrote(_ line: String, _ process: VirtualProcess) {
        process.lastLine = line
        self.timeline.note(process.name, line)
        self.logged(line, by: process)
    }

    /// Records a misuse.
    ///
    /// - Parameters:
    ///   - misuse: the misuse.
    ///   - process: the process whose code misuses the device.
    ///   - line: the code's line, in brackets.
    func did(_ misuse: Misuse, _ process: VirtualProcess, at line: @autoclosure () -> String) {
        // Each misuse once: finding a line takes a while.
        guard !process.misuses.contains(misuse) else { return }
        process.misuses.append(misuse)
        if let problem = misuse.problem { self.context.problems.add("\(process.name) \(problem)\(line())") }
    }

    // MARK: Rules

    func broke(_ rule: Rule, _ process: VirtualProcess, _ text: String) {
        guard let trial = self.trial else { return }
        if trial.broke(rule, "\(process.name) \(text)") { self.timeline.add(.problem, process.name, text) }
    }

    /// The code that runs used an object of an ended launch; without a story, that is a problem of the test.
    func usedEndedLaunch(_ text: String) {
        guard let trial = self.trial else { return self.context.problems.add(text) }
        if trial.broke(.forgetsEndedLaunches, text) { self.timeline.add(.problem, "device", text) }
    }

    private func requestedAuthorization(_ process: VirtualProcess) {
        self.trial?.reached([.asksInForeground])
        let isOpen = self.service.core.engine.status(of: process.bundle)?.authorization == .notDetermined
        guard process.role == .app, process.phase != .foreground, isOpen else { return }
        self.broke(
            .asksInForeground,
            process,
            "requested authorization in the background, where nobody can be asked. Ask when a view appears"
        )
    }

    /// The code that runs begins a loop over the diagnostics of a session or an activity that its process ended.
    ///
    /// A loop that begins within a second after the session's end is allowed.
    func watchedEnded(by number: Kernel.ProcessNumber) {
        // Without a connection, the device is not notified of a session's end.
        guard let process = self.processes[number], process.connectedSince != nil, let ended = process.holdings.ended
        else { return }
        self.trial?.reached([.renewsSessions])
        guard ended.duration(to: self.time.instant) > .seconds(1) else { return }
        self.broke(
            .renewsSessions,
            process,
            "awaits the diagnostics of a session that it ended, and gets none. Create another session"
        )
    }

    /// The core decided something.
    func decided(_ note: Note) {
        guard let trial = self.trial else { return }
        switch note {
        case .appLaunched(_, .location): trial.reached([.retakesSessions, .awaitsConditions])
        case .sessionsDropped(let bundle, let count):
            // An app may take over claims of its extension, which it did not create.
            guard let process = self.awake(bundle), self.claims(before: process) > process.claims else { return }
            self.broke(
                .retakesSessions,
                process,
                "was launched again and did not take again \(count) session(s), activities or updates that it held. Create them "
                    + "at every launch, not when a view appears"
            )
        case .conditionsAbandoned(let bundle, let count):
            guard let process = self.awake(bundle) else { return }
            self.broke(
                .awaitsConditions,
                process,
                "did not await the events of its monitor; \(count) condition(s) are no longer watched. Open the monitor and read "
                    + "its events at every launch"
            )
        default: break
        }
    }

    /// The number of sessions, activities and streams that the app's process before this one held last.
    private func claims(before process: VirtualProcess) -> Int {
        self.processes.all
            .last { $0.bundle == process.bundle && $0.role == .app && $0.number < process.number }?.claims ?? 0
    }

    /// The app's process, if it is connected and not suspended.
    private func awake(_ bundle: BundleID) -> VirtualProcess? {
        guard let process = self.processes.app(bundle), !process.isSuspended, process.connectedSince != nil else {
            return nil
        }
        return process
    }
}
