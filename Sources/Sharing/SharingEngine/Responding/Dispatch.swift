package import WhereaboutsVocabulary

/// Alerts the nearest volunteers to a medical emergency, a few at a time.
///
/// A dispatcher opens an incident with its coarse cell. The machine chooses volunteers of the nearest cells; the dispatcher seals the
/// position to each of their phones, and each phone gets a push. A volunteer for whom no position comes within ``DispatchPolicy/sealing``
/// is replaced. The machine replaces each refusal at once, and each silence after ``DispatchPolicy/silence``. When a phase passes, or no
/// volunteer of its ring is left, the ring becomes wider. An acceptance is held for ``DispatchPolicy/choice`` if somebody with a shorter travel time
/// may accept: then the nearest of them are chosen. When enough people come, all others are stood down. If one of them
/// withdraws, the search continues. Every end of an incident reaches every alert that is still open.
///
/// The host checks signatures before it reports an input. A volunteer answers one incident at a time, and the more urgent incident
/// chooses first. Rejected: everything in ``Refusal``. Ignored races: an early deadline, a push that failed after its alert
/// ended, a volunteer who leaves twice.
package struct Dispatch: Sendable {
    package enum Input: Sendable, Hashable {
        /// A volunteer enrolled, or changed the enrolment.
        case enrolled(Volunteer)
        /// A volunteer left; the server forgets the person.
        case left(VolunteerID)
        case opened(Incident, by: Dispatcher)
        /// The dispatcher ends an incident; `isFalseAlarm` cancels it.
        case closed(IncidentID, by: DispatcherID, isFalseAlarm: Bool)
        /// The dispatcher sealed the position to the phone of a chosen volunteer.
        case sealed(AlertID, of: IncidentID, Responder.Role, by: DispatcherID)
        /// A phone answered; the phone counts its answers to one alert from 1.
        case answered(AlertID, by: VolunteerID, Responder.Answer, number: UInt32)
        /// The push of an alert could not be delivered, or the chosen volunteer has no phone.
        case pushFailed(AlertID)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Show the dispatcher the key of a volunteer's phone, to which the dispatcher seals the position.
        case choose(AlertID, VolunteerID, IncidentID, Responder.Role)
        /// Push the sealed position of the incident to a volunteer.
        case alert(AlertID, VolunteerID, IncidentID, Responder.Role)
        /// Show the dispatcher the state of an alert.
        case show(IncidentID, AlertID, Responder.State)
        /// Send the dispatcher the sealed position of a person who accepted.
        case reveal(IncidentID, AlertID, sealed: [UInt8])
        /// Push to the volunteer that the alert ended.
        case standDown(AlertID, VolunteerID, Responder.End)
        /// Show the dispatcher that an alert ended.
        case showEnd(IncidentID, AlertID, Responder.End)
        /// Show the dispatcher that no other volunteer is free nearby.
        case showExhausted(IncidentID)
        /// Show the dispatcher that the incident ended.
        case end(IncidentID, IncidentEnd)
        /// Refuse the input.
        case refuse(Refusal)
    }

    /// The rule that an input breaks.
    package enum Refusal: Sendable, Hashable {
        /// The incident is outside the dispatcher's area.
        case outsideArea
        /// The message's date is too old or too far ahead.
        case stale
        /// An incident or an answer came again.
        case replayed
        /// No room for another incident of this priority, or another volunteer.
        case full
        /// There is no such incident of this dispatcher, or it ended.
        case unknownIncident
        /// There is no such alert of this volunteer, or it ended.
        case unknownAlert
        /// The answer doesn't fit the state, such as an arrival without an acceptance.
        case outOfOrder
        /// The sealed position is too long.
        case tooLong
        /// The server's configuration has no dispatcher with this key.
        case unknownDispatcher
        /// The person is not enrolled.
        case unknownVolunteer
        /// The server has a later enrolment or departure of the person.
        case outdated
    }

    struct Life: Sendable {
        let incident: Incident
        let dispatcher: DispatcherID
        let opened: UInt64
        var phase = 0
        var phaseEnd: EngineInstant
        let expires: EngineInstant
        /// All alerts that have not ended, in their order.
        var alerts: [AlertID] = []
        /// The number of all alerts so far.
        var alertsCount = 0
        /// All volunteers that must not be alerted again.
        var asked: [VolunteerID] = []
        var isExhausted = false
    }

    enum Timer: Sendable {
        /// When to stop waiting for the sealed position, or for an answer.
        case silence(AlertID)
        /// When to choose a person who accepted.
        case choice(AlertID)
        /// When to widen the ring.
        case phase(IncidentID)
        /// When to end the incident.
        case expiry(IncidentID)
    }

    let policy: DispatchPolicy
    var index = VolunteerIndex()
    var lives: [IncidentID: Life] = [:]
    var alerts: [AlertID: Responder] = [:]
    /// The open incidents, the most urgent first, then the oldest.
    private var order: [(priority: Incident.Priority, opened: UInt64, id: IncidentID)] = []
    private var openedCount: UInt64 = 0
    var timers = EventHeap<EngineInstant, Timer>()
    private var remembered: Set<IncidentID> = []
    private var forgetting = EventHeap<EngineInstant, IncidentID>()

    /// Creates a dispatch without volunteers.
    package init(policy: DispatchPolicy = DispatchPolicy()) { self.policy = policy }

    /// When to feed ``Input/deadlineReached``; nil without an open incident.
    package var deadline: EngineInstant? { self.lives.isEmpty ? nil : self.timers.nextTime }

    package var volunteersCount: Int { self.index.count }
    package var incidentsCount: Int { self.lives.count }

    /// Records a stored incident; an ended one is only remembered.
    mutating func restore(_ incident: Incident, by dispatcher: DispatcherID, isOpen: Bool, age: Duration, now: Now) {
        let rest = max(.zero, self.policy.lifetime - age)
        let expires = now.monotonic.advanced(by: rest)
        self.remembered.insert(incident.id)
        self.forgetting.insert(incident.id, at: expires.advanced(by: self.policy.freshness + self.policy.freshness))
        guard isOpen else { return }
        self.add(incident, by: dispatcher, expires: expires, now: now)
    }

    /// Records a stored alert of a volunteer, and the time at which the person was woken.
    mutating func restore(_ alert: AlertID, _ responder: Responder, woken: WallTime, isOpen: Bool, now: Now) {
        var responder = responder
        self.index.woken(responder.volunteer, now: woken, day: self.policy.day)
        guard self.lives[responder.incident] != nil else { return }
        self.lives[responder.incident]?.alertsCount += 1
        self.lives[responder.incident]?.asked.append(responder.volunteer)
        guard isOpen else { return }
        responder.silentAt = now.monotonic.advanced(by: self.policy.silence)
        self.timers.insert(.silence(alert), at: responder.silentAt)
        if let hold = responder.hold {
            let until = now.monotonic.advanced(by: self.policy.choice)
            responder.hold = Responder.Hold(sealed: hold.sealed, until: until)
            self.timers.insert(.choice(alert), at: until)
        }
        self.alerts[alert] = responder
        self.index.chosen(responder.volunteer, by: alert)
        self.lives[responder.incident]?.alerts.append(alert)
    }

    /// Continues the restored incidents, the most urgent first.
    mutating func resume(now: Now, using generator: inout some RandomNumberGenerator) -> [Effect] {
        var effects: [Effect] = []
        for entry in self.order { effects += self.fill(entry.id, now: now, using: &generator) }
        return effects
    }

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - now: the time on both clocks.
    ///   - generator: draws the IDs of alerts, and the order of people in one cell.
    /// - Returns: the effects, to be carried out in this order.
    package mutating func handle(
        _ input: Input,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch input {
        case .enrolled(let volunteer): self.enrolled(volunteer, now: now, using: &generator)
        case .left(let id): self.left(id, now: now, using: &generator)
        case .opened(let incident, let dispatcher): self.opened(incident, by: dispatcher, now: now, using: &generator)
        case .closed(let id, let dispatcher, let isFalseAlarm):
            self.lives[id]?.dispatcher == dispatcher
                ? self.end(id, isFalseAlarm ? .cancelled : .stoodDown, now: now) : [.refuse(.unknownIncident)]
        case .sealed(let alert, let incident, let role, let dispatcher):
            self.sealed(alert, of: incident, role, by: dispatcher, now: now)
        case .answered(let alert, let volunteer, let answer, let number):
            self.answered(alert, by: volunteer, answer, number: number, now: now, using: &generator)
        case .pushFailed(let alert): self.pushFailed(alert, now: now, using: &generator)
        case .deadlineReached: self.deadlineReached(now: now, using: &generator)
        }
    }
}

