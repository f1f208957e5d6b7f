public import WhereaboutsVocabulary

/// The random ID of one alert.
///
/// The dispatcher knows a volunteer only by it.
public typealias AlertID = Identifier128<Responder>

/// One alert of one volunteer for one incident, until its end.
///
/// The server holds an acceptance for a few seconds while nearer people may accept.
///
/// ```
///  chosen ──▶ alerted ──▶ band ──▶ accepted ──▶ enRoute ──▶ arrived      each of them ──▶ ended
///                └──────────┴──▶ silent: somebody else is alerted, and a late acceptance still counts while help is needed
/// ```
public struct Responder: Sendable, Hashable {
    /// Where the volunteer is in the diagram above.
    package enum State: Sendable, Hashable {
        /// The dispatcher must seal the position to the phone; the person knows nothing.
        case chosen
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
            case .chosen, .alerted, .band, .silent: false
            case .accepted, .enRoute, .arrived: true
            }
        }

        /// Whether the server still waits for the sealed position or an answer.
        package var isOpen: Bool {
            switch self {
            case .chosen, .alerted, .band: true
            case .silent, .accepted, .enRoute, .arrived: false
            }
        }
    }

    /// The travel time that the phone computed, in minutes.
    public enum Band: UInt8, Sendable, Hashable, CaseIterable, Comparable {
        case within3 = 3
        case within6 = 6
        case within9 = 9
        case longer = 255

        /// The band of a distance in a straight line.
        ///
        /// Source: our choice; a person runs or cycles 3 m/s, and streets are 1.3 times as long as the line.
        package init(metres: Int) {
            switch metres * 13 / 30 {
            case ...180: self = .within3
            case ...360: self = .within6
            case ...540: self = .within9
            default: self = .longer
            }
        }

        /// Returns whether the left travel time is shorter.
        public static func < (lhs: Band, rhs: Band) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// An acceptance that waits, because somebody nearer may accept.
    struct Hold: Sendable, Hashable {
        /// The position, which the dispatcher does not see before the choice.
        let sealed: [UInt8]
        let until: EngineInstant
    }

    /// The action that a person is asked for.
    public enum Role: UInt8, Sendable, Hashable, CaseIterable {
        /// Go to the patient.
        case patient = 1
        /// Fetch a defibrillator.
        case defibrillator = 2

        var skill: Volunteer.Skills { self == .patient ? .cpr : .aed }
    }

    /// An answer of the volunteer's phone.
    package enum Answer: Sendable, Hashable {
        case band(Band)
        /// The phone is outside the person's range, and did not alert the person.
        case outOfRange
        case refused
        /// The person is coming; the dispatcher can open this position.
        case accepted(sealed: [UInt8])
        case enRoute(sealed: [UInt8])
        case arrived
        /// The person accepted earlier, but cannot come.
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

    /// The longest sealed position of a person who accepted, in bytes.
    package static let sealedBytesMax = 2048

    package let volunteer: VolunteerID
    package let incident: IncidentID
    package let role: Role
    package var state: State = .chosen
    /// The phase of the incident in which the person was chosen.
    var phase = 0
    /// The travel time, if the phone told it.
    var band: Band?
    /// Set from the acceptance to the choice.
    var hold: Hold?
    /// The number of the newest answer.
    var newest: UInt32 = 0
    /// When the server stops waiting.
    var silentAt: EngineInstant

    /// The shortest travel time that the person may have; the phone tells it seconds after the alert.
    var bandMin: Band { self.band ?? (self.state == .chosen || self.state == .alerted ? .within3 : .longer) }
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

extension Responder.Answer {
    /// The sealed position, if there is one.
    var sealed: [UInt8] {
        switch self {
        case .accepted(let sealed), .enRoute(let sealed): sealed
        case .band, .outOfRange, .refused, .arrived, .withdrawn: []
        }
    }

    /// Whether an alert in this state may be answered so.
    func fits(_ state: Responder.State) -> Bool {
        switch self {
        case .band, .outOfRange: state == .alerted || state == .silent
        case .refused, .accepted: !state.isComing
        case .enRoute: state == .accepted || state == .enRoute
        case .arrived: state == .accepted || state == .enRoute
        case .withdrawn: state.isComing
        }
    }
}
