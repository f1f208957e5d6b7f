internal import APNS
internal import PushEngine
internal import Sharing
internal import SharingEngine

/// The sharing server: its engine, with a model of its store, and of the host that carries its decisions out.
final class ServerNode: Node {
    /// What it answers to a request.
    enum Admission: Equatable {
        case accepted
        case refused
        case tooSoon(until: SharingEngine.WallTime)
    }

    /// One connection with the push service: each life of the server makes its own.
    private final class Connection {
        var seenByGateway = ProviderConnection()
    }

    /// How long the client waits for the push service (APNSClient).
    private static let pushTimeout = Duration.seconds(10)
    private static let pruneInterval = Duration.seconds(10)
    private static let team = "SIMULATION"

    /// On disk.
    private(set) var store = ModelRequestStore()
    private let policy = Policy()
    private var pushesUnderWay: Set<RequestID> = []
    /// What waits for a request to change: the event streams that are open.
    private var listeners: [RequestID: [(RequestRecord) -> Void]] = [:]
    private var connection = Connection()
    private var tokenIssued: PushEngine.WallTime?
    /// When the deadlines are looked at next.
    private var alarm: Instant?

    init(_ world: Simulation) {
        super.init(.server, world)
    }

    var wall: SharingEngine.WallTime { .init(milliseconds: self.wallMicroseconds / 1000) }

    override func boot() throws {
        self.world.auditors.requests.serverStarted(self.store, now: self.wall)
        self.pruneLater()
        self.setAlarm()
    }

    override func lost() {
        self.pushesUnderWay = []
        self.listeners = [:]
        self.connection = Connection()
        self.tokenIssued = nil
        self.alarm = nil
    }

    private func pruneLater() {
        self.later(Self.pruneInterval) { [unowned self] in
            let now = self.wall
            try self.change { $0.prune(now: now) }
            self.setAlarm()
            self.pruneLater()
        }
    }

    // MARK: HTTP

    func register(_ signed: Signed<Sharing.Registration>) throws -> Bool {
        guard let registration = ModelNotary.verified(signed)?.value else { return false }
        return try self.change { $0.register(registration) } != nil
    }

    func revoke(_ signed: Signed<Revocation>) throws -> Bool {
        guard let revocation = ModelNotary.verified(signed)?.value else { return false }
        let isKept = try self.change { $0.revoke(revocation, max: self.policy.revocationsPerSharerMax) } ?? false
        if isKept { self.world.auditors.requests.revoked(revocation.grant) }
        return isKept
    }

    /// Lets a request in, or not; nil when the disk took nothing.
    func admit(_ signed: Signed<Request>) throws -> Admission? {
        guard let verified = ModelNotary.verified(signed) else { return .refused }
        let (policy, now) = (self.policy, self.wall)
        let admission = try self.change { store in
            store.admit(signed, now: now) {
                RequestLife.requestVerified(verified, standing: $0, policy: policy, now: now)
            }
        }
        guard let admission else { return nil }
        switch admission {
        case .known: return .accepted
        case .decided(.refuse): return .refused
        case .decided(.tooSoon(let until)): return .tooSoon(until: until)
        case .decided(.accept(_, let effects)):
            self.world.auditors.requests.admitted(signed, now: now)
            self.perform(effects, for: signed.value.id)
            return .accepted
        }
    }

    func report(_ signed: Signed<DeviceReport>) throws -> Bool {
        guard let report = ModelNotary.verified(signed)?.value, self.isSharer(report.sharer, of: report.request) else {
            return false
        }
        let now = self.wall
        return try self.apply(to: report.request) { $0.deviceReported(report.progress, now: now) } != nil
    }

    /// Takes an answer.
    ///
    /// - Returns: what else waits for the device; nil when the answer was not taken.
    func answer(_ signed: Signed<SealedAnswer>) throws -> [Signed<Request>]? {
        guard let answer = ModelNotary.verified(signed)?.value, self.isSharer(answer.sharer, of: answer.request) else {
            return nil
        }
        let now = self.wall
        guard try self.apply(to: answer.request, answer: signed.bytes, { $0.answerReceived(now: now) }) != nil else {
            return nil
        }
        return self.store.pending(for: answer.sharer).map(\.request)
    }

    /// Reads a request, and again whenever it changes, until `listener` is dropped with this life.
    ///
    /// - Returns: the request now; nil when there is no such request of this requester.
    func follow(
        _ permit: Signed<ReadPermit>,
        _ listener: @escaping (RequestRecord) -> Void
    ) throws -> RequestRecord? {
        guard let permit = ModelNotary.verified(permit)?.value, let record = self.store.request(permit.request),
            record.request.value.grant.value.requester == permit.requester
        else { return nil }
        if record.life.deadline != nil { self.listeners[permit.request, default: []].append(listener) }
        return record
    }

    private func isSharer(_ sharer: PublicIdentity, of id: RequestID) -> Bool {
        self.store.request(id)?.request.value.grant.value.sharer == sharer
    }

    // MARK: The store and its effects

    /// Changes the store in one transaction.
    ///
    /// - Returns: what the change returned; nil when the disk took nothing.
    private func change<Value>(_ change: (inout ModelRequestStore) -> Value) throws -> Value? {
        var value: Value?
        do {
            try self.write { value = change(&self.store) }
        } catch is DiskFull {
            return nil
        }
        return value
    }

