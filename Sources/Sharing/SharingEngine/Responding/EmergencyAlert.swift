internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// One alert on a volunteer's phone, from its push to its end.
///
/// ```
///  locating ──▶ asking ──▶ accepted ──▶ onTheWay ──▶ arrived      each of them ──▶ ended
///     │            │           └────────────┴────────────┴──▶ withdrawn
///     ▼            ▼
///  outOfRange   refused
/// ```
///
/// The phone numbers its answers from 1. The host stores the alert before it sends an answer, so that numbers grow over a
/// relaunch, and sends the waiting answers in their order until the server has them. The place and the position are deleted when
/// nobody needs them any more; the rest stays until ``expires``, so that a push that comes again alerts nobody.
///
/// Rejected: an action that does not fit the state. Ignored: an answer that the person already gave. Ignored races: a fix after the
/// alert ended, an end that comes twice.
public struct EmergencyAlert: Sendable, Hashable {
    /// Where the alert is in the diagram above.
    public enum State: Sendable, Hashable {
        /// The phone measures its position, and the person knows nothing yet.
        case locating
        /// The person is asked.
        case asking
        /// The phone is out of the person's reach, or has no position, so the person is not asked.
        case outOfRange
        /// The person does not come.
        case refused
        /// The person comes.
        case accepted
        /// The person is on the way, and the dispatcher sees where.
        case onTheWay
        /// The person is with the patient.
        case arrived
        /// The person accepted, and does not come after all.
        case withdrawn
        /// The server ended the alert.
        case ended(End)
    }

    /// Why the server ended an alert.
    public enum End: UInt8, Sendable, Hashable {
        /// Enough others come.
        case enough = 1
        /// The dispatcher no longer needs the volunteers.
        case stoodDown = 2
        /// It was a false alarm.
        case falseAlarm = 3
        /// The longest time of an incident passed.
        case expired = 4
        /// A more urgent incident took the place of this one.
        case displaced = 5
        /// The server does not know the alert any more.
        case unknown = 6

        /// The same end in the volunteer's view.
        package init(_ end: Responder.End) {
            switch end {
            case .enough: self = .enough
            case .incident(.stoodDown): self = .stoodDown
            case .incident(.cancelled): self = .falseAlarm
            case .incident(.expired): self = .expired
            case .incident(.displaced): self = .displaced
            case .undelivered, .byVolunteer: self = .unknown
            }
        }
    }

    /// An answer that the phone sends.
    package enum Reply: Sendable, Hashable {
        case band(Responder.Band)
        case outOfRange
        case refused
        case accepted(SharedFix)
        case enRoute(SharedFix)
        case arrived
        case withdrawn
    }

    /// An answer that the server has not confirmed.
    package struct Outgoing: Sendable, Hashable {
        package let number: UInt32
        package let reply: Reply

        package init(number: UInt32, reply: Reply) {
            self.number = number
            self.reply = reply
        }
    }

    /// The age up to which a position counts.
    ///
    /// Source: our choice; a person who cycles moves 360 m meanwhile, the length of two minutes on the way.
    package static let fixAgeMax: Duration = .seconds(120)
    /// The worst accuracy of a position that counts, in metres.
    ///
    /// Source: our choice; half a cell, and less than the distance between two travel times.
    package static let fixAccuracyMax = 500.0
    /// How long the phone measures its position before it reports that it has none.
    ///
    /// Source: our choice; the server alerts somebody else after ``DispatchPolicy/silence``.
    package static let measuring: Duration = .seconds(15)

    /// The alert's ID.
    public let id: AlertID
    package let incident: IncidentID
    /// The organisation that asks.
    public let dispatcher: PublicIdentity
    /// The urgency.
    public let priority: Incident.Priority
    /// The action that the person is asked for.
    public let role: Responder.Role
    /// The algorithms of ``publicKey``.
    package let suite: Suite
    /// The key to which the position of a person who accepts is sealed.
    package let publicKey: [UInt8]
    /// When the alert ends by itself.
    public let expires: WallTime

