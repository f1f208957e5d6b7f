internal import WhereaboutsVocabulary

extension Wire {
    /// One event of a dispatcher's incidents.
    package struct IncidentEvent: Codable, Sendable, Hashable {
        /// The incident's ID.
        package let incident: String
        /// The alert's ID; absent in an event about the incident itself.
        package let alert: String?
        /// The raw value of a ``Responder/Role``.
        package let role: UInt8?
        /// The state of the incident, or of the alert.
        ///
        /// An incident is `open`, `exhausted` or `ended`, an alert `chosen`, `alerted`, `band`, `silent`, `accepted`, `enRoute`,
        /// `arrived` or `ended`.
        package let state: String
        /// The key of the volunteer's phone, base64url; until the alert ends.
        package let key: String?
        /// The raw value of a ``Responder/Band``, with the state `band`.
        package let band: UInt8?
        /// The sealed position of a person who accepted and was chosen, base64url.
        package let position: String?
        /// The number of a ``Responder/End``; with the state `ended`.
        package let end: UInt8?
        /// Milliseconds since 1970.
        package let at: Int64

        package init(_ event: WhereaboutsSharingEngine.IncidentEvent) {
            self.incident = event.incident.description
            self.at = event.time.milliseconds
            switch event.subject {
            case .incident(let state):
                (self.alert, self.role, self.key, self.band, self.position) = (nil, nil, nil, nil, nil)
                switch state {
                case .open: (self.state, self.end) = ("open", nil)
                case .exhausted: (self.state, self.end) = ("exhausted", nil)
                case .ended(let end): (self.state, self.end) = ("ended", Responder.End.incident(end).number)
                }
            case .alert(let alert):
                self.alert = alert.id.description
                self.role = alert.role.rawValue
                self.key = alert.end == nil ? Base64URL.text(of: alert.key) : nil
                self.position = alert.position.map { Base64URL.text(of: $0) }
                self.end = alert.end?.number
                self.band = if case .band(let band) = alert.state, alert.end == nil { band.rawValue } else { nil }
                self.state = alert.end == nil ? alert.state.name : "ended"
            }
        }
    }

    /// The reply to an answer to an alert that has ended.
    package struct AlertOver: Codable, Sendable {
        /// The number of a ``Responder/End``.
        package let ended: UInt8

        package init(_ end: Responder.End) {
            self.ended = end.number
        }
    }
}

extension Responder.State {
    fileprivate var name: String {
        switch self {
        case .chosen: "chosen"
        case .alerted: "alerted"
        case .band: "band"
        case .silent: "silent"
        case .accepted: "accepted"
        case .enRoute: "enRoute"
        case .arrived: "arrived"
        }
    }
}