// MARK: Volunteers

extension Dispatch {
    private mutating func enrolled(
        _ volunteer: Volunteer,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard self.index[volunteer.id] != nil || self.index.count < self.policy.volunteersMax else {
            return [.refuse(.full)]
        }
        self.index.insert(volunteer)
        // Other incidents have people to wait for.
        let waiting = self.order.filter { entry in
            guard let life = self.lives[entry.id], life.isExhausted else { return false }
            let range = volunteer.reach + CellDistance.size
            return volunteer.cells.contains { CellDistance.metres(from: $0, to: life.incident.cell) <= range }
        }
        var effects: [Effect] = []
        for entry in waiting { effects += self.fill(entry.id, now: now, using: &generator) }
        return effects
    }

    private mutating func left(
        _ id: VolunteerID,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard let entry = self.index.remove(id), let alert = entry.alert, let responder = self.alerts[alert] else {
            return []
        }
        return self.end(alert, .byVolunteer) + self.fill(responder.incident, now: now, using: &generator)
    }

    private mutating func sealed(
        _ id: AlertID,
        of incident: IncidentID,
        _ role: Responder.Role,
        by dispatcher: DispatcherID,
        now: Now
    ) -> [Effect] {
        guard var responder = self.alerts[id], responder.incident == incident, responder.role == role,
            self.lives[incident]?.dispatcher == dispatcher
        else { return [.refuse(.unknownAlert)] }
        guard responder.state == .chosen else { return [.refuse(.outOfOrder)] }
        responder.state = .alerted
        responder.silentAt = now.monotonic.advanced(by: self.policy.silence)
        self.timers.insert(.silence(id), at: responder.silentAt)
        self.alerts[id] = responder
        self.index.woken(responder.volunteer, now: now.wall, day: self.policy.day)
        return [.alert(id, responder.volunteer, incident, role), .show(incident, id, .alerted)]
    }

