internal import WhereaboutsLocationEngine

/// A process of an app or of its extension on a simulated device: its declaration, and its reactions.
///
/// Like the client library, it declares all that it holds to locationd, and again after every new connection.
class SimulatedProcess {
    /// The Info.plist key of the purpose for full accuracy.
    static let purpose = "Purpose"

    let bundle: BundleID
    let role: Principal.Role
    unowned let device: DeviceNode
    /// Whether the app is in the foreground or in the background.
    private(set) var phase: Lifecycle.Phase
    let reason: Lifecycle.LaunchReason
    /// The number of the app's launches so far, including this one.
    let launch: Int
    /// Whether the app had no process before.
    var isFirst: Bool { self.launch == 1 }
    let started: Instant
    private(set) var isAlive = true
    private(set) var isFrozen = false
    /// Whether the process hangs before its first call.
    var isSilent = false
    /// Whether locationd cut its connection.
    var wasCut = false
    /// The connection with locationd; nil while there is none.
    var client: ClientID?
    private(set) var declaration = Declaration()
    private var ids: UInt64 = 0
    private var held: [() -> Void] = []

    init(
        _ bundle: BundleID,
        _ role: Principal.Role,
        _ phase: Lifecycle.Phase,
        _ reason: Lifecycle.LaunchReason,
        on device: DeviceNode
    ) {
        self.bundle = bundle
        self.role = role
        self.phase = phase
        self.reason = reason
        self.device = device
        self.launch = device.launchCount(of: bundle)
        self.started = device.world.now
    }

    // MARK: Reactions of an app; overridden

    /// The process made its first call, or has a connection again.
    func connected() {}
    func told(_ state: Engine.ClientState) {}
    func told(_ update: Update, of stream: UInt64) {}
    func told(_ diagnostics: SessionDiagnostics, of session: UInt64) {}
    func told(_ news: MonitorNews, of monitor: UInt64) {}
    func told(_ token: Engine.PushTokenResult) {}
    func received(_ push: Push) {}
    func warned() {}
    /// The app came to the foreground, or left it.
    func phaseChanged() {}

    // MARK: Sessions, activities and streams

    func take(session requirement: Declaration.Session.Requirement, purpose: String? = nil) -> UInt64 {
        self.change {
            $0.sessions.append(.init(id: self.nextID(), requirement: requirement, fullAccuracyPurpose: purpose))
        }
        return self.ids
    }

    func read(_ service: Service) -> UInt64 {
        self.change { $0.streams.append(.init(id: self.nextID(), service: service)) }
        return self.ids
    }

    func beginBackgroundSession() -> UInt64 {
        self.change { $0.activities.append(.init(id: self.nextID(), kind: .backgroundSession)) }
        return self.ids
    }

    func read(monitor name: String) -> UInt64 {
        self.change { $0.monitors.append(.init(id: self.nextID(), name: name)) }
        return self.ids
    }

    func change(_ kind: MonitorChange.Kind, of monitor: UInt64) {
        self.device.changed(MonitorChange(monitor: monitor, number: self.nextID(), kind: kind), self)
    }

    func invalidate(_ id: UInt64) {
        self.change { declaration in
            declaration.sessions.removeAll { $0.id == id }
            declaration.streams.removeAll { $0.id == id }
            declaration.activities.removeAll { $0.id == id }
        }
    }

    /// Replaces everything that the process holds.
    func declare(_ all: Declaration) { self.change { $0 = all } }

    /// Holds nothing, silently.
    func forget() { self.declaration = Declaration() }

    private func change(_ body: (inout Declaration) -> Void) {
        body(&self.declaration)
        self.device.declared(self)
    }

    private func nextID() -> UInt64 {
        self.ids += 1
        return self.ids
    }

    // MARK: Its life

    func shown(as phase: Lifecycle.Phase) {
        guard self.phase != phase else { return }
        self.phase = phase
        self.run { [unowned self] in self.phaseChanged() }
    }

    func die() {
        self.isAlive = false
        self.held = []
    }

    func freeze() { self.isFrozen = true }

    func thaw() {
        self.isFrozen = false
        let held = self.held
        self.held = []
        for body in held { self.run(body) }
    }

    /// Runs code in the process: now, or when it resumes, or never.
    func run(_ body: @escaping () -> Void) {
        guard self.isAlive else { return }
        guard !self.isFrozen else { return self.held.append(body) }
        body()
    }

    /// Runs code in the process after a delay.
    func later(_ delay: Duration, _ body: @escaping () -> Void) {
        self.device.world.later(delay) { self.run(body) }
    }
}
