internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// A rule that every app keeps on every device, checked while a story is played.
///
/// A rule for push extensions has the name of the ``PushMistake`` that breaks it.
public enum Rule: String, Sendable, Hashable, Codable, CaseIterable {
    /// An extension completes a push after its requests ended.
    case completedBeforeReply
    /// An extension completes each push in its time.
    case neverCompleted
    /// An extension skips positions of negative accuracy.
    case tookInvalidPosition
    /// Neither an app nor its extension writes positions or payloads to a log.
    case loggedPrivateValue
    /// An extension's requests end within its time.
    case timeoutBeyondTime
    /// An extension stops waiting for a position in time.
    case noTimerForPosition
    /// An extension completes each push once.
    case completedTwice
    /// Payloads and defaults hold no secrets and no addresses.
    case trustsClearValue
    /// An extension refuses payloads of other servers.
    case guessesPayload
    /// An extension skips old positions.
    case tookOldPosition
    /// An extension does not use a geocoder.
    case askedGeocoder
    /// An app asks for authorization only in the foreground.
    case asksInForeground
    /// An app that is launched again creates its sessions, activities and updates again.
    case retakesSessions
    /// An app that is launched for a condition opens its monitor and awaits its events.
    case awaitsConditions
    /// An app awaits no diagnostics of a session that it invalidated: such a loop ends at once.
    case renewsSessions
    /// An app's `main` does not throw.
    case endsWithoutError
    /// An app uses no Core Location object, and no object of its own, of a launch that ended.
    case forgetsEndedLaunches
}

extension PushMistake {
    /// The rule that forbids the mistake.
    var rule: Rule {
        switch self {
        case .completedBeforeReply: .completedBeforeReply
        case .neverCompleted: .neverCompleted
        case .tookInvalidPosition: .tookInvalidPosition
        case .loggedPrivateValue: .loggedPrivateValue
        case .timeoutBeyondTime: .timeoutBeyondTime
        case .noTimerForPosition: .noTimerForPosition
        case .completedTwice: .completedTwice
        case .trustsClearValue: .trustsClearValue
        case .guessesPayload: .guessesPayload
        case .tookOldPosition: .tookOldPosition
        case .askedGeocoder: .askedGeocoder
        }
    }
}

extension Rule {
    /// The rules that an extension with a push can break.
    static let ofExtensions = Set(Rule.allCases).subtracting([
        .asksInForeground, .retakesSessions, .awaitsConditions, .renewsSessions, .endsWithoutError,
        .forgetsEndedLaunches,
    ])
}

/// Checks of the rules that are not about push extensions.
extension DeviceHost {
    func broke(_ rule: Rule, _ process: VirtualProcess, _ text: String) {
        guard let story = self.story.player else { return }
        if story.trial.broke(rule, "\(process.name) \(text)") { self.timeline.add(.problem, process.name, text) }
    }

    /// The code that runs used an object of an ended launch; without a story, that is a problem of the test.
    func usedEndedLaunch(_ text: String) {
        guard let story = self.story.player else { return self.problems.add(text) }
        if story.trial.broke(.forgetsEndedLaunches, text) { self.timeline.add(.problem, "device", text) }
    }

    func requestedAuthorization(_ process: VirtualProcess) {
        self.story.player?.trial.reached([.asksInForeground])
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
    /// A loop that begins within a second after the session's end is no mistake.
    func watchedEnded(by number: Kernel.ProcessNumber) {
        // Without a connection, the device is not notified of a session's end.
        guard let process = self.processes[number], process.connectedSince != nil, let ended = process.holdings.ended
        else { return }
        self.story.player?.trial.reached([.renewsSessions])
        guard ended.duration(to: self.time.instant) > .seconds(1) else { return }
        self.broke(
            .renewsSessions,
            process,
            "awaits the diagnostics of a session that it ended, and gets none. Create another session"
        )
    }

    func check(_ note: Note) {
        guard let story = self.story.player else { return }
        switch note {
        case .appLaunched(_, .location): story.trial.reached([.retakesSessions, .awaitsConditions])
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