    /// Where the alert is.
    public private(set) var state: State
    /// The place of the patient; nil once the person is not needed.
    package private(set) var place: PatientPlace?
    /// The last position of the phone.
    package private(set) var fix: SharedFix?
    /// The answers that the server has not confirmed, in their order; one of each kind at most.
    package private(set) var outgoing: [Outgoing]
    /// The number of the last answer.
    package private(set) var newest: UInt32

    /// Creates an alert whose push arrived.
    package init(
        id: AlertID,
        role: Responder.Role,
        of opening: IncidentOpening,
        at place: PatientPlace,
        policy: DispatchPolicy = DispatchPolicy()
    ) {
        self.id = id
        self.incident = opening.incident.id
        self.dispatcher = opening.dispatcher
        self.priority = opening.incident.priority
        self.role = role
        self.suite = opening.suite
        self.publicKey = opening.publicKey
        self.expires = opening.incident.signed.advanced(by: policy.lifetime)
        self.state = .locating
        self.place = place
        self.outgoing = []
        self.newest = 0
    }

    /// Whether the person can still do something.
    public var isOpen: Bool {
        switch self.state {
        case .locating, .asking, .accepted, .onTheWay, .arrived: true
        case .outOfRange, .refused, .withdrawn, .ended: false
        }
    }

    /// The distance of the phone to the patient in a straight line, in metres.
    public var metres: Int? {
        guard let place, let fix else { return nil }
        return place.metres(from: fix)
    }

    /// The place of the patient in degrees north and east; nil once the person is not needed.
    public var coordinates: (latitude: Double, longitude: Double)? {
        self.place?.coordinates
    }

    /// The nearest defibrillator in degrees north and east, if the dispatcher knows one.
    public var defibrillator: (latitude: Double, longitude: Double)? {
        self.place?.defibrillator.map { ($0.coordinate.latitude, $0.coordinate.longitude) }
    }

    /// The dispatcher's words on the way to the patient, perhaps empty.
    public var note: String { self.place?.note ?? "" }
}

// MARK: Inputs

extension EmergencyAlert {
    /// Returned by ``located(_:reach:now:)``.
    package enum OnLocated: Sendable, Hashable {
        /// Store and send the answer, and ask the person.
        case ask
        /// Store and send the answer; the person is not disturbed.
        case stayQuiet
        /// The alert ended meanwhile.
        case ignore
    }

    /// Records the phone's position.
    ///
    /// - Parameters:
    ///   - fix: the position; nil if there is none.
    ///   - reach: how far the person goes, in metres.
    ///   - now: the time.
    /// - Returns: what to do.
    package mutating func located(_ fix: SharedFix?, reach: Int, now: WallTime) -> OnLocated {
        guard self.state == .locating else { return .ignore }
        guard let fix, let place, Self.counts(fix, now: now), case let metres = place.metres(from: fix), metres <= reach
        else {
            self.answer(.outOfRange, .outOfRange)
            return .stayQuiet
        }
        self.fix = fix
        self.answer(.band(Responder.Band(metres: metres)), .asking)
        return .ask
    }

    /// Records that the person comes.
    ///
    /// - Parameters:
    ///   - fix: a newer position; if not given, the dispatcher receives the one of the travel time.
    ///   - now: the time.
    /// - Throws: ``SharingError`` when the person is not asked any more.
    package mutating func accepted(at fix: SharedFix?, now: WallTime) throws(SharingError) {
        if self.state == .accepted { return }
        try self.check([.asking], now)
        guard let fix = fix ?? self.fix else { throw self.misfit }
        self.fix = fix
        self.answer(.accepted(fix), .accepted)
    }

    /// Records that the person does not come.
    ///
    /// - Throws: ``SharingError`` when the person is not asked any more.
    package mutating func refused(now: WallTime) throws(SharingError) {
        if self.state == .refused { return }
        try self.check([.asking], now)
        self.answer(.refused, .refused)
    }

    /// Records a position on the way.
    ///
    /// - Throws: ``SharingError`` when the person is not on the way.
    package mutating func moved(to fix: SharedFix?, now: WallTime) throws(SharingError) {
        try self.check([.accepted, .onTheWay], now)
        guard let fix = fix ?? self.fix else { throw self.misfit }
        self.fix = fix
        // A newer position replaces an unconfirmed position.
        if case .enRoute = self.outgoing.last?.reply { self.outgoing.removeLast() }
        self.answer(.enRoute(fix), .onTheWay)
    }

