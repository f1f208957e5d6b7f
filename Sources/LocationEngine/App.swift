/// The engine's state of one installed app: its machines, side by side.
struct App: Sendable, Hashable {
    var manifest: AppManifest
    var authorization = Authorization()
    var lifecycle = Lifecycle()
    var sessions = SessionLedger()
    var registration: PushRegistration
    var pushExtension: PushExtension
    /// The extension has a ledger of its own: launching it is not a launch of the app (ADR 0009).
    var extensionSessions = SessionLedger()
    /// Whether the missing usage description was noted, so that it is noted once.
    var missingUsageNoted = false

    init(manifest: AppManifest, policy: Policy) {
        self.manifest = manifest
        self.registration = PushRegistration()
        self.pushExtension = PushExtension(policy: policy)
    }

    /// Whether a session in the extension continues what the app began.
    func allowsExtensionSession(_ policy: Policy) -> Bool {
        self.sessions.hasAlways || self.needsNoSession(policy)
    }

    /// Whether the app was granted Always the classic way and never took a session (ADR 0009).
    func needsNoSession(_ policy: Policy) -> Bool {
        policy.pushesWithoutSession && !self.sessions.hasTakenAlways
    }

    /// Why a push may not reach the extension, the first reason first; empty when it may.
    func refusals(_ policy: Policy) -> [Note.PushRefusal] {
        var refusals: [Note.PushRefusal] = []
        if !self.registration.isMonitoring { refusals.append(.notRegistered) }
        if self.pushTokenFailure != nil { refusals.append(.notEntitled) }
        if self.authorization.status != .always { refusals.append(.notAuthorized(self.authorization.status)) }
        if !self.allowsExtensionSession(policy) { refusals.append(.noAlwaysSession) }
        return refusals
    }

    /// Why the app may have no token, or nil; the order is Apple's numbering of the errors.
    var pushTokenFailure: Engine.PushTokenFailure? {
        if !self.manifest.hasPushExtension { return .missingPushExtension }
        if !self.manifest.hasPushEnvironment { return .missingPushServerEnvironment }
        if !self.manifest.mayReceiveLocationPushes { return .missingEntitlement }
        return nil
    }

    /// Whether the Info.plist says why a prompt is shown; the key that is missing otherwise.
    func missingUsageDescription(for prompt: Authorization.Prompt) -> String? {
        switch prompt {
        case .whenInUse:
            self.manifest.explainsWhenInUse ? nil : "NSLocationWhenInUseUsageDescription"
        case .always:
            self.manifest.explainsAlways ? nil : "NSLocationAlwaysAndWhenInUseUsageDescription"
        }
    }

    /// The instants at which one of the app's machines wants to hear of the time.
    var deadline: EngineInstant? {
        [
            self.lifecycle.deadline, self.sessions.deadline, self.registration.deadline, self.pushExtension.deadline,
        ].compactMap(\.self).min()
    }
}
