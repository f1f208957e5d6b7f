package import WhereaboutsVocabulary

/// An event that the server shows the dispatcher of an incident.
package struct IncidentEvent: Sendable, Hashable {
    /// The state of an incident.
    package enum State: Sendable, Hashable {
        /// Volunteers may still be alerted.
        case open
        /// No other volunteer can be alerted now.
        case exhausted
        /// The incident is over, and everyone who was woken is notified.
        case ended(IncidentEnd)
    }

    /// One alert, as the dispatcher may see it.
    package struct Alert: Sendable, Hashable {
        package let id: AlertID
        package let role: Responder.Role
        /// The state; with an ``end`` the last one before it.
        package var state: Responder.State
        /// The key of the volunteer's phone, to which the dispatcher seals the position.
        package var key: [UInt8]
        /// The sealed position of a person who accepted and was chosen.
        package var position: [UInt8]?
        package var end: Responder.End?

        package init(
            id: AlertID,
            role: Responder.Role,
            state: Responder.State,
            key: [UInt8],
            position: [UInt8]? = nil,
            end: Responder.End? = nil
        ) {
            self.id = id
            self.role = role
            self.state = state
            self.key = key
            self.position = position
            self.end = end
        }
    }

    /// The subject of the event.
    package enum Subject: Sendable, Hashable {
        case incident(State)
        case alert(Alert)
    }

    package let incident: IncidentID
    package let subject: Subject
    package let time: WallTime

    package init(incident: IncidentID, subject: Subject, time: WallTime) {
        self.incident = incident
        self.subject = subject
        self.time = time
    }
}
