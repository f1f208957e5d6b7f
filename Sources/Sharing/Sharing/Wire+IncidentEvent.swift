internal import WhereaboutsVocabulary

extension Wire.IncidentEvent {
    /// The event, or nil when this version does not know a value in it.
    ///
    /// The state before the end of an alert is not sent, so it reads as `chosen`.
    package var event: IncidentEvent? {
        guard let incident = IncidentID(self.incident) else { return nil }
        return self.subject.map {
            IncidentEvent(incident: incident, subject: $0, time: WallTime(milliseconds: self.at))
        }
    }

    private var subject: IncidentEvent.Subject? {
        let end = self.end.flatMap { Responder.End(number: $0) }
        guard let alert else {
            switch (self.state, end) {
            case ("open", nil): return .incident(.open)
            case ("exhausted", nil): return .incident(.exhausted)
            case ("ended", .incident(let end)): return .incident(.ended(end))
            default: return nil
            }
        }
        guard let id = AlertID(alert), let role = self.role.flatMap(Responder.Role.init(rawValue:)),
            let state = end == nil ? self.alertState : .chosen
        else { return nil }
        return .alert(
            IncidentEvent.Alert(
                id: id,
                role: role,
                state: state,
                key: self.key.flatMap { Base64URL.bytes(of: $0) } ?? [],
                position: self.position.flatMap { Base64URL.bytes(of: $0) },
                end: end
            )
        )
    }

    private var alertState: Responder.State? {
        switch self.state {
        case "chosen": .chosen
        case "alerted": .alerted
        case "band": self.band.flatMap(Responder.Band.init(rawValue:)).map { .band($0) }
        case "silent": .silent
        case "accepted": .accepted
        case "enRoute": .enRoute
        case "arrived": .arrived
        default: nil
        }
    }
}
