internal import WhereaboutsVocabulary

/// The engine's state of one installed app: its machines, side by side, and its connections.
///
/// Decisions about an app depend on this value and on the ``Terms`` alone, the elements of its streams on the
/// ``Supply`` as well.
struct App: Sendable, Hashable {
    /// A manager's request that waits until the prompt for full accuracy is answered or withdrawn.
    struct AccuracyWaiter: Sendable, Hashable {
        var client: ClientID
        var request: UInt64
    }

    /// The maximum number of managers that wait at a time; an app needs one.
    ///
    /// A further request is answered at once, without a prompt.
    static let accuracyWaitersMax = 64

    let bundle: BundleID
    var manifest: AppManifest
    /// The connections of the app's processes, in the order of their arrival.
    var clients: [Client] = []
    var authorization = Authorization()
    var accuracy: AccuracyAuthorization
    var lifecycle = Lifecycle()
    var relaunch = CrashLoop()
    var sessions = Ledger()
    var monitors = Monitors()
    /// The last significant change and the last visit that the app received.
    var heard = DeliveredTravel()
    var registration: PushRegistration
    var pushExtension: PushExtension
    /// The extension has its own ledger, because launching it does not launch the app (ADR 0009).
    var extensionSessions = Ledger()
    /// A manager's request for authorization that was not put to a person yet.
    var request: (Authorization.Request)?
    /// The managers that wait for ``accuracy``'s question; at most ``accuracyWaitersMax``.
    var accuracyWaiters: [AccuracyWaiter] = []
    /// The process that the host launched was asked to end, so its end is not a failure.
    var isBeingEnded = false
    /// A person is closing the app, and its claims are dropped (``Policy/closingKeepsClaims``).
    var forgetsClaims = false
    /// An earlier host started the process, which continues with the claims that the process left there.
    var isTakenOver = false
    /// Whether the app could answer pushes when it was last notified, or launched, because of that; nil: unknown.
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

    /// Whether something visible keeps the app in use in the background.
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

    /// Whether a process reads a stream; a stream that a pause ended needs nothing.
    func isRead(_ entry: Ledger.Entry) -> Bool {
        switch entry.standing {
        case .inEffect(let client, let id), .waiting(let client, let id):
            !self.clients.contains { $0.id == client && $0.streams.contains { $0.id == id && $0.machine.isOver } }
        case .outstanding, .retakable: false
        }
    }

    /// Whether the extension's session continues the app's session.
    func allowsExtensionSession(_ terms: Terms) -> Bool {
        self.sessions.hasAlways || self.needsNoSession(terms)
    }

    /// Whether a person must open the app before it can answer location pushes, because the app lost its session, or
    /// created it in the background, where a session has no effect.
    func needsOpening(_ terms: Terms) -> Bool {
        self.registration.isMonitoring && terms.alwaysNeedsSession && self.permission(terms).status == .always
            && !self.sessions.hasAlways && (self.sessions.hasLostAlways || self.sessions.holdsAlways)
    }

    /// Whether the app was granted Always without ever taking a session (ADR 0009), or Always needs none.
    func needsNoSession(_ terms: Terms) -> Bool {
        !terms.alwaysNeedsSession || (terms.pushesWithoutSession && !self.sessions.hasTakenAlways)
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

    /// The earliest deadline of the app's machines.
    var deadline: Deadline<Engine.DeadlineReason>? {
        var earliest: Deadline<Engine.DeadlineReason>?
        earliest.lower(to: self.lifecycle.deadline, .lifecycle)
        earliest.lower(to: self.sessions.deadline, .sessions)
        earliest.lower(to: self.relaunch.deadline, .relaunch)
        earliest.lower(to: self.monitors.receiveBy, .monitorEvent)
        earliest.lower(to: self.registration.deadline, .pushToken)
        earliest.lower(to: self.pushExtension.deadline, .pushExtension)
        return earliest
    }
}
