internal import CoreLocation
internal import DequeModule
internal import Geodesy
internal import HeapModule
internal import LocationEngine
internal import LocationHost
internal import LocationWireMessages
internal import OrderedCollections
internal import SwiftProtobuf
internal import Testing

/// The shell around the engine: feeds it what happens on the virtual device, and does what it says.
///
/// It decides nothing itself. `LocationDaemon` is the other shell.
final class DeviceHost {
    /// Something that happens at a time of its own.
    private struct Event: Comparable {
        let at: Int64
        let order: UInt64
        let happen: () -> Void

        static func == (lhs: Event, rhs: Event) -> Bool { lhs.order == rhs.order }
        static func < (lhs: Event, rhs: Event) -> Bool { (lhs.at, lhs.order) < (rhs.at, rhs.order) }
    }

    let clock: VirtualClock
    let kernel: Kernel
    let timeline: Timeline
    let world: World
    let receiver: VirtualReceiver
    let problems = Problems()
    /// What the person says to the questions of the app with that bundle identifier; nil: nothing.
    var habit: ((Person.Question, String) -> Person.Answer?)?
    /// How long the person reads before they answer.
    var reactionTime = Duration.seconds(2)
    private(set) lazy var gateway = VirtualGateway(host: self)
    var engine: Engine
    /// The location service: the engine, and whatever asks it; `locationd` elsewhere.
    var service = Service.running
    /// What outlives the location service.
    var disk = Disk()
    let policy: Policy
    /// The rules of the device's owner.
    var management = Management()
    /// What the device does oddly, as devices in the field do.
    var quirks: Set<Quirk> = []
    /// The installed apps, in the order they were installed.
    var apps: OrderedDictionary<BundleID, AppUnderTest> = [:]
    /// By number; the first place is the device's own and holds nothing.
    var processes: [VirtualProcess?] = [nil]
    /// Those of them that really are processes.
    var separate: [VirtualProcess] = []
    /// What people see of apps behind their backs.
    var indicators: [Engine.Indicator] = []
    /// How often an app was launched.
    var launches: [BundleID: Int] = [:]

    private var inbox = Deque<(Kernel.ProcessNumber, Whereabouts_Locationwire_V1_ClientMessage)>()
    private var events = Heap<Event>()
    private var order: UInt64 = 0
    var engineDeadline = Int64.max

    init(profile: DeviceProfile, policy: Policy, home: CLLocationCoordinate2D, seed: UInt64, epoch: Int64) {
        SelfCheck.require()
        _ = Self.finder
        self.clock = VirtualClock(epoch: epoch)
        self.kernel = Kernel(clock: self.clock)
        self.timeline = Timeline(clock: self.clock)
        self.world = World(home: home, accuracy: profile.accuracy, seed: seed, clock: self.clock)
        self.receiver = VirtualReceiver(profile: profile, world: self.world, timeline: self.timeline)
        let start = Now(monotonic: EngineInstant(sinceStart: .zero), wall: WallTime(microseconds: epoch / 1000))
        self.policy = policy
        self.engine = Engine(policy: policy, now: start)
        self.kernel.owner = self
        // Nowhere weakly: that would make every use of the host several times as dear.
        self.timeline.draw = { [unowned self] in self.lines }
        self.perform(self.engine.start(now: start))
        self.scheduleEngine()
    }

    // MARK: Time

    var instant: EngineInstant { EngineInstant(sinceStart: .nanoseconds(self.clock.now)) }

    var now: Now {
        Now(
            monotonic: self.instant,
            wall: WallTime(microseconds: (self.clock.epoch + self.clock.now) / 1000)
        )
    }

    /// Does something at once, in the device's time, and lets everything run that is ready then.
    func act(_ body: () -> Void) {
        guard Kernel.current !== self.kernel else { return body() }
        self.kernel.pump(until: self.clock.now, begin: body)
        self.tellProblems()
    }

    /// Lets something happen later.
    func schedule(after delay: Duration, _ happen: @escaping () -> Void) {
        self.order += 1
        self.events.insert(Event(at: self.clock.now + delay.nanoseconds, order: self.order, happen: happen))
    }

