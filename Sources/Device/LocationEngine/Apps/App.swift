internal import WhereaboutsVocabulary

/// The engine's state of one installed app: its machines, side by side, and its connections.
///
/// Decisions about an app depend on this value and on the ``Terms`` alone, the elements of its streams on the
/// ``Supply`` as well.
struct App: Sendable, Hashable {
    /// A manager that waits to learn whether the person was asked for full accuracy.
    struct AccuracyWaiter: Sendable, Hashable {
        var client: ClientID
        var request: UInt64
    }

    /// The most managers that wait at a time; a further one receives at once that nobody was asked: an app needs one.
    static let accuracyWaitersMax = 64

    let bundle: BundleID
    var manifest: AppManifest
    /// The connections of its processes, in the order they came.
    var clients: [Client] = []
    var authorization = Authorization()
    var accuracy: AccuracyAuthorization
    var lifecycle = Lifecycle()
    var relaunch = CrashLoop()
    var sessions = Ledger()
    var monitors = Monitors()
    /// The newest that it was notified of the device's ways.
    var heard = DeliveredTravel()
    var registration: PushRegistration
    var pushExtension: PushExtension
    /// The extension has a ledger of its own: launching it is not a launch of the app (ADR 0009).
    var extensionSessions = Ledger()
    /// A manager's request for authorization that was not put to a person yet.
    var request: (Authorization.Request)?
    /// The managers that wait for ``accuracy``'s question; at most ``accuracyWaitersMax``.
    var accuracyWaiters: [AccuracyWaiter] = []
    /// Its process, launched by the host, was told to end; however it ends, it did not fail.
    var isBeingEnded = false
    /// A person is closing the app, and its claims go with it (``Policy/closingKeepsClaims``).
    var forgetsClaims = false
    /// Its process was started by the host before this one: what it left, it goes on with.
    var isTakenOver = false
    /// Whether it could answer pushes when its process was last notified, or was launched to be notified; nil: not looked at yet.
    var couldShare: Bool?
    /// The extension left the app a stream, and the app was not launched for it yet.
    var wasHandedOver = false
    /// The keys of the Info.plist that are missing, noted once each.
    var missingNoted: [String] = []

    init(bundle: BundleID, manifest: AppManifest, policy: Policy) {
        self.bundle = bundle
        self.manifest = manifest
        self.accuracy = AccuracyAuthorization(precise: !manifest.defaultsToReducedAccuracy)
        self.registration = PushRegistration()
        self.pushExtension = PushExtension(policy: policy)
    }

    /// The ledger of a kind of process.
    func ledger(of role: Principal.Role) -> Ledger {
        switch role {
        case .app: self.sessions
        case .pushExtension: self.extensionSessions
        }
    }

    /// Whether something that a person sees keeps the app in use while they look elsewhere.
    var isKeptInUse: Bool {
        if !self.sessions.entries.isEmpty,
            self.sessions.entries.contains(where: { $0.counts && $0.claim.isLiveActivity })
        {
            return true
        }
        return self.isKeptByService
    }

    /// Whether a background activity session, or a manager's updates in the background, keep the app in use.
    var isKeptByService: Bool {
        self.manifest.mayRunInBackground
            && self.sessions.entries.contains { entry in
                switch entry.claim {
                case .backgroundSession: entry.counts
                case .stream(let service): service.traits.keepsInUse && entry.counts && self.isRead(entry)
                case .session, .liveActivity: false
                }
            }
    }

    /// Whether a process holds a stream that wants more; one that a pause ended wants nothing.
    func isRead(_ entry: Ledger.Entry) -> Bool {
        switch entry.standing {
        case .inEffect(let client, let id), .waiting(let client, let id):
            !self.clients.contains { $0.id == client && $0.streams.contains { $0.id == id && $0.machine.isOver } }
        case .outstanding, .retakable: false
        }
    }

    /// Whether a session in the extension continues one that the app began.
    func allowsExtensionSession(_ terms: Terms) -> Bool {
        self.sessions.hasAlways || self.needsNoSession(terms)
    }

    /// Whether the app takes location pushes and was allowed to answer them, but answers none until a person opens it: it lost
    /// its session, or took it in the background, where none begins.
    func needsOpening(_ terms: Terms) -> Bool {
        self.registration.isMonitoring && self.permission(terms).status == .always && !self.sessions.hasAlways
            && (self.sessions.hasLostAlways || self.sessions.holdsAlways)
    }

    /// Whether the app was granted Always the classic way and never took a session (ADR 0009).
    func needsNoSession(_ terms: Terms) -> Bool {
        terms.pushesWithoutSession && !self.sessions.hasTakenAlways
    }

    /// Why the app may have no token, or nil; the order is Apple's numbering of the errors.
    var pushTokenFailure: Engine.PushTokenFailure? {
        if !self.manifest.hasPushExtension { return .missingPushExtension }
        if !self.manifest.hasPushEnvironment { return .missingPushServerEnvironment }
        if !self.manifest.mayReceiveLocationPushes { return .missingEntitlement }
        return nil
    }

    /// The key of the Info.plist that a question needs and that is missing, or nil.
    func missingUsageDescription(for question: Authorization.Question) -> String? {
        switch question {
        case .whenInUse:
            self.manifest.explainsWhenInUse ? nil : "NSLocationWhenInUseUsageDescription"
        case .always, .confirmAlways:
            self.manifest.explainsAlways ? nil : "NSLocationAlwaysAndWhenInUseUsageDescription"
        }
    }

    /// The earliest instant at which one of the app's machines wants to learn of the time.
    var deadline: EngineInstant? {
        var earliest = self.lifecycle.deadline
        earliest.lower(to: self.sessions.deadline)
        earliest.lower(to: self.relaunch.deadline)
        earliest.lower(to: self.monitors.receiveBy)
        earliest.lower(to: self.registration.deadline)
        earliest.lower(to: self.pushExtension.deadline)
        return earliest
    }
}
