internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Follows every request from its making to its end, and objects when one ends twice, too late, or not at all; when the
/// server forgets one it accepted; when an answer is not what the device sealed.
final class RequestAuditor {
    private struct Account {
        var made: Instant
        var end: RequestState.Kind?
        var states: [RequestState.Kind] = []
        /// Whether the requester knows that the server accepted the request.
        var isAcknowledged = false
        /// Whether the server's disk was rolled back to a time before the request.
        var isForgiven = false
        /// The answer that each profile sealed; two devices may be asked, when another one is chosen meanwhile.
        var sealed: [UInt64: Answer.Content] = [:]
        /// The answers that left the devices.
        var posted: [UInt64: [UInt8]] = [:]
        var stored: [UInt8]?
        var requester: NodeID
    }

    private unowned let world: Simulation
    private var accounts: [RequestID: Account] = [:]
    private var revoked: Set<GrantID> = []
    private var lastAdmitted: [GrantID: WallTime] = [:]
    private(set) var count = 0
    private(set) var answered = 0
    /// The acknowledged requests that have not ended, in the order they came.
    private var open: [RequestID] = []

    init(_ world: Simulation) {
        self.world = world
    }

    private func object(_ id: RequestID, _ what: String) {
        self.world.fail("request \(self.world.number(of: id)) \(what)")
    }

    // MARK: The requester's side

    func asked(_ id: RequestID, by requester: RequesterNode) {
        self.count += 1
        self.accounts[id] = Account(made: self.world.now, requester: requester.id)
    }

    func acknowledged(_ signed: Signed<Request>) {
        self.accounts[signed.value.id]?.isAcknowledged = true
        self.open.append(signed.value.id)
    }

    func told(_ kind: RequestState.Kind, of id: RequestID) {
        guard let last = self.accounts[id]?.states.last else {
            self.accounts[id]?.states.append(kind)
            return
        }
        if last.isFinal { self.object(id, "became \(kind) after it had ended as \(last)") }
        self.accounts[id]?.states.append(kind)
    }

