internal import CoreLocation
internal import Synchronization
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// One process of an app or of its extension, from its launch to its end; never used twice.
final class VirtualProcess {
    /// A stream of the process, with counts of its updates.
    struct Stream {
        let id: UInt64
        var count = 0
        var told: UpdateDiagnostics?

        /// Whether the stream's last element was a position.
        var isServed = false
        /// The number of beacons in the stream's last element; nil: that element was not about beacons.
        private(set) var beacons: Int?

        /// Whether the stream is one of live updates rather than of a manager.
        var isLive = false
        /// The positions of the last second, and when they were delivered.
        private(set) var fixes: [(fix: Fix, given: EngineInstant)] = []
        /// A stream that ends this soon after a position is assumed to end because of the position.
        static let satisfaction = Duration.seconds(1)
        /// Whether the app may know approximate positions only.
        var isApproximate: Bool { self.told?.contains(.accuracyLimited) ?? false }
        /// The phase of the stream's beginning, if a quirk changes it.
        var beginning = Beginning.fresh

        mutating func given(_ update: Update, now: EngineInstant) {
            self.told = update.diagnostics
            self.fixes.removeAll { $0.given.duration(to: now) > Self.satisfaction }
            if let fix = update.fix { self.fixes.append((fix, now)) }
            self.isServed = update.tellsPlace
            self.beacons = if case .beacons(let survey)? = update.element { survey.beacons.count } else { nil }
            if self.isServed { self.count += 1 }
        }

        init(_ declared: WireStream) {
            self.id = declared.id
            if case .live = declared.service { self.isLive = true }
        }
    }

    /// The phase of a stream whose beginning a quirk changes (``Quirk``).
    enum Beginning {
        case fresh
        /// Positions are held back; this is the newest.
        case held(Update?)
        /// The beginning is over: everything is delivered.
        case over
    }

    /// An event that waits until the process resumes; the stream, if it is a plain position.
    struct Held {
        let event: TransportEvent
        let stream: UInt64?
    }

    /// More than a person causes while an app is suspended; beyond it the oldest is dropped.
    private static let heldMax = 256

    let number: Kernel.ProcessNumber
    let bundle: BundleID
    let role: Principal.Role
    /// The phase it starts in, and why it was launched.
    var arrival: Lifecycle.Arrival
    var isSuspended = false
    var hasEnded = false
    /// When the process connected to the location service; nil: it is not connected.
    var connectedSince: EngineInstant?
    /// The pause before its client tries to connect again.
    var reconnectPause = ReconnectPause()
    /// The separate process that runs the code; nil: the code runs in the test's process.
    var separate: SeparateProcess?
    /// The client, which the process's first call of Core Location creates.
    var client: LocationClient?
    var transport: VirtualTransport?
    /// The app's object, if it has one.
    var root: AnyObject?
    var streams: [Stream] = []
    /// The number of sessions, activities and streams that it declared last.
    var claims = 0
    /// The number of sessions and activities that it holds, and when it last ended one or resumed after that.
    var holdings = (count: 0, ended: EngineInstant?.none)
    /// The conditions that were reported to it as beyond the limit (``Quirk/losesCrossingsBeyondLimit``).
    var beyondLimit: Set<String> = []
    /// The events that it receives when it resumes.
    var held: [Held] = []
    /// Its misuses of the device, in order; each is reported once.
    var misuses: [Misuse] = []
    /// The line it wrote last.
    var lastLine: String?
    /// The stream that gets the next position, among streams that share updates (``Quirk/splitsUpdates``).
    var turn = (fix: EngineInstant(sinceStart: .zero), stream: 0)
    /// The account of an extension's pushes.
    var account = PushAccount()
    /// The positions it received, for the map and for assertions.
    var positions = ReceivedFixes()

    init(number: Kernel.ProcessNumber, bundle: BundleID, role: Principal.Role, arrival: Lifecycle.Arrival) {
        self.number = number
        self.bundle = bundle
        self.role = role
        self.arrival = arrival
    }

    var phase: Lifecycle.Phase {
        get { self.arrival.phase }
        set { self.arrival.phase = newValue }
    }

    /// The client has the number of its process: a process connects once to each engine.
    var clientID: ClientID { ClientID(UInt64(self.number)) }

    /// Stores an event for a suspended process; of plain positions, the newest of each stream.
    func hold(_ event: TransportEvent, of stream: UInt64?) {
        if let stream { self.held.removeAll { $0.stream == stream } }
        self.held.append(Held(event: event, stream: stream))
        if self.held.count > Self.heldMax { self.held.removeFirst() }
    }

    /// Whether a stream is one of live updates.
    func hasLiveStream(_ id: UInt64) -> Bool { self.streams.contains { $0.id == id && $0.isLive } }

    /// The process's name in the timeline.
    var name: String {
        switch self.role {
        case .app: self.bundle.rawValue
        case .pushExtension: "\(self.bundle.rawValue)'s extension"
        }
    }

    /// Releases the process without running any of its code, not even a `deinit`.
    func bury() {
        self.hasEnded = true
        self.separate?.end()
        if let root = self.root {
            _ = unsafe Unmanaged.passRetained(root)
            Self.buried.withLock { _ = $0.insert(ObjectIdentifier(root)) }
        }
        self.root = nil
    }