    private func apply(
        to id: RequestID,
        answer: [UInt8]? = nil,
        token: [UInt8]? = nil,
        _ input: (inout RequestLife) -> [RequestLife.Effect]
    ) throws -> RequestRecord? {
        let applied = try self.change { $0.apply(to: id, answer: answer, token: token, input) }
        guard let (record, effects) = applied ?? nil else { return nil }
        self.world.auditors.requests.serverApplied(record, effects)
        self.perform(effects, for: id)
        return record
    }

    private func perform(_ effects: [RequestLife.Effect], for id: RequestID) {
        for effect in effects {
            switch effect {
            case .sendPush: self.later(.zero) { [unowned self] in try self.sendPush(for: id) }
            case .announce(let state):
                self.world.trace.add(
                    self.world.now,
                    self.id,
                    "request becomes",
                    self.world.number(of: id),
                    UInt64(RequestState.Kind.allCases.firstIndex(of: state.kind) ?? 0)
                )
                if let record = self.store.request(id) { self.announce(record) }
            case .storeAnswer, .pauseDevice: break  // The store did it.
            }
        }
        self.setAlarm()
    }

    private func announce(_ record: RequestRecord) {
        let id = record.request.value.id
        for listener in self.listeners[id] ?? [] { listener(record) }
        if record.life.deadline == nil { self.listeners[id] = nil }
    }

    // MARK: Deadlines

    private func setAlarm() {
        guard let next = self.store.nextDeadline() else { return }
        let delay = max(.zero, next.duration(since: self.wall))
        let due = self.world.now.advanced(by: delay)
        guard self.alarm.map({ due < $0 || $0 < self.world.now }) ?? true else { return }
        self.alarm = due
        self.later(delay) { [unowned self] in
            guard self.alarm == due else { return }
            self.alarm = nil
            try self.deadlinesReached()
        }
    }

    private func deadlinesReached() throws {
        let now = self.wall
        for id in self.store.due(now: now, max: 1000) {
            guard try self.apply(to: id, { $0.deadlineReached(now: now) }) != nil else {
                // The disk is full: once more in a while, not at once and for ever.
                return self.later(.seconds(1)) { [unowned self] in try self.deadlinesReached() }
            }
        }
        self.setAlarm()
    }

    // MARK: Pushes

    private func sendPush(for id: RequestID) throws {
        guard let record = self.store.request(id), case .accepted = record.life.state,
            self.pushesUnderWay.insert(id).inserted
        else { return }
        guard let device = self.store.device(of: record.request.value.grant.value.sharer),
            let token = DeviceToken(bytes: device.token)
        else { return try self.pushed(id, token: nil, .unregistered) }
        let push = try Self.push(record, to: token, topic: device.topic)
        let evidence = ProviderTokenEvidence.verified(
            ProviderClaims(teamID: Self.team, keyID: "KEY", issuedAt: self.providerToken())
        )
        let (gateway, connection, life) = (self.world.gateway, self.connection, self.life)
        self.world.call(from: self.id, to: gateway, timeout: Self.pushTimeout) { () -> Rejection? in
            let word = connection.seenByGateway.tokenPresented(evidence, now: gateway.wall)
            let valid: ValidPush
            do throws(Rejection) {
                valid = try push.validated(provider: word, now: gateway.wall)
            } catch {
                gateway.trace("rejects a request", UInt64(error.reason.status))
                return error
            }
            return try gateway.push(valid)
        } then: { [unowned self] result in
            guard self.life == life else { return }
            self.perform { try self.pushed(id, token: token.bytes, Self.rejection(result)) }
        }
    }

    private func pushed(_ id: RequestID, token: [UInt8]?, _ rejection: PushRejection?) throws {
        self.pushesUnderWay.remove(id)
        let now = self.wall
        _ = try self.apply(to: id, token: token) { life in
            rejection.map { life.pushRejected($0, now: now) } ?? life.pushAccepted(now: now)
        }
    }

    /// The time in the provider token, which is made anew once it is 50 min old.
    private func providerToken() -> PushEngine.WallTime {
        let now = PushEngine.WallTime(milliseconds: self.wallMicroseconds / 1000)
        if let issued = self.tokenIssued, abs(now.seconds - issued.seconds) < 3000 { return issued }
        self.tokenIssued = now
        return now
    }

    private static func push(_ record: RequestRecord, to token: DeviceToken, topic: String) throws -> PushRequest {
        let payload = try PushPayload.json(of: record.request)
        return PushRequest(
            method: "POST",
            path: "/3/device/" + token.hex,
            headers: [
                .init(HeaderName.topic, topic + ".location-query"), .init(HeaderName.pushType, "location"),
                .init(HeaderName.priority, "10"),
                .init(HeaderName.expiration, String(record.request.value.expires.milliseconds / 1000)),
            ],
            body: .object(payload)
        )
    }

    private static func rejection(_ result: Result<Rejection?, NetworkError>) -> PushRejection? {
        switch result {
        case .failure: PushRejection(nil)
        case .success(let rejection): rejection.map { PushRejection($0.reason) }
        }
    }
}
