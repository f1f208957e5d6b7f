package import WhereaboutsVocabulary

/// Turns signed messages into inputs of ``Dispatch``, and refuses those of people without the right.
///
/// The host reports each message here first, then gives the input to the dispatch. The rules on incidents and alerts are there;
/// this machine knows which keys are dispatchers and volunteers, and which enrolment of a person is the newest.
///
/// After a departure the machine remembers the key for twice ``DispatchPolicy/freshness``, so that a copy of an earlier enrolment is
/// refused; later it is stale. Ignored race: a departure that comes twice.
package struct DispatchAdmission: Sendable {
    private enum Member: Sendable {
        case enrolled(VolunteerID, issued: WallTime)
        /// The person left, and is forgotten at a time.
        case left(issued: WallTime, until: EngineInstant)

        var issued: WallTime {
            switch self {
            case .enrolled(_, let issued), .left(let issued, _): issued
            }
        }
    }

    private let policy: DispatchPolicy
    private let dispatchers: [PublicIdentity: Dispatcher]
    /// The volunteers, including people who left; at most ``DispatchPolicy/volunteersMax``.
    private var members: [PublicIdentity: Member] = [:]
    private var people: [VolunteerID: PublicIdentity] = [:]
    private var forgetting = EventHeap<EngineInstant, PublicIdentity>()

    /// Creates an admission without volunteers, for the dispatchers of the server's configuration.
    package init(dispatchers: [PublicIdentity: Dispatcher], policy: DispatchPolicy = DispatchPolicy()) {
        self.dispatchers = dispatchers
        self.policy = policy
    }

    /// The number of keys in memory: volunteers, and people who left a short time ago.
    package var keysCount: Int { self.members.count }

    /// The person with a volunteer's ID; nil after the person left.
    func person(of id: VolunteerID) -> PublicIdentity? { self.people[id] }

    /// The ID of an enrolled person.
    func volunteer(of person: PublicIdentity) -> VolunteerID? {
        guard case .enrolled(let id, _) = self.members[person] else { return nil }
        return id
    }

    /// Records a stored enrolment, which is not checked again.
    mutating func restore(_ enrolment: Enrolment, using generator: inout some RandomNumberGenerator) -> Volunteer {
        let id = VolunteerID(using: &generator)
        self.members[enrolment.person] = .enrolled(id, issued: enrolment.issued)
        self.people[id] = enrolment.person
        return Volunteer(id: id, of: enrolment)
    }

    /// Records a stored departure.
    mutating func restore(_ departure: Departure, until: EngineInstant) {
        self.members[departure.person] = .left(issued: departure.issued, until: until)
        self.forgetting.insert(departure.person, at: until)
    }

    /// Returned for a message.
    package enum OnMessage: Sendable, Hashable {
        /// Give the input to the dispatch.
        case handle(Dispatch.Input)
        case refuse(Dispatch.Refusal)
        /// The person left before: reply as the first time.
        case ignore
    }

    /// Records an enrolment.
    ///
    /// - Parameters:
    ///   - message: the enrolment.
    ///   - now: the time on both clocks.
    ///   - generator: draws the ID of a new volunteer.
    /// - Returns: what to do.
    package mutating func enrolmentReceived(
        _ message: Verified<Enrolment>,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> OnMessage {
        self.forget(now: now.monotonic)
        let enrolment = message.value
        guard self.policy.isFresh(enrolment.issued, now: now.wall) else { return .refuse(.stale) }
        let member = self.members[enrolment.person]
        let id: VolunteerID
        switch member {
        case .enrolled(let known, let issued):
            // The same message may come again, when its sender missed the reply.
            guard enrolment.issued >= issued else { return .refuse(.outdated) }
            id = known
        case .left(let issued, _):
            guard enrolment.issued > issued else { return .refuse(.outdated) }
            id = VolunteerID(using: &generator)
        case nil:
            guard self.members.count < self.policy.volunteersMax else { return .refuse(.full) }
            id = VolunteerID(using: &generator)
        }
        self.members[enrolment.person] = .enrolled(id, issued: enrolment.issued)
        self.people[id] = enrolment.person
        return .handle(.enrolled(Volunteer(id: id, of: enrolment)))
    }

    /// Records a departure.
    ///
    /// - Returns: what to do.
    package mutating func departureReceived(_ message: Verified<Departure>, now: Now) -> OnMessage {
        self.forget(now: now.monotonic)
        let departure = message.value
        guard self.policy.isFresh(departure.issued, now: now.wall) else { return .refuse(.stale) }
        guard let member = self.members[departure.person], case .enrolled(let id, _) = member else { return .ignore }
        guard departure.issued >= member.issued else { return .refuse(.outdated) }
        let until = now.monotonic.advanced(by: self.policy.freshness + self.policy.freshness)
        self.members[departure.person] = .left(issued: departure.issued, until: until)
        self.forgetting.insert(departure.person, at: until)
        self.people[id] = nil
        return .handle(.left(id))
    }

    /// Records that a dispatcher opens an incident.
    ///
    /// - Returns: what to do.
    package func openingReceived(_ message: Verified<IncidentOpening>) -> OnMessage {
        guard let dispatcher = self.dispatchers[message.value.dispatcher] else { return .refuse(.unknownDispatcher) }
        return .handle(.opened(message.value.incident, by: dispatcher))
    }

    /// Records that a dispatcher ends an incident.
    ///
    /// - Returns: what to do.
    package func closingReceived(_ message: Verified<IncidentClosing>) -> OnMessage {
        let closing = message.value
        guard let dispatcher = self.dispatchers[closing.dispatcher] else { return .refuse(.unknownDispatcher) }
        return .handle(.closed(closing.incident, by: dispatcher.id, isFalseAlarm: closing.reason == .falseAlarm))
    }

    /// Records that a dispatcher sealed the position to a chosen volunteer's phone.
    ///
    /// - Returns: what to do.
    package func sealingReceived(_ message: Verified<SealedAlert>) -> OnMessage {
        let alert = message.value
        guard let dispatcher = self.dispatchers[alert.dispatcher] else { return .refuse(.unknownDispatcher) }
        return .handle(.sealed(alert.alert, of: alert.incident, alert.role, by: dispatcher.id))
    }

    /// Records a volunteer's answer to an alert.
    ///
    /// - Returns: what to do.
    package func replyReceived(_ message: Verified<ResponderReply>) -> OnMessage {
        let reply = message.value
        guard case .enrolled(let id, _) = self.members[reply.person] else { return .refuse(.unknownVolunteer) }
        return .handle(.answered(reply.alert, by: id, reply.answer, number: reply.number))
    }

    private mutating func forget(now: EngineInstant) {
        while let (_, person) = self.forgetting.removeNext(by: now) {
            // The person may have enrolled again, or left again later.
            if case .left(_, let until) = self.members[person], until <= now { self.members[person] = nil }
        }
    }
}