    func opened(_ answer: Answer, in signed: Signed<Request>) {
        let sealed = (self.accounts[signed.value.id]?.sealed ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        guard let first = sealed.first else {
            return self.object(signed.value.id, "has an answer that no device sealed")
        }
        let made = sealed.first { Self.isSame($0, answer.content) } ?? first
        switch (made, answer.content) {
        case (.fix(let made), .fix(let opened)):
            guard abs(made.latitude - opened.latitude) < 1e-6, abs(made.longitude - opened.longitude) < 1e-6 else {
                return self.object(signed.value.id, "was answered with another position than the device sealed")
            }
            guard abs(made.horizontalAccuracy - opened.horizontalAccuracy) < 0.01, made.time == opened.time else {
                return self.object(signed.value.id, "was answered with another accuracy or time than the device sealed")
            }
        case (.refusal(let made), .refusal(let opened)):
            if made != opened { self.object(signed.value.id, "was refused with another rule than the device sealed") }
        case (.unavailable(let made), .unavailable(let opened)):
            if !made.hasPrefix(opened) {
                self.object(signed.value.id, "was answered with another reason than the device sealed")
            }
        default: self.object(signed.value.id, "was answered with another kind of answer than the device sealed")
        }
    }

    private static func isSame(_ made: Answer.Content, _ opened: Answer.Content) -> Bool {
        switch (made, opened) {
        case (.fix(let made), .fix(let opened)):
            abs(made.latitude - opened.latitude) < 1e-6 && abs(made.longitude - opened.longitude) < 1e-6
                && made.time == opened.time
        case (.refusal, .refusal), (.unavailable, .unavailable): true
        default: false
        }
    }

    func ended(_ signed: Signed<Request>, _ kind: RequestState.Kind, by requester: RequesterNode) {
        let id = signed.value.id
        guard let account = self.accounts[id] else { return self.object(id, "ended, but nobody sent it") }
        if account.end != nil { self.object(id, "ended twice") }
        let took = account.made.duration(to: self.world.now)
        if took > RequesterNode.deadline {
            self.object(id, "ended after \(took); expected \(RequesterNode.deadline) or less")
        }
        self.accounts[id]?.end = kind
        self.world.census.add("request ends \(kind.rawValue)")
        self.open.removeAll { $0 == id }
        if kind == .answered { self.answered += 1 }
    }

    /// The server does not know a request that it accepted.
    func unknown(_ signed: Signed<Request>) {
        guard self.isTimed(signed.value.id), !self.isForgiven(signed.value.id) else { return }
        self.object(signed.value.id, "was accepted by the server, which does not know it any more")
    }

    private func isForgiven(_ id: RequestID) -> Bool { self.accounts[id]?.isForgiven ?? false }

    /// Whether the clocks of server and requester were always right: by a wrong clock, the request may have expired.
    private func isTimed(_ id: RequestID) -> Bool {
        guard let requester = self.accounts[id]?.requester else { return false }
        return !self.world.hadWrongClock(.server) && !self.world.hadWrongClock(requester)
    }

    // MARK: The server's side

    /// The server accepted a request, at this time by its clock.
    func admitted(_ signed: Signed<Request>, now: WallTime) {
        let (request, grant) = (signed.value, signed.value.grant.value)
        guard !self.world.hadWrongClock(.server) else { return }
        if self.revoked.contains(grant.id) {
            self.object(request.id, "was admitted after the server had confirmed the revocation of its grant")
        }
        if now < grant.notBefore || now >= grant.notAfter {
            self.object(request.id, "was admitted outside the period of its grant")
        }
        if request.precision > grant.precision {
            self.object(request.id, "was admitted with a higher precision than its grant allows")
        }
        let interval = Duration.seconds(Int64(grant.intervalMin))
        if let last = self.lastAdmitted[grant.id], last.duration(to: now) < interval {
            self.object(
                request.id,
                "was admitted \(last.duration(to: now)) after another one; the grant requires \(interval)"
            )
        }
        self.lastAdmitted[grant.id] = now
    }

    /// The server confirmed the revocation of a grant.
    func revoked(_ grant: GrantID) { self.revoked.insert(grant) }

    /// Whether the server knows that a grant was revoked.
    func isRevoked(_ grant: GrantID) -> Bool { self.revoked.contains(grant) }

    func serverChanged(_ record: RequestRecord) {
        let id = record.request.value.id
        let kinds = record.life.history.map(\.kind)
        if Set(kinds).count != kinds.count { self.object(id, "entered the same state twice: \(kinds)") }
        if kinds.count(where: \.isFinal) > 1 { self.object(id, "ended twice on the server: \(kinds)") }
        guard kinds.last == .answered else { return }
        guard let answer = record.answer else {
            return self.object(id, "is answered on the server, which has no answer")
        }
        if let stored = self.accounts[id]?.stored, stored != answer {
            self.object(id, "has two different answers on the server")
        }
        self.accounts[id]?.stored = answer
    }

    /// The server's disk was rolled back: the server may not know later requests and revocations.
    func serverRolledBack(_ store: ModelRequestStore) {
        for id in self.accounts.keys where !store.contains(id) { self.accounts[id]?.isForgiven = true }
        self.revoked.formIntersection(store.revocations.keys.map(\.grant))
        self.lastAdmitted = [:]
    }

    func serverStarted(_ store: ModelRequestStore, now: WallTime) {
        for id in self.open where !store.contains(id) && self.isTimed(id) && !self.isForgiven(id) {
            self.object(id, "was accepted by the server and is missing after its restart")
        }
    }

    // MARK: The device's side

    func sealed(_ content: Answer.Content, in signed: Signed<Request>, by profile: Home) {
        if self.accounts[signed.value.id]?.posted[profile.number] != nil {
            self.object(signed.value.id, "was answered twice")
        }
        self.accounts[signed.value.id]?.sealed[profile.number] = content
    }

    func posted(_ answer: GivenAnswers.Undelivered, by profile: Home) {
        if let posted = self.accounts[answer.request]?.posted[profile.number], posted != answer.answer {
            self.object(answer.request, "received two different answers")
        }
        self.accounts[answer.request]?.posted[profile.number] = answer.answer
    }

    // MARK: The end

    /// The run is over.
    func finished() {
        for (id, account) in self.accounts.sorted(by: { $0.value.made < $1.value.made }) where account.end == nil {
            self.object(id, "has not ended")
        }
        let server = self.world.server
        let late = server.wall.advanced(by: .seconds(-2))
        for id in (try? server.store.view.due(now: late, max: 1)) ?? [] {
            self.object(id, "has not ended on the server, although its deadline is over")
        }
    }
}
