/// Who may know what: pure functions of the state.
extension Engine {
    /// What an app reads as its authorization, and why it is served nothing whatever it holds.
    struct Standing {
        var status: Authorization.Status
        /// Empty when it may be served, or has not been decided about.
        var reasons: UpdateDiagnostics
    }

    /// Whether location services are on: the owner's word, else the person's.
    public var areServicesOn: Bool { self.management.locationServices ?? self.servicesOn }

    func standing(of bundle: BundleID, _ app: App) -> Standing {
        let status = app.authorization.status
        guard self.permits(bundle, app) else { return Standing(status: .restricted, reasons: .authorizationRestricted) }
        guard self.areServicesOn else {
            return Standing(status: .denied, reasons: [.authorizationDenied, .authorizationDeniedGlobally])
        }
        return Standing(status: status, reasons: status == .denied ? .authorizationDenied : [])
    }

    /// Whether the owner's rules let the app have what was decided.
    func permits(_ bundle: BundleID, _ app: App) -> Bool {
        switch self.management.rule(for: bundle).restriction {
        case .forbidden: false
        case .locked: app.authorization.status != .notDetermined
        case .none: true
        }
    }

    /// Whether the app counts as being before a person.
    func isForeground(_ bundle: BundleID, _ app: App) -> Bool {
        app.lifecycle.isForeground || (app.lifecycle.isRunning && self.management.rule(for: bundle).isHeadless)
    }

    /// Whether the app is in use: seen, a moment ago seen, or kept so by something that a person sees.
    func isInUse(_ bundle: BundleID, _ app: App) -> Bool {
        app.lifecycle.isSeen || app.isKeptInUse || self.isForeground(bundle, app)
    }

    /// Whether a claim that continues nothing may begin now.
    func mayBegin(_ claim: Claim, _ bundle: BundleID, _ app: App, _ standing: Standing) -> Bool {
        let isForeground = self.isForeground(bundle, app)
        switch claim {
        case .session, .liveActivity:
            return isForeground
        case .backgroundSession:
            guard isForeground, app.manifest.mayRunInBackground else { return false }
            return standing.status == .whenInUse || standing.status == .always
        case .stream(.standard):
            return isForeground || app.lifecycle.isSeen
        case .stream:
            return true
        }
    }

    /// Why a service is given nothing; empty when it may be served.
    func reasons(_ service: Service, _ principal: Principal, _ app: App, _ standing: Standing) -> UpdateDiagnostics {
        if !standing.reasons.isEmpty { return standing.reasons }
        let ledger = app.ledger(of: principal.role)
        let isExplicit = service.isModern && app.manifest.requiresExplicitSessions
        switch standing.status {
        case .restricted: return .authorizationRestricted
        case .denied: return .authorizationDenied
        case .notDetermined:
            if app.authorization.question != nil { return .authorizationRequestInProgress }
            if app.missingUsageDescription(for: .whenInUse) != nil { return .authorizationDenied }
            let asks = (ledger.strongestHeld ?? .none) >= .whenInUse
            return isExplicit && !asks ? .serviceSessionRequired : .insufficientlyInUse
        case .whenInUse, .always:
            if isExplicit, ledger.sessions.isEmpty, ledger.strongestHeld == nil { return .serviceSessionRequired }
            return self.mayServe(service, principal, app, ifAlways: app.authorization.servesUnseen)
                ? [] : .insufficientlyInUse
        }
    }

    /// Whether an authorized app is served now, as far as its being in use matters.
    func mayServe(_ service: Service, _ principal: Principal, _ app: App, ifAlways always: Bool) -> Bool {
        if self.isInUse(principal.bundle, app) { return true }
        guard always else { return false }
        switch principal.role {
        case .app:
            guard app.manifest.mayRunInBackground else { return false }
            return service.isModern ? app.sessions.hasAlways : service.worksUnseen
        case .pushExtension:
            return !service.isModern || app.extensionSessions.hasAlways || app.needsNoSession(self.policy)
        }
    }

