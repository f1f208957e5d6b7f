internal import DequeModule
internal import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// The service for volunteers and dispatchers: the part of ``SharingCore`` that owns ``DispatchAdmission`` and ``Dispatch``.
///
/// The machines are in memory and built from the store's rows at the start. Each input changes them at once. Its replies and pushes wait
/// until the changed rows are on disk; one write is in progress at a time and takes all rows that changed meanwhile. So a crash
/// undoes nothing that anybody was told, and a push that was not acknowledged is sent again after the start. A phone ignores the
/// second push of an alert.
///
/// ```
///  unloaded ── deadline ──▶ loading ── rows … last row ──▶ loaded
///  loaded:  input ─▶ machines ─▶ rows to write ── kept ──▶ replies, pushes
/// ```
///
/// Ignored races: a result for an alert that ended meanwhile.
package struct RespondersCore: Sendable {
    /// The maximum number of rows of one read.
    package static let pageMax = 10_000
    /// The maximum number of pushes to volunteers in progress, besides the sharers' pushes.
    ///
    /// Source: our choice; half of the sharers' pushes, so that neither waits for the other.
    static let pushesMax = 32
    /// The maximum number of event streams of one dispatcher.
    ///
    /// Source: our choice; a few desks of one organisation, and reconnections.
    static let streamsMax = 16
    /// The time between two attempts to push the end of an alert.
    static let retry: Duration = .seconds(5)
    /// How often the end of an alert is pushed, if the push service is busy.
    static let attemptsMax = 12
    /// How long a dispatcher sees an incident after its end.
    static let shownAfterEnd: Duration = .seconds(120)

    /// A signed message of a volunteer or a dispatcher.
    package enum Statement: Sendable, Hashable {
        case enrol(Verified<Enrolment>)
        case leave(Verified<Departure>)
        case open(Verified<IncidentOpening>)
        case close(Verified<IncidentClosing>)
        case seal(Verified<SealedAlert>)
        case answer(Verified<ResponderReply>)
    }

    /// The reply to a message.
    package enum Reply: Sendable, Hashable {
        case confirm
        /// The alert has ended.
        case over(Responder.End)
        case refuse(Dispatch.Refusal)
        /// The person has no registered device.
        case noDevice
        /// The server names no dispatchers.
        case notOffered
    }

    /// The purpose for which a volunteer's device is read from the store.
    package enum Purpose: Sendable, Hashable {
        /// To show the dispatcher the phone's key.
        case key
        /// To push the alert.
        case alert
        /// To push the end of the alert.
        case end
    }

    enum Phase: Sendable { case unloaded, loading, loaded }

    struct Shown: Sendable {
        let incident: IncidentID
        let person: PublicIdentity
        let role: Responder.Role
        var key: [UInt8] = []
        var state: Responder.State = .chosen
        var position: [UInt8]?
        var end: Responder.End?
        /// The stored row; nil until the dispatcher has sealed the position.
        var row: ResponderRow.Alert?
        var reply: ResponderReply?
        var attempts = 0
    }

    struct Stream: Sendable {
        let dispatcher: PublicIdentity
        var told: UInt64 = 0
        var isBusy = false
    }

    enum Timer: Sendable {
        case push(AlertID)
        case forget(IncidentID)
    }

    struct Push: Sendable { let alert: AlertID, purpose: Purpose }

    private let policy: DispatchPolicy
    var phase = Phase.unloaded
    var admission: DispatchAdmission
    var dispatch: Dispatch
    var generator: SeededGenerator
    var incidents: [IncidentID: ResponderRow.Opened] = [:]
    var audits: [IncidentID: IncidentAudit] = [:]
    var alertsOf: [IncidentID: [AlertID]] = [:]
    var alerts: [AlertID: Shown] = [:]
    var boards: [PublicIdentity: IncidentBoard] = [:]
    var streams: [SharingCore.Ticket: Stream] = [:]
    /// In the order they were opened.
    var order: [SharingCore.Ticket] = []
    var timers = EventHeap<EngineInstant, Timer>()
    var pushes: Deque<Push> = []
    var pushing: Set<AlertID> = []
    var changed: [ResponderRow.Key: ResponderRow] = [:]
    var held: [SharingCore.Effect] = []
    var writing: (rows: [ResponderRow], effects: [SharingCore.Effect])?
    var wakeAt: EngineInstant
    var pollAt: EngineInstant?

    /// Creates the service for the dispatchers of the configuration; `seed` determines the IDs of alerts.
    init(dispatchers: [PublicIdentity: Dispatcher], policy: DispatchPolicy, seed: UInt64, now: EngineInstant) {
        self.policy = policy
        self.admission = DispatchAdmission(dispatchers: dispatchers, policy: policy)
        self.dispatch = Dispatch(policy: policy)
        self.generator = SeededGenerator(seed: seed)
        for key in dispatchers.keys { self.boards[key] = IncidentBoard() }
        self.wakeAt = now
    }

    /// When to call ``deadlineReached(now:)``.
    var deadline: EngineInstant? {
        switch self.phase {
        case .unloaded: self.wakeAt
        case .loading: nil
        case .loaded:
            [self.dispatch.deadline, self.timers.nextTime, self.pollAt, self.changed.isEmpty ? nil : self.wakeAt]
                .compactMap(\.self).min()
        }
    }

    func owns(_ ticket: SharingCore.Ticket) -> Bool { self.streams[ticket] != nil }

    // MARK: Messages

    mutating func received(_ statement: Statement, _ ticket: SharingCore.Ticket, now: Now) -> [SharingCore.Effect] {
        guard self.phase == .loaded else { return [.reply(ticket, .failed)] }
        let message = self.admitted(statement, now: now)
        let reply: Reply
        switch message {
        case .ignore: reply = .confirm
        case .refuse(let refusal): reply = .refuse(refusal)
        case .handle(let input):
            let refusal = self.run(input, of: statement, now: now)
            reply = refusal.map { self.reply(to: statement, refused: $0) } ?? .confirm
            if refusal == nil { self.took(statement, now: now) }
        }
        self.held.append(.reply(ticket, .responding(reply)))
        return self.flush(now: now)
    }

    private mutating func admitted(_ statement: Statement, now: Now) -> DispatchAdmission.OnMessage {
        switch statement {
        case .enrol(let message): self.admission.enrolmentReceived(message, now: now, using: &self.generator)
        case .leave(let message): self.admission.departureReceived(message, now: now)
        case .open(let message): self.admission.openingReceived(message)
        case .close(let message): self.admission.closingReceived(message)
        case .seal(let message): self.admission.sealingReceived(message)
        case .answer(let message): self.admission.replyReceived(message)
        }
    }

    /// Prepares the records, and feeds the machine; returns its refusal.
    private mutating func run(_ input: Dispatch.Input, of statement: Statement, now: Now) -> Dispatch.Refusal? {
        let effects = self.dispatch.handle(input, now: now, using: &self.generator)
        for effect in effects { if case .refuse(let refusal) = effect { return refusal } }
        switch statement {
        case .open(let message):
            let opening = message.signed
            let kept = self.policy.lifetime + self.policy.freshness + self.policy.freshness
            self.incidents[opening.value.incident.id] = ResponderRow.Opened(
                opening: opening,
                opened: now.wall,
                keptUntil: now.wall.advanced(by: kept)
            )
            self.auditOpening(opening.value, now: now.wall)
            self.show(opening.value.incident.id, .open, now: now)
        case .seal(let message):
            let id = message.value.alert
            guard let alert = self.alerts[id] else { break }
            self.alerts[id]?.row = ResponderRow.Alert(
                alert: message.signed,
                person: alert.person,
                key: alert.key,
                woken: now.wall,
                keptUntil: now.wall.advanced(by: self.policy.day)
            )
        case .answer(let message):
            let (id, reply) = (message.value.alert, message.value)
            self.alerts[id]?.reply = reply
            self.alerts[id]?.row?.newest = reply.number
            switch reply.answer {
            case .accepted(let sealed), .enRoute(let sealed): self.alerts[id]?.row?.position = sealed
            case .band, .outOfRange, .refused, .arrived, .withdrawn: break
            }
        case .enrol, .leave, .close: break
        }
        self.carryOut(effects, now: now)
        return nil
    }

    /// Writes the person's row after the machine took the message.
    private mutating func took(_ statement: Statement, now: Now) {
        switch statement {
        case .enrol(let message): self.write(.enrolled(message.signed))
        case .leave(let message):
            let kept = self.policy.freshness + self.policy.freshness
            self.write(.left(message.signed, keptUntil: now.wall.advanced(by: kept)))
        case .open, .close, .seal, .answer: break
        }
    }

    /// A message that comes again gets the first reply.
    private func reply(to statement: Statement, refused refusal: Dispatch.Refusal) -> Reply {
        switch (statement, refusal) {
        case (.open(let message), .replayed):
            let known = self.incidents[message.value.incident.id]
            return known?.opening == message.signed && known?.end == nil ? .confirm : .refuse(.replayed)
        case (.seal(let message), .outOfOrder):
            return self.alerts[message.value.alert]?.row?.alert == message.signed ? .confirm : .refuse(.outOfOrder)
        case (.answer(let message), .replayed):
            return self.alerts[message.value.alert]?.reply == message.value ? .confirm : .refuse(.replayed)
        case (.answer(let message), .unknownAlert):
            guard let alert = self.alerts[message.value.alert], alert.person == message.value.person,
                alert.row != nil, let end = alert.end
            else { return .refuse(.unknownAlert) }
            return .over(end)
        default: return .refuse(refusal)
        }
    }

    // MARK: The machine

    mutating func carryOut(_ effects: [Dispatch.Effect], now: Now) {
        for effect in effects {
            self.audit(effect, now: now.wall)
            switch effect {
            case .choose(let id, let volunteer, let incident, let role):
                guard let person = self.admission.person(of: volunteer) else { continue }
                self.alerts[id] = Shown(incident: incident, person: person, role: role)
                self.alertsOf[incident, default: []].append(id)
                self.pushes.append(Push(alert: id, purpose: .key))
            case .alert(let id, _, _, _): self.pushes.append(Push(alert: id, purpose: .alert))
            case .show(_, let id, let state):
                self.alerts[id]?.state = state
                self.alerts[id]?.row?.state = state
                self.show(id, now: now)
            case .reveal(_, let id, let sealed):
                self.alerts[id]?.position = sealed
                self.alerts[id]?.row?.isRevealed = true
                self.show(id, now: now)
            case .standDown(let id, _, _):
                self.alerts[id]?.row?.isUntold = true
                self.pushes.append(Push(alert: id, purpose: .end))
            case .showEnd(_, let id, let end):
                self.alerts[id]?.end = end
                self.alerts[id]?.row?.end = end
                self.show(id, now: now)
            case .showExhausted(let id): self.show(id, .exhausted, now: now)
            case .end(let id, let end):
                self.incidents[id]?.end = end
                self.show(id, .ended(end), now: now)
                self.timers.insert(.forget(id), at: now.monotonic.advanced(by: Self.shownAfterEnd))
            case .refuse: break
            }
        }
    }

    private mutating func show(_ id: IncidentID, _ state: IncidentEvent.State, now: Now) {
        guard let incident = self.incidents[id] else { return }
        if state != .exhausted { self.write(.opened(incident)) }
        let event = IncidentEvent(incident: id, subject: .incident(state), time: now.wall)
        self.boards[incident.opening.value.dispatcher]?.show(event)
    }

    mutating func show(_ id: AlertID, now: Now) {
        guard let alert = self.alerts[id], let incident = self.incidents[alert.incident] else { return }
        if let row = alert.row { self.write(.alert(row)) }
        // Without a key the dispatcher can do nothing yet.
        guard !alert.key.isEmpty else { return }
        let shown = IncidentEvent.Alert(
            id: id,
            role: alert.role,
            state: alert.state,
            key: alert.key,
            position: alert.position,
            end: alert.end
        )
        let event = IncidentEvent(incident: alert.incident, subject: .alert(shown), time: now.wall)
        self.boards[incident.opening.value.dispatcher]?.show(event)
    }

    mutating func deadlineReached(now: Now) -> [SharingCore.Effect] {
        switch self.phase {
        case .loading: return []
        case .unloaded:
            guard now.monotonic >= self.wakeAt else { return [] }
            self.phase = .loading
            return [.loadResponders(after: nil)]
        case .loaded: break
        }
        self.carryOut(self.dispatch.handle(.deadlineReached, now: now, using: &self.generator), now: now)
        while let (_, timer) = self.timers.removeNext(by: now.monotonic) {
            switch timer {
            case .push(let id): self.pushes.append(Push(alert: id, purpose: .end))
            case .forget(let id): self.forget(id, now: now.monotonic)
            }
        }
        return self.flush(now: now)
    }

    private mutating func forget(_ id: IncidentID, now: EngineInstant) {
        let all = self.alertsOf[id] ?? []
        guard !all.contains(where: { self.alerts[$0]?.row?.isUntold == true }) else {
            self.timers.insert(.forget(id), at: now.advanced(by: Self.shownAfterEnd))
            return
        }
        guard let dispatcher = self.incidents.removeValue(forKey: id)?.opening.value.dispatcher else { return }
        for alert in all {
            self.alerts[alert] = nil
            self.boards[dispatcher]?.forget(alert)
        }
        self.alertsOf[id] = nil
        self.audits[id] = nil
        self.boards[dispatcher]?.forget(id)
    }
}