    /// Records that the person is with the patient.
    ///
    /// - Throws: ``SharingError`` when the person has not accepted.
    package mutating func arrived(now: WallTime) throws(SharingError) {
        if self.state == .arrived { return }
        try self.check([.accepted, .onTheWay], now)
        self.answer(.arrived, .arrived)
    }

    /// Records that a person who accepted does not come.
    ///
    /// - Throws: ``SharingError`` when the person has not accepted.
    package mutating func withdrawn(now: WallTime) throws(SharingError) {
        if self.state == .withdrawn { return }
        try self.check([.accepted, .onTheWay, .arrived], now)
        self.answer(.withdrawn, .withdrawn)
    }

    /// Records that the server has an answer, and all earlier ones.
    package mutating func confirmed(_ number: UInt32) { self.outgoing.removeAll { $0.number <= number } }

    /// Records that the server ended the alert.
    package mutating func ended(_ end: End) {
        guard self.isOpen else { return self.outgoing.removeAll() }
        self.state = .ended(end)
        self.outgoing.removeAll()
        self.forget()
    }

    private static func counts(_ fix: SharedFix, now: WallTime) -> Bool {
        fix.horizontalAccuracy <= self.fixAccuracyMax && now - self.fixAgeMax <= fix.time
    }

    private mutating func answer(_ reply: Reply, _ state: State) {
        self.newest += 1
        self.outgoing.append(Outgoing(number: self.newest, reply: reply))
        self.state = state
        if !self.isOpen { self.forget() }
    }

    /// Deletes where the patient and the person are.
    private mutating func forget() { (self.place, self.fix) = (nil, nil) }

    private func check(_ states: Set<State>, _ now: WallTime) throws(SharingError) {
        guard states.contains(self.state) else { throw self.misfit }
        guard now < self.expires else {
            throw SharingError(.badText, "the alert \(self.id) is over: an incident ends after an hour")
        }
    }

    private var misfit: SharingError {
        SharingError(
            .badText,
            "the alert \(self.id) does not wait for this: \(self.state.words); `whereabouts alerts` lists the open ones"
        )
    }
}

extension EmergencyAlert.State {
    /// The state as a sentence for the volunteer, without its stop.
    public var words: String {
        switch self {
        case .locating: "this phone measures its position"
        case .asking: "you are asked to come"
        case .outOfRange: "you were not asked, because you are out of your reach"
        case .refused: "you refused"
        case .accepted: "you accepted"
        case .onTheWay: "you are on the way"
        case .arrived: "you arrived"
        case .withdrawn: "you withdrew"
        case .ended(let end): end.words
        }
    }
}

extension EmergencyAlert.End {
    /// The reason as a sentence for the volunteer, without its stop.
    public var words: String {
        switch self {
        case .enough: "enough others come"
        case .stoodDown: "the dispatcher no longer needs help"
        case .falseAlarm: "it was a false alarm"
        case .expired: "its time is over"
        case .displaced: "a more urgent incident took its place"
        case .unknown: "the server does not know it any more"
        }
    }
}

// MARK: Storing

extension EmergencyAlert {
    /// Restores a stored alert.
    package init(
        id: AlertID,
        incident: IncidentID,
        dispatcher: PublicIdentity,
        priority: Incident.Priority,
        role: Responder.Role,
        suite: Suite,
        publicKey: [UInt8],
        expires: WallTime,
        restoring stored: (state: State, place: PatientPlace?, fix: SharedFix?, outgoing: [Outgoing], newest: UInt32)
    ) {
        self.id = id
        self.incident = incident
        self.dispatcher = dispatcher
        self.priority = priority
        self.role = role
        self.suite = suite
        self.publicKey = publicKey
        self.expires = expires
        self.state = stored.state
        self.place = stored.place
        self.fix = stored.fix
        self.outgoing = stored.outgoing
        self.newest = stored.newest
    }
}
