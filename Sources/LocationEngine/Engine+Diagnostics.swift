internal import OrderedCollections

extension Engine {
    /// Why a client's streams may not be served; a pure function of the state.
    func authorizationDiagnostics(_ principal: Principal, _ app: App) -> UpdateDiagnostics {
        let sessions: SessionLedger
        switch principal.role {
        case .app: sessions = app.sessions
        case .pushExtension: sessions = app.extensionSessions
        }
        let explicit = app.manifest.requiresExplicitSessions
        switch app.authorization.status {
        case .denied:
            return .authorizationDenied
        case .notDetermined:
            if app.authorization.prompt != nil { return .authorizationRequestInProgress }
            if app.missingUsageDescription(for: .whenInUse) != nil { return .authorizationDenied }
            let asksItself = (sessions.strongestHeld ?? .none) >= .whenInUse
            return explicit && !asksItself ? .serviceSessionRequired : .insufficientlyInUse
        case .whenInUse, .always:
            if explicit, sessions.strongestHeld == nil { return .serviceSessionRequired }
            let always = app.authorization.status == .always && sessions.hasAlways
            return always || app.lifecycle.isInUse ? [] : .insufficientlyInUse
        }
    }

    /// How a session stands; a pure function of the state.
    func diagnostics(
        of session: Declaration.Session,
        held client: ClientID,
        by principal: Principal,
        _ app: App
    ) -> SessionDiagnostics {
        let sessions: SessionLedger
        switch principal.role {
        case .app: sessions = app.sessions
        case .pushExtension: sessions = app.extensionSessions
        }
        var diagnostics: SessionDiagnostics = []
        if sessions.isWaiting(client, id: session.id) { diagnostics.insert(.insufficientlyInUse) }
        if session.requirement == .none { return diagnostics }
        if app.authorization.prompt != nil { diagnostics.insert(.authorizationRequestInProgress) }
        switch app.authorization.status {
        case .denied:
            diagnostics.insert(.authorizationDenied)
        case .notDetermined:
            if app.missingUsageDescription(for: .whenInUse) != nil {
                diagnostics.insert(.authorizationDenied)
            } else if app.authorization.prompt == nil {
                diagnostics.insert(.insufficientlyInUse)
            }
        case .whenInUse:
            if session.requirement == .always, app.authorization.prompt == nil {
                let refused = app.authorization.refusesAlways || app.missingUsageDescription(for: .always) != nil
                diagnostics.insert(refused ? .alwaysAuthorizationDenied : .insufficientlyInUse)
            }
        case .always:
            break
        }
        return diagnostics
    }

    /// Puts the question to the person that the app's sessions want put, if it is in the foreground.
    mutating func askIfPossible(_ bundle: BundleID, _ effects: inout [Effect]) {
        guard var app = self.apps[bundle], app.lifecycle.isForeground else { return }
        var wanted = app.sessions.strongestHeld
        // Iterating live updates counts as a session that asks for when-in-use.
        let iterates = self.clients.values.contains {
            $0.principal == Principal(bundle: bundle, role: .app) && !$0.streams.isEmpty
        }
        if iterates, !app.manifest.requiresExplicitSessions { wanted = max(wanted ?? .none, .whenInUse) }
        guard let wanted, wanted > .none else { return }
        var asked = app.authorization
        guard case .ask(let prompt) = asked.wanted(wanted) else { return }
        if let key = app.missingUsageDescription(for: prompt) {
            guard !app.missingUsageNoted else { return }
            app.missingUsageNoted = true
            effects.append(.note(.usageDescriptionMissing(bundle, key: key)))
        } else {
            app.authorization = asked
            effects.append(.note(.promptPresented(bundle, prompt)))
        }
        self.apps[bundle] = app
    }
}