// MARK: The store

extension RespondersCore {
    mutating func write(_ row: ResponderRow) { self.changed[row.key] = row }

    /// Starts the next write, or returns the effects that need none; then pushes and messages to streams.
    mutating func flush(now: Now) -> [SharingCore.Effect] {
        var effects: [SharingCore.Effect] = []
        if self.writing == nil, now.monotonic >= self.wakeAt {
            if self.changed.isEmpty {
                effects = self.held
            } else {
                let rows = self.changed.values.sorted { $0.key < $1.key }
                self.changed = [:]
                self.writing = (rows, self.held)
                effects.append(.keepResponders(rows))
            }
            self.held = []
        }
        return effects + self.nextPushes() + self.tellStreams(now: now)
    }

    mutating func kept(now: Now) -> [SharingCore.Effect] {
        let effects = self.writing?.effects ?? []
        self.writing = nil
        return effects + self.flush(now: now)
    }

    /// The store failed: clients may send their messages again, and the rows are written a little later.
    mutating func keepFailed(now: Now) -> [SharingCore.Effect] {
        guard let writing = self.writing else { return [] }
        self.writing = nil
        for row in writing.rows where self.changed[row.key] == nil { self.changed[row.key] = row }
        self.wakeAt = now.monotonic.advanced(by: SharingCore.storePause)
        let all = writing.effects + self.held
        self.held = []
        return all.compactMap { effect in
            if case .reply(let ticket, _) = effect { return .reply(ticket, .failed) }
            self.held.append(effect)
            return nil
        }
    }