    func tellProblems() {
        for problem in self.problems.take() {
            self.timeline.add(.problem, "device", problem)
            Reporter.report(problem)
        }
    }

    // MARK: Processes and their connections

    /// Whose Core Location call it is, asked by every object an app makes.
    private static let finder: Void = LocationClient.find {
        guard let kernel = Kernel.current, let host = kernel.owner as? DeviceHost else { return nil }
        return host.client(of: kernel.process)
    }

    /// The process whose code runs now.
    var currentProcess: VirtualProcess? { self.processes[self.kernel.process] }

    private func client(of number: Kernel.ProcessNumber) -> LocationClient? {
        guard let process = self.processes[number] else { return nil }
        if let client = process.client { return client }
        let transport = VirtualTransport(host: self, process: process)
        process.transport = transport
        let client = LocationClient(transport: transport)
        process.client = client
        return client
    }

    /// A process said something; taken in when its job is over, because it may hold locks now.
    func received(_ message: Whereabouts_Locationwire_V1_ClientMessage, from number: Kernel.ProcessNumber) {
        guard let process = self.processes[number] else { return }
        // What cannot be sent is lost.
        if process.connectedSince != nil || process.hasEnded { self.inbox.append((number, message)) }
    }

    private func takeIn(_ message: Whereabouts_Locationwire_V1_ClientMessage, from number: Kernel.ProcessNumber) {
        guard let process = self.processes[number] else { return }
        guard !process.hasEnded else {
            return self.problems.add(
                "a Core Location object of \(process.name) was used after the process ended: it survived in a static, "
                    + "or was handed from one launch to the next; a real one is gone. What it was told is ignored"
            )
        }
        switch message.body {
        case .declaration(let declaration):
            process.declared(declaration, self.timeline)
            self.feed(.clientDeclared(process.clientID, Declaration(declaration)))
        case .pushTokenRequest(let request):
            self.timeline.add(.request, process.name, "asks for its location push token")
            self.feed(.pushTokenRequested(process.clientID, request: request.request))
        case .stopMonitoringPushes:
            self.timeline.add(.request, process.name, "stops monitoring location pushes")
            self.feed(.pushMonitoringStopped(process.clientID))
        case .pushCompleted(let push):
            self.feed(.pushCompleted(process.clientID, PushID(high: push.pushHigh, low: push.pushLow)))
        case .authorizationRequest(let request):
            self.timeline.add(.request, process.name, "requests \(request.always ? "Always" : "When In Use")")
            self.feed(.authorizationRequested(process.clientID, request.always ? .always : .whenInUse))
        case .fullAccuracyRequest(let request):
            self.timeline.add(.request, process.name, "requests full accuracy for \(request.purpose)")
            self.feed(.fullAccuracyRequested(process.clientID, purpose: request.purpose, request: request.request))
        case .phaseReport(let report):
            if let phase = report.phase.phase { self.feed(.phaseReported(process.clientID, phase)) }
        case .geocodeRequest(let request):
            // As a device that knows no geocoder answers.
            self.send(
                .with {
                    $0.geocodeResult = .with {
                        $0.request = request.request
                        $0.failure = .network
                    }
                },
                to: process.clientID
            )
        case nil: break
        }
    }

    func process(of client: ClientID) -> VirtualProcess? {
        let number = Int(client.rawValue)
        guard self.processes.indices.contains(number) else { return nil }
        return self.processes[number]
    }

    // MARK: The engine

    /// Feeds the engine one input and does what it says.
    func feed(_ input: Engine.Input) {
        // Nobody is there to hear it.
        guard self.isServing else { return }
        do {
            self.perform(try self.engine.handle(input, now: self.now))
        } catch {
            preconditionFailure("the virtual device fed the engine what cannot be: \(error)")
        }
        self.scheduleEngine()
    }

    func scheduleEngine() {
        self.engineDeadline = Self.deadline(of: &self.engine)?.sinceStart.nanoseconds ?? .max
    }

