internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Plays a story on a device while the test lets time pass, and records its events.
///
/// The story is either given, or drawn event by event, from the device's state at the time.
final class StoryPlayer {
    /// The origin of the story.
    enum Source: Sendable {
        case drawn(Drawing, span: Duration)
        case written([Story.Event])
    }

    /// A plan for an instant.
    private enum Plan {
        case perform(Trouble)
        case draw
        /// To draw the trouble of a moment: an answer, or the end of an extension.
        case drawMoment(Trouble.Kind)
    }

    private unowned let host: DeviceHost
    private var drawing: Drawing?
    private let end: Int64
    private var plans = EventHeap<Int64, Plan>()
    /// Closures that end the troubles that last, in the order in which these began.
    private var remedies: [(id: Int, body: () -> Void)] = []
    private var remediesCount = 0
    /// Whether the story performs a trouble: then the device is not made usable for it.
    private var isActing = false
    /// The number of the await at which each app is ended.
    private var lastAwaits: [String: Int] = [:]
    private var awaits: [String: AppAwaits] = [:]
    let trial: Trial

    init(_ source: Source, on host: DeviceHost, _ trial: Trial) {
        self.host = host
        self.trial = trial
        switch source {
        case .drawn(let drawing, let span):
            self.drawing = drawing
            self.end = span.nanoseconds
            self.planNext(after: 0)
        case .written(let events):
            self.end = .max
            for event in events { self.plans.insert(.perform(event.trouble), at: event.time.nanoseconds) }
        }
    }

    // MARK: Time

    /// The time of the next plan; `Int64.max`: there is none.
    var next: Int64 { self.plans.nextTime ?? .max }

    /// Carries out the plans whose time has come.
    func play() {
        while let plan = self.plans.removeNext(by: self.host.time.clock.now)?.event {
            switch plan {
            case .perform(let trouble): self.perform(trouble)
            case .draw:
                self.perform(self.drawing?.next(in: self.host.scene))
                self.planNext(after: self.host.time.clock.now)
            case .drawMoment(let kind): self.perform(self.drawing?.next(of: kind, in: self.host.scene))
            }
        }
    }

    private func planNext(after instant: Int64) {
        guard let pause = self.drawing?.pause() else { return }
        self.plan(.draw, at: instant + pause.nanoseconds)
    }

    /// Rounds up to whole milliseconds, the unit in which stories are written.
    private func plan(_ plan: Plan, at instant: Int64) {
        let time = (instant + 999_999) / 1_000_000 * 1_000_000
        if time <= self.end { self.plans.insert(plan, at: time) }
    }

    /// A moment began: a question is on the screen, or an extension was launched.
    func momentBegan(_ kind: Trouble.Kind) {
        guard let delay = self.drawing?.delay(of: kind) else { return }
        self.plan(.drawMoment(kind), at: self.host.time.clock.now + delay.nanoseconds)
    }

    func ends(_ app: String, at number: Int) { self.lastAwaits[app] = number }

    /// A process calls something that it awaits.
    func begins(_ call: String, loop: UInt64?, in number: Kernel.ProcessNumber) {
        guard let process = self.host.processes[number], process.role == .app, !process.hasEnded else { return }
        let app = process.bundle.rawValue
        self.awaits[app, default: AppAwaits()].begins(call, loop: loop, in: self.host.kernel.jobs, of: number)
    }

    /// A process ran up to an await, or to its end.
    func jobDidRun(of number: Kernel.ProcessNumber) {
        guard let process = self.host.processes[number], process.role == .app, !process.hasEnded else { return }
        let (app, kernel) = (process.bundle.rawValue, self.host.kernel)
        let place = self.awaits[app, default: AppAwaits()]
            .jobDidRun(kernel.jobs, of: kernel.lastTask, sleeper: kernel.sleeper, in: number)
        let count = self.trial.awaited(app)
        guard self.lastAwaits[app] == count else { return }
        self.struck(.terminateAtAwait(app, count), app, at: place.map { [$0] } ?? [])
        self.host.apps.terminate(process.bundle, by: .system)
    }

    /// Records at which awaits a trouble strikes the apps that it affects.
    private func strikes(_ trouble: Trouble) {
        if case .terminateAtAwait = trouble { return }
        for (app, awaits) in self.awaits.sorted(by: { $0.key < $1.key }) where trouble.app.map({ $0 == app }) ?? true {
            guard self.host.processes.app(BundleID(app))?.number == awaits.process, !awaits.open.isEmpty else {
                continue
            }
            self.struck(trouble, app, at: awaits.open)
        }
    }

    private func struck(_ trouble: Trouble, _ app: String, at places: [Await]) {
        let event = Story.Event(at: .nanoseconds(self.host.time.clock.now), trouble)
        self.trial.struck(StruckAwaits(event: event, app: app, places: places))
    }

    private func perform(_ trouble: Trouble?) {
        guard let trouble, self.host.scene.allows(trouble) else { return }
        self.trial.happened(Story.Event(at: .nanoseconds(self.host.time.clock.now), trouble))
        self.strikes(trouble)
        self.act { self.host.perform(trouble, self) }
    }

    private func act(_ body: () -> Void) {
        let before = self.isActing
        self.isActing = true
        defer { self.isActing = before }
        body()
    }

    // MARK: Ends of troubles

    /// Ends a trouble after a while, or when the story ends.
    ///
    /// - Parameters:
    ///   - duration: how long the trouble lasts; with `needsDevice`, longer while the device is not usable.
    ///   - needsDevice: whether a person must use the device to end the trouble.
    ///   - body: ends the trouble.
    func after(_ duration: Duration, needsDevice: Bool = true, _ body: @escaping () -> Void) {
        self.remediesCount += 1
        let id = self.remediesCount
        self.remedies.append((id, body))
        self.schedule(id, after: duration, needsDevice)
    }

    private func schedule(_ id: Int, after duration: Duration, _ needsDevice: Bool) {
        self.host.time.schedule(after: duration) { [unowned self] in
            guard let index = self.remedies.firstIndex(where: { $0.id == id }) else { return }
            guard !needsDevice || self.host.service.isServing else {
                return self.schedule(id, after: .seconds(1), needsDevice)
            }
            self.act(self.remedies.remove(at: index).body)
        }
    }

    /// Ends the story, and every trouble that has not ended.
    func finish() {
        self.drawing = nil
        self.plans = EventHeap()
        self.makeUsable()
        let remedies = self.remedies
        self.remedies = []
        for remedy in remedies { self.act(remedy.body) }
        self.host.deliveries.endTrouble()
        self.host.world.endDisturbances()
    }

    /// Makes the device usable: switches it on, unlocks it, and starts its location service.
    func makeUsable() {
        guard !self.isActing else { return }
        self.act {
            if !self.host.service.isOn { self.host.switchOn(isLocked: false) }
            if self.host.apps.isLocked { self.host.unlock() }
            if case .down(_, let ran) = self.host.service.state { self.host.startService(after: ran) }
        }
    }
}