    mutating func loadFailed(now: Now) -> [SharingCore.Effect] {
        self.phase = .unloaded
        self.wakeAt = now.monotonic.advanced(by: SharingCore.storePause)
        return []
    }

    /// Records a page of rows; they come in the order of their keys, and a short page is the last one.
    mutating func loaded(_ rows: [ResponderRow], now: Now) -> [SharingCore.Effect] {
        guard self.phase == .loading else { return [] }
        for row in rows { self.restore(row, now: now) }
        if rows.count == Self.pageMax, let last = rows.last { return [.loadResponders(after: last.key)] }
        self.phase = .loaded
        self.carryOut(self.dispatch.resume(now: now, using: &self.generator), now: now)
        return self.flush(now: now)
    }

    private mutating func restore(_ row: ResponderRow, now: Now) {
        switch row {
        case .enrolled(let message):
            let volunteer = self.admission.restore(message.value, using: &self.generator)
            _ = self.dispatch.handle(.enrolled(volunteer), now: now, using: &self.generator)
        case .left(let message, let until):
            let rest = max(.zero, now.wall.duration(to: until))
            self.admission.restore(message.value, until: now.monotonic.advanced(by: rest))
        case .opened(let incident):
            let opening = incident.opening.value
            self.incidents[opening.incident.id] = incident
            self.dispatch.restore(
                opening.incident,
                by: DispatcherID(of: opening.dispatcher),
                isOpen: incident.end == nil,
                age: max(.zero, incident.opened.duration(to: now.wall)),
                now: now
            )
            let state = incident.end.map { IncidentEvent.State.ended($0) } ?? .open
            let event = IncidentEvent(incident: opening.incident.id, subject: .incident(state), time: incident.opened)
            self.boards[opening.dispatcher]?.show(event)
            if incident.end != nil {
                let forget = now.monotonic.advanced(by: Self.shownAfterEnd)
                self.timers.insert(.forget(opening.incident.id), at: forget)
            }
        case .alert(let row): self.restore(row, now: now)
        case .audited(let audit): if audit.end == nil { self.audits[audit.incident] = audit }
        }
    }

