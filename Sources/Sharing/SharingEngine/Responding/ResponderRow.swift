package import WhereaboutsVocabulary

/// A row of the store about volunteers, incidents and alerts; a later row with the same ``key`` replaces it.
package enum ResponderRow: Sendable, Hashable {
    /// An incident, and how it ended.
    package struct Opened: Sendable, Hashable {
        package let opening: Signed<IncidentOpening>
        package let opened: WallTime
        package var end: IncidentEnd?
        /// When the server forgets the ID; a copy of the opening is stale then.
        package let keptUntil: WallTime

        package init(
            opening: Signed<IncidentOpening>,
            opened: WallTime,
            end: IncidentEnd? = nil,
            keptUntil: WallTime
        ) {
            self.opening = opening
            self.opened = opened
            self.end = end
            self.keptUntil = keptUntil
        }
    }

    /// An alert of a person who was woken.
    package struct Alert: Sendable, Hashable {
        package let alert: Signed<SealedAlert>
        package let person: PublicIdentity
        /// The key of the phone to which the position is sealed.
        package let key: [UInt8]
        package let woken: WallTime
        package var state: Responder.State = .alerted
        /// The number of the newest answer.
        package var newest: UInt32 = 0
        /// The newest sealed position of a person who accepted.
        package var position: [UInt8]?
        /// Whether the dispatcher may see the position.
        package var isRevealed = false
        package var end: Responder.End?
        /// Whether the phone must still learn the end.
        package var isUntold = false
        package let keptUntil: WallTime

        package init(
            alert: Signed<SealedAlert>,
            person: PublicIdentity,
            key: [UInt8],
            woken: WallTime,
            keptUntil: WallTime
        ) {
            self.alert = alert
            self.person = person
            self.key = key
            self.woken = woken
            self.keptUntil = keptUntil
        }
    }

    case enrolled(Signed<Enrolment>)
    /// A person left; kept so that no copy of the enrolment is accepted.
    case left(Signed<Departure>, keptUntil: WallTime)
    case opened(Opened)
    case alert(Alert)
    /// The operator's record of an incident.
    case audited(IncidentAudit)

    /// The place of a row in the store: people first, then incidents, alerts, and the records of incidents.
    package struct Key: Sendable, Hashable, Comparable {
        /// The key before all records of incidents.
        package static let beforeAudits = Key(bytes: [4])

        package let bytes: [UInt8]

        package init(bytes: [UInt8]) { self.bytes = bytes }

        /// Returns whether the left row is read first.
        package static func < (lhs: Key, rhs: Key) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
    }

    package var key: Key {
        switch self {
        case .enrolled(let message): Key(bytes: [1] + message.value.person.bytes)
        case .left(let message, _): Key(bytes: [1] + message.value.person.bytes)
        case .opened(let incident): Key(bytes: [2] + incident.opening.value.incident.id.bytes)
        case .alert(let alert): Key(bytes: [3] + alert.alert.value.alert.bytes)
        case .audited(let audit): Key(bytes: Key.beforeAudits.bytes + audit.incident.bytes)
        }
    }

    /// When the row is deleted; nil: never.
    package var keptUntil: WallTime? {
        switch self {
        case .enrolled: nil
        case .left(_, let until): until
        case .opened(let incident): incident.keptUntil
        case .alert(let alert): alert.keptUntil
        case .audited(let audit): audit.keptUntil
        }
    }
}