    private mutating func answered(
        _ id: AlertID,
        by volunteer: VolunteerID,
        _ answer: Responder.Answer,
        number: UInt32,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        // The phone of a chosen volunteer does not know the alert.
        guard var responder = self.alerts[id], responder.volunteer == volunteer, responder.state != .chosen else {
            return [.refuse(.unknownAlert)]
        }
        guard number > responder.newest else { return [.refuse(.replayed)] }
        guard answer.fits(responder.state) else { return [.refuse(.outOfOrder)] }
        guard answer.sealed.count <= Responder.sealedBytesMax else { return [.refuse(.tooLong)] }
        responder.newest = number
        var effects: [Effect] = []
        switch answer {
        case .band(let band):
            responder.state = .band(band)
            responder.band = band
            responder.silentAt = now.monotonic.advanced(by: self.policy.silence)
            self.timers.insert(.silence(id), at: responder.silentAt)
        case .accepted(let sealed):
            responder.state = .accepted
            let until = now.monotonic.advanced(by: self.policy.choice)
            responder.hold = Responder.Hold(sealed: sealed, until: until)
            self.timers.insert(.choice(id), at: until)
        case .enRoute(let sealed):
            responder.state = .enRoute
            responder.hold = nil
            effects.append(.reveal(responder.incident, id, sealed: sealed))
        case .arrived:
            responder.state = .arrived
            responder.hold = nil
        case .outOfRange, .refused, .withdrawn:
            return self.end(id, .byVolunteer) + self.fill(responder.incident, now: now, using: &generator)
        }
        self.alerts[id] = responder
        effects.insert(.show(responder.incident, id, responder.state), at: 0)
        return effects + self.fill(responder.incident, now: now, using: &generator)
    }

    private mutating func pushFailed(
        _ id: AlertID,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard let responder = self.alerts[id], responder.state == .chosen || responder.state == .alerted else {
            return []
        }
        return self.end(id, .undelivered) + self.fill(responder.incident, now: now, using: &generator)
    }

    /// Ends one alert; a volunteer who was woken and did not end it gets a message.
    mutating func end(_ id: AlertID, _ end: Responder.End) -> [Effect] {
        guard let responder = self.alerts.removeValue(forKey: id) else { return [] }
        self.index.alertEnded(responder.volunteer)
        self.lives[responder.incident]?.alerts.removeAll { $0 == id }
        if end == .enough, self.lives[responder.incident]?.incident.needsAED == true {
            // The person may be asked to fetch the defibrillator.
            self.lives[responder.incident]?.asked.removeAll { $0 == responder.volunteer }
        }
        let shown: Effect = .showEnd(responder.incident, id, end)
        let isSilent = end == .byVolunteer || responder.state == .chosen
        return isSilent ? [shown] : [.standDown(id, responder.volunteer, end), shown]
    }
}

// MARK: Incidents