    private mutating func restore(_ stored: ResponderRow.Alert, now: Now) {
        var row = stored
        let alert = row.alert.value
        let volunteer = self.admission.volunteer(of: row.person)
        if let volunteer {
            var responder = Responder(
                volunteer: volunteer,
                incident: alert.incident,
                role: alert.role,
                silentAt: now.monotonic
            )
            responder.state = row.state
            responder.newest = row.newest
            if case .band(let band) = row.state { responder.band = band }
            if row.state == .accepted, !row.isRevealed, let position = row.position {
                responder.hold = Responder.Hold(sealed: position, until: now.monotonic)
            }
            self.dispatch.restore(alert.alert, responder, woken: row.woken, isOpen: row.end == nil, now: now)
        } else if row.end == nil {
            row.end = .byVolunteer
            self.write(.alert(row))
        }
        guard let incident = self.incidents[alert.incident] else { return }
        self.alerts[alert.alert] = Shown(
            incident: alert.incident,
            person: row.person,
            role: alert.role,
            key: row.key,
            state: row.state,
            position: row.isRevealed ? row.position : nil,
            end: row.end,
            row: row
        )
        self.alertsOf[alert.incident, default: []].append(alert.alert)
        if row.isUntold {
            self.pushes.append(Push(alert: alert.alert, purpose: .end))
        } else if row.end == nil, row.state == .alerted {
            // The push may not have left before the crash.
            self.pushes.append(Push(alert: alert.alert, purpose: .alert))
        }
        guard row.end == nil || incident.end == nil else { return }
        self.show(alert.alert, now: now)
    }
}

extension DispatcherID {
    /// The ID of the organisation with a key.
    package init(of key: PublicIdentity) {
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(key.bytes[0..<8]), low: half(key.bytes[8..<16]))
    }
}
