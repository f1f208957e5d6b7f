/// A dispatcher's message with an incident's position, sealed to the phone of one chosen volunteer.
///
/// The phone gets it in its push, with the signed ``IncidentOpening``; both fit a push with the longest key.
package struct SealedAlert: Sendable, Hashable {
    /// The longest sealed position, in bytes.
    ///
    /// Source: our choice; a push has room for 570 bytes beside an opening with the longest key.
    package static let sealedBytesMax = 512

    package let alert: AlertID
    package let incident: IncidentID
    /// The key that opened the incident.
    package let dispatcher: PublicIdentity
    /// The action that the person is asked for, as the server chose it.
    package let role: Responder.Role
    /// The position, which only the phone can open.
    package let sealed: [UInt8]

    /// Creates a message; nil when the sealed position is too long.
    package init?(
        alert: AlertID,
        incident: IncidentID,
        dispatcher: PublicIdentity,
        role: Responder.Role,
        sealed: [UInt8]
    ) {
        guard sealed.count <= Self.sealedBytesMax else { return nil }
        self.alert = alert
        self.incident = incident
        self.dispatcher = dispatcher
        self.role = role
        self.sealed = sealed
    }
}