    /// The objects of ended processes; they are never released, so that no address is used again.
    private static let buried = Mutex<Set<ObjectIdentifier>>([])

    /// Whether an object belongs to an ended process.
    static func isBuried(_ root: AnyObject) -> Bool { Self.buried.withLock { $0.contains(ObjectIdentifier(root)) } }
}

extension VirtualProcess {
    var principal: Principal { Principal(bundle: self.bundle, role: self.role) }

    /// Notes what the process declares at the moment of its call.
    func declares(_ declaration: WireDeclaration, now: EngineInstant) {
        let count = declaration.sessions.count + declaration.activities.count
        self.holdings = (count, count < self.holdings.count ? now : self.holdings.ended)
    }

    /// Records what the process subscribed to, for the timeline.
    func declared(_ declaration: WireDeclaration, _ timeline: Timeline) {
        let before = self.streams
        self.streams = declaration.streams.map { declared in
            before.first { $0.id == declared.id } ?? Stream(declared)
        }
        self.claims = declaration.streams.count + declaration.sessions.count + declaration.activities.count
        let sessions = declaration.sessions.map { session in
            switch session.requirement {
            case .none, .UNRECOGNIZED: "none"
            case .whenInUse: "when in use"
            case .always: "always"
            }
        }
        let held = sessions.isEmpty ? "no session" : "sessions: " + sessions.joined(separator: ", ")
        let activities = declaration.activities.map { activity in
            switch activity.kind {
            case .liveActivity(let live): "the live activity \(live.title)"
            case .backgroundSession, nil: "a background session"
            }
        }
        let all = ([held] + activities).joined(separator: ", ")
        timeline.add(.request, self.name, "holds \(all); awaits \(self.streams.count) stream(s) of positions")
    }

    /// Records what the process received, for the timeline.
    func given(_ update: Update, to id: UInt64, _ timeline: Timeline, now: EngineInstant) {
        guard let index = self.streams.firstIndex(where: { $0.id == id }) else { return }
        let before = self.streams[index].beacons
        self.streams[index].given(update, now: now)
        if let beacons = self.streams[index].beacons {
            // Only reports that differ from the previous second are recorded.
            if beacons != before { timeline.add(.delivery, self.name, "has \(beacons) beacon(s) in range") }
            return
        }
        if case .visit(let visit)? = update.element {
            let what = visit.departure == nil ? "an arrival" : "a departure"
            timeline.add(.delivery, self.name, "gets \(what)")
            return timeline.addFix(self.name, latitude: visit.latitude, longitude: visit.longitude)
        }
        guard let fix = update.fix else {
            return timeline.add(.delivery, self.name, "its updates are suspended: \(update.diagnostics.words)")
        }
        self.positions.add(fix)
        if !update.diagnostics.isEmpty {
            let paused =
                update.diagnostics.contains(.stationary) ? "; its updates are paused while the device stays" : ""
            timeline.add(.delivery, self.name, "gets with a position: \(update.diagnostics.words)\(paused)")
        }
        timeline.addFix(self.name, latitude: fix.latitude, longitude: fix.longitude)
    }
}

extension VirtualProcess {
    /// Records that the connection broke and that all streams of the process are suspended, for the timeline.
    func lostConnection(_ timeline: Timeline) {
        for index in self.streams.indices {
            self.streams[index].told = .locationUnavailable
            self.streams[index].isServed = false
        }
        let suspended = self.streams.isEmpty ? "" : "; its updates are suspended: locationUnavailable"
        timeline.add(.delivery, self.name, "loses the location service\(suspended)")
    }
}

extension VirtualProcess {
    /// The state of the process, for people; empty: it has ended.
    var state: String {
        if self.hasEnded { return "" }
        if self.isSuspended { return "suspended" }
        return self.phase == .foreground ? "foreground" : "background"
    }

    /// The reasons why nothing of the process is ready to run; its sleeping tasks wake at these times, soonest first.
    func waits(wakingAt wakeUps: [Int64]) -> String {
        var waits: [String] = []
        for stream in self.streams {
            if stream.told?.contains(.stationary) == true {
                waits.append(
                    "awaits updates, which are paused because the device stays where it is, and was given \(stream.count); "
                        + "world.go(to:at:) would move it"
                )
            } else if let told = stream.told, !stream.isServed {
                waits.append("awaits updates, which are suspended: \(told.words)")
            } else if stream.count == 0 {
                waits.append("awaits its first update")
            } else {
                waits.append("awaits updates, and was given \(stream.count)")
            }
        }
        if let first = wakeUps.first {
            waits.append("\(wakeUps.count) task(s) sleep, the first until \(Timeline.clock(.nanoseconds(first)))")
        }
        let undriven = self.misuses.compactMap(\.undriven)
        if !undriven.isEmpty {
            waits.append(
                "created \(undriven.joined(separator: ", ")), which never runs in virtual time; use a task that sleeps"
            )
        }
        if self.isSuspended { waits.append("is suspended") }
        if waits.isEmpty { waits.append("waits for nothing that the device could deliver") }
        return waits.joined(separator: "; ")
    }
}
