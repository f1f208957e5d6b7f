/// The state and the diagnostics that an app's processes receive.
extension App {
    /// The values that a client's synchronous members return.
    func clientState(_ terms: Terms, _ policy: Policy) -> Engine.ClientState {
        Engine.ClientState(
            authorization: self.permission(terms).status,
            isPrecise: self.accuracy.isFull,
            servicesEnabled: terms.areServicesOn,
            phase: self.lifecycle.phase,
            launchReason: self.lifecycle.reason,
            mayRunInBackground: self.manifest.mayRunInBackground,
            declarationsMax: policy.declarationsMax,
            sensors: terms.sensors,
            regions: self.monitors.isEmpty ? [] : self.monitors.records(of: Monitors.ofRegions).map(\.region),
            monitorsVisits: self.sessions.inEffect.contains(.stream(.visits))
        )
    }

    func diagnostics(of session: Client.Session, _ client: Client, _ terms: Terms) -> SessionDiagnostics {
        let ledger = self.ledger(of: client.principal.role)
        let permission = self.permission(terms)
        var result: SessionDiagnostics = []
        if ledger.isWaiting(client.id, id: session.id) { result.insert(.insufficientlyInUse) }
        let isExplicit = self.manifest.requiresExplicitSessions
        switch permission.status {
        case .restricted: result.insert(.authorizationRestricted)
        case .denied:
            result.insert(.authorizationDenied)
            if permission.reasons.contains(.authorizationDeniedGlobally) { result.insert(.authorizationDeniedGlobally) }
        case .notDetermined:
            if self.authorization.question != nil {
                result.insert(.authorizationRequestInProgress)
            } else if self.missingUsageDescription(for: .whenInUse) != nil {
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
            if session.requirement == .always, permission.status == .whenInUse { result.formUnion(self.missingAlways) }
            if let purpose = session.fullAccuracyPurpose, !self.accuracy.isFull {
                result.formUnion(self.missingAccuracy(purpose, session))
            }
        }
        return result
    }

    private var missingAlways: SessionDiagnostics {
        if self.authorization.question != nil { return .authorizationRequestInProgress }
        let refused = self.authorization.refusesAlways || self.missingUsageDescription(for: .always) != nil
        return refused ? .alwaysAuthorizationDenied : .insufficientlyInUse
    }

    private func missingAccuracy(_ purpose: String, _ session: Client.Session) -> SessionDiagnostics {
        if session.wasRefusedFullAccuracy || !self.manifest.purposes.contains(purpose) { return .fullAccuracyDenied }
        return self.accuracy.purpose != nil ? .authorizationRequestInProgress : .insufficientlyInUse
    }
}