    /// Asks the engine where it is; asked as a property of this object, it would be copied.
    private static func deadline(of engine: inout Engine) -> EngineInstant? { engine.nextDeadline }

    func perform(_ effects: [Engine.Effect]) {
        for effect in effects { self.perform(effect) }
    }

    private func perform(_ effect: Engine.Effect) {
        switch effect {
        case .persist: self.disk.saved = (self.engine.snapshot(now: self.instant), self.instant)
        case .tell(let client, .update(let update, let stream)): self.give(update, to: stream, of: client)
        case .tell(let client, let message):
            if case .diagnostics(let diagnostics, _) = message { self.tell(diagnostics, to: client) }
            self.send(message.wire, to: client)
        case .people(.presentPrompt): self.schedule(after: .zero) { [unowned self] in self.askPerson() }
        case .people(.withdrawPrompt): break
        case .people(.showIndicators(let indicators)): self.show(indicators)
        case .process(.launchApp(let bundle, _, let reason)):
            // Not in the middle of the effects of another input.
            self.schedule(after: .zero) { [unowned self] in
                self.launch(bundle, .background, reason, "is launched by the system: \(reason.words)")
            }
        case .process(.freeze(let bundle)): self.suspend(bundle)
        case .process(.thaw(let bundle)): self.resume(bundle)
        case .disconnect(let client): self.disconnect(client)
        case .sensor(.receiver, isOn: true):
            self.receiver.start(now: self.clock.now)
            self.schedule(after: .zero) { [unowned self] in self.feed(.sensed(.ready(.receiver))) }
        case .sensor(.receiver, isOn: false): self.receiver.stop()
        case .process(.launchExtension(let bundle, let launch)): self.launchExtension(of: bundle, launch)
        case .process(.killExtension(let launch)): self.killExtension(launch)
        case .gateway(.register(let bundle)):
            self.schedule(after: .zero) { [unowned self] in self.gateway.register(bundle) }
        case .gateway(.unregister(let bundle)): self.gateway.unregister(bundle)
        case .gateway(.enable(let bundles)): self.gateway.enable(bundles)
        case .forgetPush(let push): self.disk.pushes.removeAll { $0.id == push }
        case .note(let note): self.note(note)
        }
    }

    private func send(_ message: Whereabouts_Locationwire_V1_DaemonMessage, to client: ClientID) {
        guard let process = self.process(of: client) else { return }
        self.deliver(.message(message), to: process)
    }

    /// Gives a process's client an event; a suspended one gets it when it goes on.
    func deliver(_ event: TransportEvent, to process: VirtualProcess, newestOf stream: UInt64? = nil) {
        guard !process.hasEnded else { return }
        guard !process.isSuspended else { return process.hold(event, of: stream) }
        if let separate = process.separate { return separate.deliver(event) }
        self.kernel.perform(as: process.number) { process.transport?.deliver(event) }
    }

    private func give(_ update: Update, to stream: UInt64, of client: ClientID) {
        guard let process = self.process(of: client), !process.hasEnded else { return }
        if self.quirks.isEmpty {
            self.give(update, to: stream, of: process)
        } else {
            self.giveOddly(update, to: stream, of: process)
        }
    }

    func give(_ update: Update, to stream: UInt64, of process: VirtualProcess) {
        process.given(update, to: stream, self.timeline)
        let message = Engine.Message.update(update, stream: stream)
        self.deliver(.message(message.wire), to: process, newestOf: message.replacedStream)
    }

    private func tell(_ diagnostics: SessionDiagnostics, to client: ClientID) {
        guard let process = self.process(of: client), !process.hasEnded else { return }
        self.timeline.add(.delivery, process.name, "a session hears: \(diagnostics.words)")
    }

    func show(_ indicators: [Engine.Indicator]) {
        self.indicators = indicators
        let words = indicators.map(\.words)
        self.timeline.add(
            .decision,
            "device",
            words.isEmpty ? "shows no indicator" : "shows: " + words.joined(separator: "; ")
        )
    }

