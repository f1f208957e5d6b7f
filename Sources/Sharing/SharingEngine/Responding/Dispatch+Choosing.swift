internal import WhereaboutsVocabulary

/// The choice of the volunteers who are alerted, and of the people who come.
extension Dispatch {
    /// Stands down those who are not needed, and alerts as many people as the phase allows.
    mutating func fill(
        _ id: IncidentID,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard let incident = self.lives[id]?.incident else { return [] }
        var effects: [Effect] = []
        for role in Responder.Role.allCases {
            let needed = role == .patient ? incident.responders : incident.needsAED ? 1 : 0
            guard needed > 0 else { continue }
            effects += self.choose(id, role, needed, now)
            let ofRole = self.responders(of: id, role)
            if ofRole.count(where: \.value.state.isComing) >= needed {
                // With a person on hold, those who are nearer may still accept.
                let farthest = ofRole.filter { $0.value.hold != nil }.map(\.value.bandMin).max()
                let others = ofRole.filter { !$0.value.state.isComing && $0.value.bandMin >= farthest ?? .within3 }
                effects += others.flatMap { self.end($0.key, .enough) }
                continue
            }
            effects += self.alertMore(id, role, open: ofRole.count(where: \.value.state.isOpen), now, &generator)
        }
        return effects
    }

    private func responders(of id: IncidentID, _ role: Responder.Role) -> [(key: AlertID, value: Responder)] {
        (self.lives[id]?.alerts ?? []).compactMap { alert in
            self.alerts[alert].flatMap { $0.role == role ? (alert, $0) : nil }
        }
    }

    /// Stands down the farthest people on hold, if more people come than are needed, and reveals those who are chosen.
    private mutating func choose(
        _ id: IncidentID,
        _ role: Responder.Role,
        _ needed: Int,
        _ now: Now
    ) -> [Effect] {
        let all = self.responders(of: id, role)
        var surplus = all.count(where: \.value.state.isComing) - needed
        var effects: [Effect] = []
        let held = all.compactMap { alert in alert.value.hold.map { (alert.key, alert.value.bandMin, $0) } }
        for (alert, band, hold) in held.sorted(by: { ($0.1, $0.2.until) > ($1.1, $1.2.until) }) {
            let mayWait = all.contains { !$0.value.state.isComing && $0.value.bandMin < band }
            if surplus > 0 {
                effects += self.end(alert, .enough)
                surplus -= 1
            } else if !mayWait || hold.until <= now.monotonic {
                self.alerts[alert]?.hold = nil
                effects.append(.reveal(id, alert, sealed: hold.sealed))
            }
        }
        return effects
    }

    private mutating func alertMore(
        _ id: IncidentID,
        _ role: Responder.Role,
        open: Int,
        _ now: Now,
        _ generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        var effects: [Effect] = []
        var open = open
        while let life = self.lives[id] {
            let phase = self.policy.phases[life.phase]
            let wanted = min(phase.open - open, self.policy.alertsMax - life.alertsCount)
            guard wanted > 0 else { break }
            let chosen = self.index.nearest(
                wanted,
                in: CellDistance.cells(around: life.incident.cell, within: phase.radius),
                examining: self.policy.examinedMax,
                using: &generator
            ) { self.mayAlert($0, metres: $1, role, life, now) }
            open += chosen.count
            effects += chosen.map { self.choose($0, id, role, phase: life.phase, now, &generator) }
            if chosen.count == wanted { break }
            // A ring without free volunteers is not worth waiting for.
            guard life.phase + 1 < self.policy.phases.count else {
                if !life.isExhausted { effects.append(.showExhausted(id)) }
                self.lives[id]?.isExhausted = true
                break
            }
            self.widen(id, now: now)
        }
        return effects
    }

    /// Whether the rules allow to wake this volunteer: skills, range, hours, rest, and one alert at a time.
    private func mayAlert(
        _ entry: VolunteerIndex.Entry,
        metres: Int,
        _ role: Responder.Role,
        _ life: Life,
        _ now: Now
    ) -> Bool {
        let volunteer = entry.volunteer
        // The distance of two points can be a cell shorter than the distance of the centres; the phone decides.
        return entry.alert == nil && volunteer.skills.contains(role.skill)
            && metres <= volunteer.reach + CellDistance.size
            && entry.wakes.count { $0.duration(to: now.wall) < self.policy.day } < self.policy.wakesMax
            && volunteer.hours?.contains(now.wall) != false && !life.asked.contains(volunteer.id)
    }

    private mutating func choose(
        _ volunteer: VolunteerID,
        _ incident: IncidentID,
        _ role: Responder.Role,
        phase: Int,
        _ now: Now,
        _ generator: inout some RandomNumberGenerator
    ) -> Effect {
        let id = AlertID(using: &generator)
        let silentAt = now.monotonic.advanced(by: self.policy.sealing)
        var responder = Responder(volunteer: volunteer, incident: incident, role: role, silentAt: silentAt)
        responder.phase = phase
        self.alerts[id] = responder
        self.index.chosen(volunteer, by: id)
        self.lives[incident]?.alerts.append(id)
        self.lives[incident]?.alertsCount += 1
        self.lives[incident]?.asked.append(volunteer)
        self.timers.insert(.silence(id), at: silentAt)
        return .choose(id, volunteer, incident, role)
    }
}