    /// What there is for a reader now.
    mutating func offer(
        _ service: Service,
        _ reasons: UpdateDiagnostics,
        isPrecise: Bool,
        now: Now
    ) -> UpdateStream.Offer {
        if !reasons.isEmpty { return .reasons(reasons) }
        guard isPrecise else {
            if let fix = self.newestFix { self.reduced.fixReceived(fix, now: now.monotonic) }
            if let place = self.reduced.place(now: now.monotonic) { return .approximate(place) }
            return self.receiver.isUnavailable ? .reasons(.locationUnavailable) : .nothing
        }
        if self.receiver.isUnavailable { return .reasons(.locationUnavailable) }
        guard let fix = self.newestFix else { return .nothing }
        if let configuration = service.pausing, self.stillness[configuration.rawValue].isStill { return .still(fix) }
        return .position(fix)
    }

    /// What a client's synchronous members answer.
    func clientState(_ app: App, _ standing: Standing) -> ClientState {
        ClientState(
            authorization: standing.status,
            isPrecise: app.accuracy.isFull,
            servicesEnabled: self.areServicesOn,
            phase: app.lifecycle.phase,
            launchReason: app.lifecycle.reason,
            mayRunInBackground: app.manifest.mayRunInBackground
        )
    }

    /// How a session stands.
    func diagnostics(
        of session: Client.Session,
        _ client: ClientID,
        _ principal: Principal,
        _ app: App,
        _ standing: Standing
    ) -> SessionDiagnostics {
        let ledger = app.ledger(of: principal.role)
        var result: SessionDiagnostics = []
        if ledger.isWaiting(client, id: session.id) { result.insert(.insufficientlyInUse) }
        let isExplicit = app.manifest.requiresExplicitSessions
        switch standing.status {
        case .restricted: result.insert(.authorizationRestricted)
        case .denied:
            result.insert(.authorizationDenied)
            if standing.reasons.contains(.authorizationDeniedGlobally) { result.insert(.authorizationDeniedGlobally) }
        case .notDetermined:
            if app.authorization.question != nil {
                result.insert(.authorizationRequestInProgress)
            } else if app.missingUsageDescription(for: .whenInUse) != nil {
                result.insert(.authorizationDenied)
            } else if session.requirement == Declaration.Session.Requirement.none {
                if isExplicit { result.insert(.serviceSessionRequired) }
            } else {
                result.insert(.insufficientlyInUse)
            }
        case .whenInUse, .always:
            if session.requirement == nil, isExplicit, ledger.strongestHeld == nil {
                result.insert(.serviceSessionRequired)
            }
            if session.requirement == .always, standing.status == .whenInUse {
                result.formUnion(self.missingAlways(app))
            }
            if let purpose = session.fullAccuracyPurpose, !app.accuracy.isFull {
                result.formUnion(self.missingAccuracy(purpose, session, app))
            }
        }
        return result
    }

    private func missingAlways(_ app: App) -> SessionDiagnostics {
        if app.authorization.question != nil { return .authorizationRequestInProgress }
        let refused = app.authorization.refusesAlways || app.missingUsageDescription(for: .always) != nil
        return refused ? .alwaysAuthorizationDenied : .insufficientlyInUse
    }

    private func missingAccuracy(_ purpose: String, _ session: Client.Session, _ app: App) -> SessionDiagnostics {
        if session.wasRefusedFullAccuracy || !app.manifest.purposes.contains(purpose) { return .fullAccuracyDenied }
        return app.accuracy.purpose != nil ? .authorizationRequestInProgress : .insufficientlyInUse
    }

    /// All that people see of apps that use the location, or are kept in use, while they look elsewhere.
    public var indicators: [Indicator] {
        self.apps.flatMap { bundle, app -> [Indicator] in
            var shown = app.sessions.liveActivities.map { Indicator(bundle: bundle, kind: .liveActivity(title: $0)) }
            if app.showsLocationIndicator, !app.lifecycle.isSeen, self.showsIndicator(bundle, app) {
                shown.insert(Indicator(bundle: bundle, kind: .locationInBackground), at: 0)
            }
            return shown
        }
    }

    private func showsIndicator(_ bundle: BundleID, _ app: App) -> Bool {
        let status = self.standing(of: bundle, app).status
        guard status == .always else { return status == .whenInUse }
        // Who is authorized always shows it when a session or the manager says so.
        return app.sessions.entries.contains { entry in
            switch entry.claim {
            case .backgroundSession: entry.counts
            case .stream(.standard(let options)): options.showsIndicator && entry.counts && entry.isHeld
            case .session, .stream, .liveActivity: false
            }
        }
    }
}
