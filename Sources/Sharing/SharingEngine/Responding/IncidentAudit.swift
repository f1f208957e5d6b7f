package import WhereaboutsVocabulary

/// The record of one incident for the server's operator.
///
/// It names the dispatcher, and has neither a place nor a volunteer.
package struct IncidentAudit: Sendable, Hashable {
    /// How long the server keeps a record.
    ///
    /// Source: our choice; a complaint about a call comes within weeks.
    package static let kept: Duration = .seconds(90 * 86_400)

    package let incident: IncidentID
    /// The key that signed the opening.
    package let dispatcher: PublicIdentity
    package let priority: Incident.Priority
    /// The number of people wanted at the patient.
    package let responders: Int
    package let needsAED: Bool
    package let opened: WallTime
    /// The number of people who were chosen in each of ``DispatchPolicy/phases``, and woken.
    package var woken: [Int] = []
    package var acceptedCount = 0
    package var arrivedCount = 0
    /// The number of people who refused, were out of range, withdrew or left.
    package var declinedCount = 0
    /// The number of phones without a push, or without a sealed position.
    package var undeliveredCount = 0
    package var end: IncidentEnd?
    /// When the record last changed; the time of the ``end``, if there is one.
    package var changed: WallTime

    package init(
        incident: IncidentID,
        dispatcher: PublicIdentity,
        priority: Incident.Priority,
        responders: Int,
        needsAED: Bool,
        opened: WallTime
    ) {
        self.incident = incident
        self.dispatcher = dispatcher
        self.priority = priority
        self.responders = responders
        self.needsAED = needsAED
        self.opened = opened
        self.changed = opened
    }

    package var keptUntil: WallTime { self.opened.advanced(by: Self.kept) }

    mutating func countWoken(in phase: Int) {
        while self.woken.count <= phase { self.woken.append(0) }
        self.woken[phase] += 1
    }
}