    private func note(_ note: Note) {
        self.gateway.decided(note)
        let (lane, text) = note.words
        self.timeline.add(.decision, lane, text)
    }
}

// MARK: Kernel.Owner

extension DeviceHost: Kernel.Owner {
    var nextEvent: Int64 {
        let next = min(self.engineDeadline, self.receiver.next, self.events.min?.at ?? .max)
        return self.separate.isEmpty ? next : min(next, self.separateNext)
    }

    func eventsAreDue() {
        let now = self.clock.now
        while let event = self.events.min, event.at <= now {
            self.events.removeMin()
            event.happen()
        }
        if self.receiver.next <= now, let fix = self.receiver.tick(now: now, epoch: self.clock.epoch) {
            self.feed(.sensed(.fix(fix)))
        }
        if self.engineDeadline <= now {
            self.feed(.deadlineReached)
            // The engine's timers are no finer than this; one that stays due must not stop time.
            if self.engineDeadline <= now { self.engineDeadline = now + 1_000_000 }
        }
        self.jobDidRun()
    }

    func jobDidRun() {
        repeat { self.takeInbox() } while !self.separate.isEmpty && self.runSeparate()
    }

    func takeInbox() {
        while let (process, message) = self.inbox.popFirst() { self.takeIn(message, from: process) }
    }

    func processDoesNotWait(_ number: Kernel.ProcessNumber) {
        let name = self.processes[number]?.name ?? "the device"
        self.problems.add(
            "\(name) ran a million jobs at \(Timeline.clock(.nanoseconds(self.clock.now))) without waiting for anything, as "
                + "a loop around Task.yield() does; it is ended, so that the test can go on"
        )
        if let process = self.processes[number] { self.end(process, "does not wait for anything and is ended") }
    }
}

// MARK: The map

extension DeviceHost {
    /// Where the device was, and where its processes were told it is.
    fileprivate var lines: (truth: Timeline.Picture.Line, told: [Timeline.Picture.Line]) {
        let now = self.clock.now
        // As many points as a screen shows.
        let truth = (0...600).map { step in
            let place = self.world.truth(at: now / 600 * Int64(step)).position
            return (place.latitude, place.longitude)
        }
        let told = self.processes.compactMap(\.self).filter { $0.positions.count > 0 }.map { process in
            let points = process.positions.points.map { (Double($0.latitude) / 1e7, Double($0.longitude) / 1e7) }
            return Timeline.Picture.Line(name: "\(process.name), launch \(process.number)", points: points)
        }
        return (Timeline.Picture.Line(name: "the device", points: truth), told)
    }
}

// MARK: The test's side

extension DeviceHost {
    /// Lets time pass, and stops early when `isDone`; returns whether it is.
    @discardableResult
    func advance(by nanoseconds: Int64, until isDone: () -> Bool = { false }) -> Bool {
        let (end, overflow) = self.clock.now.addingReportingOverflow(nanoseconds)
        precondition(!overflow, "that is longer than a virtual device lives")
        var done = false
        self.kernel.pump(until: end) {
        } isDone: {
            done = isDone()
            return done
        }
        self.tellProblems()
        return done || isDone()
    }

    /// The test is over: says what it forgot, and lets go.
    func finish(_ location: SourceLocation) {
        self.tellProblems()
        let forgot = self.clock.now == 0 && self.living.contains { self.isWaiting($0) }
        if forgot {
            Reporter.report(
                "the test ended at the device's start; time does not pass by itself: call advance(by:) or run(until:)\n"
                    + "This is what everything waits for:\n\(self.waiting)",
                at: location
            )
        }
        for process in self.living {
            process.bury()
            self.kernel.end(process.number)
        }
        for process in self.processes { process?.transport?.detach() }
        self.timeline.draw = { nil }
        self.kernel.owner = nil
    }

    private func isWaiting(_ process: VirtualProcess) -> Bool {
        !process.streams.isEmpty || !self.kernel.wakeUps(of: process.number).isEmpty
    }
}
