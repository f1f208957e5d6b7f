/// Decides what an app may know and when, and when it counts as in use.
extension App {
    /// The authorization status that an app reads, and the reasons against every service.
    struct Permission {
        var status: Authorization.Status
        /// The reasons; empty when the app may be served, or when the person has not decided.
        var reasons: UpdateDiagnostics
    }

    func permission(_ terms: Terms) -> Permission {
        let status = self.authorization.status
        guard self.isPermitted(terms) else { return Permission(status: .restricted, reasons: .authorizationRestricted) }
        guard terms.areServicesOn else {
            return Permission(status: .denied, reasons: [.authorizationDenied, .authorizationDeniedGlobally])
        }
        return Permission(status: status, reasons: status == .denied ? .authorizationDenied : [])
    }

    /// Whether the owner's rules let the app be served: false if they forbid the app, or lock a decision that no person
    /// has made.
    func isPermitted(_ terms: Terms) -> Bool {
        switch terms.rule.restriction {
        case .forbidden: false
        case .locked: self.authorization.status != .notDetermined
        case .none: true
        }
    }

    /// Whether the app counts as visible to a person.
    func isForeground(_ terms: Terms) -> Bool {
        self.lifecycle.isForeground || (self.lifecycle.isRunning && terms.rule.isHeadless)
    }

    /// Whether the app is in use: visible, recently visible, or kept in use by something visible.
    func isInUse(_ terms: Terms) -> Bool {
        self.lifecycle.isSeen || self.isKeptInUse || self.isForeground(terms)
    }

    /// Whether the app may begin a session or stream now; a claim that continues an earlier one is not checked.
    func mayBegin(_ claim: Claim, _ terms: Terms) -> Bool {
        let isForeground = self.isForeground(terms)
        switch claim {
        case .session, .liveActivity:
            return isForeground
        case .backgroundSession:
            guard isForeground, self.manifest.mayRunInBackground else { return false }
            let status = self.permission(terms).status
            return status == .whenInUse || status == .always
        case .stream(let service):
            return service.traits.mayBeginUnseen || isForeground || self.lifecycle.isSeen
        }
    }

    /// Why a service receives nothing; empty when it may be served.
    func reasons(
        _ service: ServiceTraits,
        _ role: Principal.Role,
        _ permission: Permission,
        _ terms: Terms
    ) -> UpdateDiagnostics {
        if !service.needsAuthorization { return [] }
        if !permission.reasons.isEmpty { return permission.reasons }
        let ledger = self.ledger(of: role)
        let isExplicit = service.needsSession && terms.readingAsks && self.manifest.requiresExplicitSessions
        switch permission.status {
        case .restricted: return .authorizationRestricted
        case .denied: return .authorizationDenied
        case .notDetermined:
            if self.authorization.question != nil { return .authorizationRequestInProgress }
            if self.missingUsageDescription(for: .whenInUse) != nil { return .authorizationDenied }
            let asks = (ledger.strongestHeld ?? .none) >= .whenInUse
            return isExplicit && !asks ? .serviceSessionRequired : .insufficientlyInUse
        case .whenInUse, .always:
            if isExplicit, ledger.sessions.isEmpty, ledger.strongestHeld == nil { return .serviceSessionRequired }
            guard self.mayServe(service, role, ifAlways: self.authorization.servesUnseen, terms) else {
                return .insufficientlyInUse
            }
            if service.needsFullAccuracy, !self.accuracy.isFull { return .accuracyLimited }
            return service.needsShownSensor && !terms.sensors[service.sensor] ? service.sensor.unavailable : []
        }
    }

    /// Whether an app with authorization is served now: because it is in use, or because its rules allow it otherwise.
    func mayServe(
        _ service: ServiceTraits,
        _ role: Principal.Role,
        ifAlways always: Bool,
        _ terms: Terms
    ) -> Bool {
        if self.isInUse(terms) { return true }
        guard always else { return false }
        switch role {
        case .app:
            guard self.manifest.mayRunInBackground || !service.needsBackgroundMode else { return false }
            let needsSession = service.needsSession && terms.alwaysNeedsSession
            return needsSession ? self.sessions.hasAlways : service.worksUnseen
        case .pushExtension:
            // The extension's session is valid only while the app holds its own, which the app may have given up since.
            let hasAlways = self.extensionSessions.hasAlways && self.sessions.hasAlways
            return !service.needsSession || hasAlways || self.needsNoSession(terms)
        }
    }

    /// Whether the app may be suspended: it waits for no answer, and no service keeps it running.
    func mayRest(_ terms: Terms) -> Bool {
        if !self.accuracyWaiters.isEmpty || self.registration.hasWaiters || self.isForeground(terms) { return false }
        let permission = self.permission(terms)
        return !self.sessions.entries.contains { entry in
            guard entry.counts, self.isRead(entry), case .stream(let service) = entry.claim else { return false }
            // The app keeps running, instead of being woken for each update (documented with allowsBackgroundLocationUpdates).
            return service.traits.keepsInUse && self.reasons(service.traits, .app, permission, terms).isEmpty
        }
    }
}
