package import WhereaboutsVocabulary

/// The random ID of one alert.
///
/// The dispatcher knows a volunteer only by it.
package typealias AlertID = Identifier128<Responder>

/// One alert of one volunteer for one incident, until its end.
///
/// ```
///  alerted ──▶ band ──▶ accepted ──▶ enRoute ──▶ arrived      each of them ──▶ ended
///     └──────────┴──▶ silent: somebody else is alerted, and a late acceptance still counts while help is needed
/// ```
package struct Responder: Sendable, Hashable {
    /// Where the volunteer is in the diagram above.
    package enum State: Sendable, Hashable {
        /// The push is on its way, or the phone locates itself.
        case alerted
        /// The phone reported its travel time, and the person was asked.
        case band(Band)
        /// The time for an answer passed.
        case silent
        /// The person accepted, and the dispatcher may open the position.
        case accepted
        /// The person is on the way.
        case enRoute
        /// The person is with the patient.
        case arrived

        /// Whether the person accepted and is still expected.
        package var isComing: Bool {
            switch self {
            case .alerted, .band, .silent: false
            case .accepted, .enRoute, .arrived: true
            }
        }

        /// Whether the server still waits for an answer.
        package var isOpen: Bool {
            switch self {
            case .alerted, .band: true
            case .silent, .accepted, .enRoute, .arrived: false
            }
        }
    }

    /// The travel time that the phone computed, in minutes.
    package enum Band: UInt8, Sendable, Hashable, CaseIterable {
        case within3 = 3
        case within6 = 6
        case within9 = 9
        case longer = 255
    }

    /// The action that a person is asked for.
    package enum Role: Sendable, Hashable, CaseIterable {
        /// Go to the patient.
        case patient
        /// Fetch a defibrillator.
        case defibrillator

        var skill: Volunteer.Skills { self == .patient ? .cpr : .aed }
    }

    /// An answer of the volunteer's phone.
    package enum Answer: Sendable, Hashable {
        case band(Band)
        /// The phone is outside the person's range, and did not alert the person.
        case outOfRange
        case refused
        /// The person comes, and lets the dispatcher open this position.
        case accepted(sealed: [UInt8])
        case enRoute(sealed: [UInt8])
        case arrived
        /// The person can't come after all.
        case withdrawn
    }

    /// The outcome of an alert; each alert has exactly one.
    package enum End: Sendable, Hashable {
        /// The volunteer or the volunteer's phone ended the alert, so no message is sent.
        case byVolunteer
        /// The push could not be delivered.
        case undelivered
        /// Enough others come.
        case enough
        /// The incident ended.
        case incident(IncidentEnd)
    }

    package let volunteer: VolunteerID
    package let incident: IncidentID
    package let role: Role
    package var state: State = .alerted
    /// The number of the newest answer.
    var newest: UInt32 = 0
    /// When the server stops waiting.
    var silentAt: EngineInstant
}

/// The outcome of an incident.
package enum IncidentEnd: Sendable, Hashable {
    /// The dispatcher no longer needs the volunteers.
    case stoodDown
    /// It was a false alarm.
    case cancelled
    /// The longest time passed.
    case expired
    /// A more urgent incident took its place.
    case displaced
}
