/// A dispatcher's message that opens an incident.
package struct IncidentOpening: Sendable, Hashable {
    package let incident: Incident
    /// The dispatching organisation's key.
    package let dispatcher: PublicIdentity
    /// The algorithms of ``publicKey``.
    package let suite: Suite
    /// The key to which a person who accepts seals the position; the server can't open it.
    package let publicKey: [UInt8]

    package init(incident: Incident, dispatcher: PublicIdentity, suite: Suite, publicKey: [UInt8]) {
        self.incident = incident
        self.dispatcher = dispatcher
        self.suite = suite
        self.publicKey = publicKey
    }
}

/// A dispatcher's message that ends an incident.
package struct IncidentClosing: Sendable, Hashable {
    /// Why the dispatcher ends the incident.
    package enum Reason: UInt8, Sendable, Hashable {
        /// The volunteers are no longer needed.
        case stoodDown = 1
        /// It was a false alarm.
        case falseAlarm = 2
    }

    package let incident: IncidentID
    /// The key that opened the incident.
    package let dispatcher: PublicIdentity
    package let reason: Reason

    package init(incident: IncidentID, dispatcher: PublicIdentity, reason: Reason) {
        self.incident = incident
        self.dispatcher = dispatcher
        self.reason = reason
    }
}
