internal import WhereaboutsVocabulary

extension RespondersCore {
    /// Begins the record of an incident.
    mutating func auditOpening(_ opening: IncidentOpening, now: WallTime) {
        let incident = opening.incident
        let audit = IncidentAudit(
            incident: incident.id,
            dispatcher: opening.dispatcher,
            priority: incident.priority,
            responders: incident.responders,
            needsAED: incident.needsAED,
            opened: now
        )
        self.audits[incident.id] = audit
        self.write(.audited(audit))
    }

    /// Counts an effect in the record of its incident.
    mutating func audit(_ effect: Dispatch.Effect, now: WallTime) {
        switch effect {
        case .alert(let alert, _, let id, _):
            let phase = self.dispatch.alerts[alert]?.phase ?? 0
            self.audit(id, now: now) { $0.countWoken(in: phase) }
        case .show(let id, _, .accepted): self.audit(id, now: now) { $0.acceptedCount += 1 }
        case .show(let id, _, .arrived): self.audit(id, now: now) { $0.arrivedCount += 1 }
        case .showEnd(let id, _, .byVolunteer): self.audit(id, now: now) { $0.declinedCount += 1 }
        case .showEnd(let id, _, .undelivered): self.audit(id, now: now) { $0.undeliveredCount += 1 }
        case .end(let id, let end): self.audit(id, now: now) { $0.end = end }
        case .choose, .show, .reveal, .standDown, .showEnd, .showExhausted, .refuse: break
        }
    }

    private mutating func audit(_ id: IncidentID, now: WallTime, _ change: (inout IncidentAudit) -> Void) {
        guard var audit = self.audits[id] else { return }
        change(&audit)
        audit.changed = now
        self.audits[id] = audit
        self.write(.audited(audit))
    }
}