extension Dispatch {
    private mutating func opened(
        _ incident: Incident,
        by dispatcher: Dispatcher,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        while let old = self.forgetting.removeNext(by: now.monotonic) { self.remembered.remove(old.event) }
        guard CellDistance.metres(from: dispatcher.center, to: incident.cell) <= dispatcher.radius else {
            return [.refuse(.outsideArea)]
        }
        guard self.policy.isFresh(incident.signed, now: now.wall) else { return [.refuse(.stale)] }
        guard !self.remembered.contains(incident.id) else { return [.refuse(.replayed)] }
        guard self.remembered.count < self.policy.rememberedMax else { return [.refuse(.full)] }
        var effects: [Effect] = []
        if self.lives.count >= self.policy.incidentsMax {
            guard let victim = self.displaceable(by: incident.priority) else { return [.refuse(.full)] }
            effects = self.end(victim, .displaced, now: now)
        }
        let expires = now.monotonic.advanced(by: self.policy.lifetime)
        self.add(incident, by: dispatcher.id, expires: expires, now: now)
        self.remembered.insert(incident.id)
        self.forgetting.insert(incident.id, at: expires.advanced(by: self.policy.freshness + self.policy.freshness))
        return effects + self.fill(incident.id, now: now, using: &generator)
    }

    private mutating func add(_ incident: Incident, by dispatcher: DispatcherID, expires: EngineInstant, now: Now) {
        self.openedCount += 1
        let phaseEnd = now.monotonic.advanced(by: self.policy.phases[0].length)
        self.lives[incident.id] = Life(
            incident: incident,
            dispatcher: dispatcher,
            opened: self.openedCount,
            phaseEnd: phaseEnd,
            expires: expires
        )
        let rank = (incident.priority, self.openedCount, incident.id)
        let place = self.order.firstIndex { $0.priority > incident.priority } ?? self.order.endIndex
        self.order.insert(rank, at: place)
        self.timers.insert(.phase(incident.id), at: phaseEnd)
        self.timers.insert(.expiry(incident.id), at: expires)
    }

    /// The newest incident of the lowest priority, if it is less urgent and nobody comes to it.
    private func displaceable(by priority: Incident.Priority) -> IncidentID? {
        self.order.last { entry in
            entry.priority > priority
                && self.lives[entry.id]?.alerts.contains { self.alerts[$0]?.state.isComing == true } == false
        }?.id
    }

    private mutating func end(_ id: IncidentID, _ end: IncidentEnd, now: Now) -> [Effect] {
        guard let life = self.lives[id] else { return [] }
        let effects = life.alerts.flatMap { self.end($0, .incident(end)) }
        self.lives[id] = nil
        self.order.removeAll { $0.id == id }
        return effects + [.end(id, end)]
    }

    private mutating func deadlineReached(
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        var effects: [Effect] = []
        var changed: [(priority: Incident.Priority, opened: UInt64, id: IncidentID)] = []
        while let (_, timer) = self.timers.removeNext(by: now.monotonic) {
            switch timer {
            case .silence(let id):
                guard var responder = self.alerts[id], responder.state.isOpen, responder.silentAt <= now.monotonic,
                    let life = self.lives[responder.incident]
                else { continue }
                if responder.state == .chosen {
                    effects += self.end(id, .undelivered)
                } else {
                    responder.state = .silent
                    self.alerts[id] = responder
                    effects.append(.show(responder.incident, id, .silent))
                }
                changed.append((life.incident.priority, life.opened, responder.incident))
            case .choice(let id):
                guard let incident = self.alerts[id]?.incident, let life = self.lives[incident] else { continue }
                changed.append((life.incident.priority, life.opened, incident))
            case .phase(let id):
                guard let life = self.lives[id], life.phaseEnd <= now.monotonic else { continue }
                self.widen(id, now: now)
                changed.append((life.incident.priority, life.opened, id))
            case .expiry(let id): effects += self.end(id, .expired, now: now)
            }
        }
        changed.sort { ($0.priority, $0.opened) < ($1.priority, $1.opened) }
        for entry in changed { effects += self.fill(entry.id, now: now, using: &generator) }
        return effects
    }

    /// Starts the next phase; the last one again, to look for people who became free.
    mutating func widen(_ id: IncidentID, now: Now) {
        guard let life = self.lives[id] else { return }
        let phase = min(life.phase + 1, self.policy.phases.count - 1)
        let end = now.monotonic.advanced(by: self.policy.phases[phase].length)
        self.lives[id]?.phase = phase
        self.lives[id]?.phaseEnd = end
        self.timers.insert(.phase(id), at: end)
    }
}
