package import WhereaboutsVocabulary

/// A dispatcher's program while one incident is open: seals the position for each chosen volunteer, and shows the states.
///
/// ```
///  streaming ──▶ pausing ──▶ streaming      each of them ──▶ ended
/// ```
///
/// A stream begins with the present states, so a program that reads it again misses no volunteer. Ignored races: an early deadline,
/// events of other incidents, and everything after the end.
package struct IncidentWatching: Sendable, Hashable {
    /// Where the program is in the diagram above.
    package enum State: Sendable, Hashable {
        /// The program reads the server's events.
        case streaming
        /// The program reads them again at this time.
        case pausing(until: EngineInstant)
        /// The incident ended, or the server does not show it.
        case ended
    }

    package enum Input: Sendable, Hashable {
        /// The server showed an event, with the opened position of a person who comes.
        case event(IncidentEvent, fix: SharedFix?)
        /// The sealed position could not be handed to the server; the next event of the alert causes another attempt.
        case sealingFailed(AlertID)
        /// The stream of events ended.
        case streamLost
        /// The server shows no events, for this reason.
        case streamRefused(String)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Read the server's events.
        case watch
        /// Seal the position to the key of a phone, and post it.
        case seal(AlertID, Responder.Role, key: [UInt8])
        /// Show the person a change.
        case show(IncidentUpdate)
        /// Stop; the update is the last one.
        case end(IncidentUpdate)
    }

    /// How long to wait before the events are read again.
    ///
    /// Source: our choice; a server restarts within seconds, and a volunteer waits 10 s for the position.
    package static let pause: Duration = .seconds(1)
    /// How long after the incident's time the program waits for the server's end.
    ///
    /// Source: our choice; clocks differ by some seconds.
    package static let grace: Duration = .seconds(10)

    package private(set) var state = State.streaming
    private let incident: IncidentID
    private let ends: EngineInstant
    /// The last state of each alert; at most ``DispatchPolicy/alertsMax`` of an honest server.
    private var rows: [AlertID: IncidentUpdate.Row] = [:]
    /// The alerts whose position was sealed.
    private var sealed: Set<AlertID> = []
    private var isExhausted = false

    /// Starts, and returns the first effects.
    ///
    /// - Parameters:
    ///   - opening: the incident.
    ///   - policy: the server's numbers.
    ///   - now: the time on both clocks.
    /// - Returns: the machine and its first effects.
    package static func began(
        _ opening: IncidentOpening,
        policy: DispatchPolicy = DispatchPolicy(),
        now: Now
    ) -> (machine: IncidentWatching, effects: [Effect]) {
        let expires = opening.incident.signed.advanced(by: policy.lifetime)
        let left = max(.zero, now.wall.duration(to: expires)) + self.grace
        let machine = IncidentWatching(incident: opening.incident.id, ends: now.monotonic.advanced(by: left))
        return (machine, [.watch])
    }

    private init(incident: IncidentID, ends: EngineInstant) {
        self.incident = incident
        self.ends = ends
    }

    /// When to feed ``Input/deadlineReached``; nil after the end.
    package var deadline: EngineInstant? {
        switch self.state {
        case .streaming: self.ends
        case .pausing(let until): min(until, self.ends)
        case .ended: nil
        }
    }

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - now: the time.
    /// - Returns: the effects, to be carried out in this order.
    package mutating func handle(_ input: Input, now: EngineInstant) -> [Effect] {
        guard self.state != .ended else { return [] }
        switch input {
        case .event(let event, let fix): return self.received(event, fix)
        case .sealingFailed(let alert):
            self.sealed.remove(alert)
            return []
        case .streamLost:
            self.state = .pausing(until: now.advanced(by: Self.pause))
            return []
        case .streamRefused(let words): return self.end(.failed(words))
        case .deadlineReached:
            if self.ends <= now { return self.end(.ended(.expired)) }
            guard case .pausing(let until) = self.state, until <= now else { return [] }
            self.state = .streaming
            return [.watch]
        }
    }

    private mutating func received(_ event: IncidentEvent, _ fix: SharedFix?) -> [Effect] {
        guard event.incident == self.incident else { return [] }
        switch event.subject {
        case .incident(.open): return []
        case .incident(.exhausted):
            if self.isExhausted { return [] }
            self.isExhausted = true
            return [.show(.exhausted)]
        case .incident(.ended(let end)): return self.end(.ended(end))
        case .alert(let alert):
            let known = self.rows[alert.id]
            guard known != nil || self.rows.count < DispatchPolicy().alertsMax else { return [] }
            let row = IncidentUpdate.Row(alert, fix: fix, before: known, time: event.time)
            var effects: [Effect] = []
            if alert.end == nil, alert.state == .chosen, self.sealed.insert(alert.id).inserted {
                effects.append(.seal(alert.id, alert.role, key: alert.key))
            }
            self.rows[alert.id] = row
            // A stream that is read again repeats the present states.
            if row.isNews(after: known) { effects.append(.show(.alert(row))) }
            return effects
        }
    }

    private mutating func end(_ update: IncidentUpdate) -> [Effect] {
        self.state = .ended
        return [.end(update)]
    }
}

/// A change of an incident, as its dispatcher sees it.
package enum IncidentUpdate: Sendable, Hashable {
    /// The state of one alert.
    package struct Row: Sendable, Hashable {
        package let alert: AlertID
        package let role: Responder.Role
        /// The state; with an ``end`` the last one before it.
        package let state: Responder.State
        /// The travel time that the phone reported.
        package let band: Responder.Band?
        /// The position of a person who comes.
        package let fix: SharedFix?
        package let end: Responder.End?
        package let time: WallTime

        init(_ alert: IncidentEvent.Alert, fix: SharedFix?, before: Row?, time: WallTime) {
            self.alert = alert.id
            self.role = alert.role
            self.state = alert.state
            self.band = if case .band(let band) = alert.state { band } else { before?.band }
            self.fix = fix ?? before?.fix
            self.end = alert.end
            self.time = time
        }

        func isNews(after before: Row?) -> Bool {
            guard let before else { return true }
            return (before.state, before.end, before.fix) != (self.state, self.end, self.fix)
        }
    }

    case alert(Row)
    /// The server finds no other volunteer now.
    case exhausted
    /// The incident ended.
    case ended(IncidentEnd)
    /// The server shows no events, for this reason.
    case failed(String)
}
