internal import Logging
internal import ServiceLifecycle
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Carries out what ``Server`` decides: transactions, pushes, wake-ups and the timer; it decides nothing.
actor SharingHost: Service {
    private let store: any Store
    private let bus: any Bus
    private let push: any PushSender
    private let logger: Logger
    private let metrics: ServerMetrics
    private let health: StoreHealth
    private let now: @Sendable () -> WallTime
    private let begun = ContinuousClock.now
    /// The pushes whose turn it is; the engine bounds how many there are.
    private let pushes: (stream: AsyncStream<RequestID>, continuation: AsyncStream<RequestID>.Continuation)

    // Guarded by the actor. The engine's decisions within a transaction read a copy of it and change nothing in it.
    private var server: Server
    private var rateLimiter: RateLimiter
    private var board = UpdateBoard()
    private var doubt = TokenDoubt()
    private var nap: Task<Void, Never>?

    init(
        store: any Store,
        bus: any Bus,
        push: any PushSender,
        policy: SharingPolicy,
        logger: Logger,
        metrics: ServerMetrics,
        health: StoreHealth,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.store = store
        self.bus = bus
        self.push = push
        self.logger = logger
        self.metrics = metrics
        self.health = health
        // Whole milliseconds, as the store keeps them: otherwise a request read back would differ from the one written.
        self.now = { now().wholeMilliseconds }
        self.pushes = AsyncStream.makeStream()
        self.server = Server(policy: policy, now: self.now())
        self.rateLimiter = RateLimiter(policy: policy)
    }

    /// Sends pushes and keeps deadlines until cancelled or shut down.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.keepDeadlines() }
                for await id in self.pushes.stream { group.addTask { await self.sendPush(for: id) } }
            }
        }
    }

    // MARK: The words of clients

    /// The reply to a statement that is to stay in the store.
    enum Kept<Reply: Sendable>: Sendable {
        case decided(Reply)
        /// The address has left as much as it may within the window.
        case tooSoon(until: WallTime)
    }

    /// Keeps where a sharer's device takes pushes.
    func register(
        _ registration: Verified<Registration>,
        from address: AddressBlock
    ) async throws -> Kept<Server.OnRegistered> {
        let (sharer, now) = (registration.value.sharer, self.now())
        if let pause = try await self.pause(
            of: sharer,
            { $0.registrationReceived(isKnown: $1, from: address, now: $2) }
        ) {
            return .tooSoon(until: now.advanced(by: pause))
        }
        return .decided(try await self.decide { try $0.deviceRegistered(registration, $1, now: now) })
    }

    func remove(_ removal: Verified<DeviceRemoval>) async throws -> Server.OnRemoved {
        let now = self.now()
        return try await self.decide { try $0.deviceRemoved(removal, $1, now: now) }
    }

    /// Lists the devices of a sharer.
    func devices(_ permit: Verified<DevicesPermit>) async throws -> (all: [Registration], answering: Registration?) {
        try await self.store.read { [server] in try server.devices(permit, $0) }
    }

    func revoke(
        _ revocation: Verified<Revocation>,
        from address: AddressBlock
    ) async throws -> Kept<Server.OnRevoked> {
        let (sharer, now) = (revocation.value.sharer, self.now())
        if let pause = try await self.pause(of: sharer, { $0.revocationReceived(isKnown: $1, from: address, now: $2) })
        {
            return .tooSoon(until: now.advanced(by: pause))
        }
        return .decided(
            try await self.store.transaction { [server] in try server.grantRevoked(revocation, $0, now: now) }
        )
    }

    /// Keeps a link.
    func post(_ link: Verified<LinkedGrant>, from address: AddressBlock) async throws -> Kept<Server.OnLink> {
        let (sharer, now) = (link.value.sharer, self.now())
        if let pause = try await self.pause(
            of: sharer,
            { $0.registrationReceived(isKnown: $1, from: address, now: $2) }
        ) {
            return .tooSoon(until: now.advanced(by: pause))
        }
        return .decided(try await self.store.transaction { [server] in try server.linkPosted(link, $0, now: now) })
    }

    /// Looks for a link; nil where the path names no address.
    func link(_ link: LinkAddress?, from address: AddressBlock) async throws -> Kept<LinkedGrant?> {
        let now = self.now()
        if case .tooSoon(let pause) = self.rateLimiter.linkWanted(from: address, now: self.monotonic) {
            return .tooSoon(until: now.advanced(by: pause))
        }
        guard let link else { return .decided(nil) }
        let found = try await self.store.read { [server] in try server.link(link, $0, now: now) }
        if found != nil { self.rateLimiter.linkFound(from: address) }
        return .decided(found)
    }

    /// Returns how long a sharer's statement must wait; nil: it may be stored now.
    private func pause(
        of sharer: PublicIdentity,
        _ decide: (inout RateLimiter, Bool, EngineInstant) -> RateLimiter.OnStatement
    ) async throws -> Duration? {
        let isKnown = try await self.store.read { [server] in try server.knows(sharer, $0) }
        guard case .tooSoon(let pause) = decide(&self.rateLimiter, isKnown, self.monotonic) else { return nil }
        return pause
    }

    private var monotonic: EngineInstant { EngineInstant(sinceStart: ContinuousClock.now - self.begun) }

    /// Lets a request in, or not; nil when a signature does not hold.
    func admit(_ request: Signed<Request>) async throws -> Server.OnRequest? {
        guard let verified = try? request.verified() else {
            self.logger.info(
                "request refused",
                metadata: ["request": "\(request.value.id)", "reason": "bad signature"]
            )
            self.metrics.refused(.request, .signature)
            return nil
        }
        let now = self.now()
        let action = try await self.decide { try $0.requestReceived(verified, $1, now: now) }
        self.log(action, request.value.id)
        return action
    }

    /// Takes a device's word on how far it is.
    func report(_ report: Verified<DeviceReport>) async throws -> Server.OnReport {
        let now = self.now()
        return try await self.decide { try $0.deviceReported(report, $1, now: now) }
    }

    /// Takes a device's answer, which `bytes` are the signed form of.
    func answer(_ answer: Verified<SealedAnswer>, bytes: [UInt8]) async throws -> Server.OnAnswer {
        let now = self.now()
        return try await self.decide { try $0.answerReceived(answer, bytes: bytes, $1, now: now) }
    }

    /// Returns whether there is a request of which the permit lets its bearer read the states.
    func mayRead(_ permit: Verified<ReadPermit>) async throws -> Bool {
        try await self.store.read { [server] in try server.mayRead(permit, $0) }
    }

    /// Returns the sharer whom a request or a following is about, and the trust of a stream of its news.
    func watched(_ id: RequestID) async throws -> (sharer: PublicIdentity, trust: ConnectionTrust)? {
        let now = self.now()
        return try await self.store.read { [server] in try server.watched(id, $0, now: now) }
    }

    // MARK: Followings

    /// The reply to an update.
    enum UpdateReply: Sendable {
        case decided(Server.OnUpdate)
        case taken(isWatched: Bool)
        case tooSoon(until: WallTime)
    }

    /// Takes an update, which `bytes` are the signed form of, and wakes anyone who looks.
    func update(_ update: Verified<SealedUpdate>, bytes: [UInt8]) async throws -> UpdateReply {
        let (id, now) = (update.value.request, self.now())
        var decided = try await self.store.read { [server] in try server.updateReceived(update, $0, now: now) }
        if decided == .begin {
            decided = try await self.store.transaction { [server] in try server.followingBegan(update, $0, now: now) }
            if case .show = decided { self.metrics.took(.following) }
        }
        guard case .show(let request) = decided, let end = request.value.followingEnd else {
            if case .close = decided { self.board.ended(id) }
            return .decided(decided)
        }
        switch self.board.updateCame(bytes, of: id, until: end, now: Now(monotonic: self.monotonic, wall: now)) {
        case .show(let isWatched):
            self.bus.publish(id)
            return .taken(isWatched: isWatched)
        case .tooSoon(let pause): return .tooSoon(until: now.advanced(by: pause))
        case .full: return .decided(.full)
        }
    }

    /// Takes the end that a side signed, which `bytes` are the signed form of.
    func end(_ end: Verified<FollowingEnd>, bytes: [UInt8]) async throws -> Server.OnFollowingEnded {
        let now = self.now()
        let decided = try await self.decide { try $0.followingEnded(end, bytes: bytes, $1, now: now) }
        if decided == .confirm {
            self.board.ended(end.value.request)
            self.bus.publish(end.value.request)
        }
        return decided
    }

    /// How a following stands for its follower, and its newest update.
    func look(at following: Verified<ReadPermit>) async throws -> (LiveShareState, UpdateBoard.Shown?) {
        let (permit, now) = (following.value, self.now())
        let standing = try await self.store.read { [server] in
            try server.standing(of: permit.request, for: permit.requester, as: .follower, $0, now: now)
        }
        return (standing, self.board.newest(of: permit.request))
    }

    /// Records that somebody looks at a following.
    func followerCame(to following: RequestID) async throws {
        let record = try await self.store.read {
            try $0.following(following)?.request ?? $0.request(following)?.request
        }
        guard let end = record?.value.followingEnd else { return }
        self.board.followerCame(to: following, until: end, now: self.now())
    }

    /// Records that somebody looks no more.
    func followerLeft(_ following: RequestID) { self.board.followerLeft(following) }

    // MARK: Timers

    /// Returns the turns of a timer after one that its requester knows.
    func turns(after turn: UInt16, of timer: Verified<ReadPermit>) async throws -> ScheduleState {
        let now = self.now()
        return try await self.store.read { [server] in try server.turns(after: turn, of: timer, $0, now: now) }
    }

    // MARK: Decisions and their outputs

    /// One decision of the engine: within a transaction, and after its commit.
    private func decide<Reply: Sendable>(
        _ input: @escaping @Sendable (Server, any RequestStoreTransaction) throws -> Server.Decision<Reply>
    ) async throws -> Reply {
        let decision = try await self.store.transaction { [server] in try input(server, $0) }
        self.perform { $0.committed(decision.effects) }
        return decision.reply
    }

    /// Carries outputs out in their order; synchronous, so that no other input comes between two of them.
    private func perform(_ input: (inout Server) -> [Server.Output]) {
        let look = self.server.nextLook
        for output in input(&self.server) {
            switch output {
            case .sendPush(let id): self.pushes.continuation.yield(id)
            case .announce(let id, let state):
                self.logger.debug("request state", metadata: ["request": "\(id)", "state": "\(state.kind.rawValue)"])
                self.bus.publish(id)
            case .countShared(let id):
                self.metrics.took(.sharedPush)
                self.logger.debug("request waits for a push under way", metadata: ["request": "\(id)"])
            }
        }
        if self.server.nextLook < look { self.nap?.cancel() }
    }

    private func log(_ action: Server.OnRequest, _ id: RequestID) {
        switch action {
        case .accept:
            self.metrics.took(.request)
            self.logger.info("request accepted", metadata: ["request": "\(id)"])
        case .acceptAgain: break
        case .conflict:
            self.metrics.refused(.request, .conflict)
            self.logger.info("request refused", metadata: ["request": "\(id)", "reason": "conflict"])
        case .full: self.metrics.refused(.request, .room)
        case .refuse(let refusal):
            self.metrics.refused(.request, .rule("\(refusal)"))
            self.logger.info("request refused", metadata: ["request": "\(id)", "reason": "\(refusal)"])
        case .tooSoon:
            self.metrics.refused(.request, .tooSoon)
            self.logger.info("request too soon", metadata: ["request": "\(id)"])
        }
    }

    // MARK: Pushes

    private func sendPush(for id: RequestID) async {
        do {
            switch try await self.store.read({ [server] in try server.pushDue(id, $0) }) {
            case .send(let push): try await self.pushEnded(id, push, await self.send(push))
            case .reject(let rejection): try await self.pushEnded(id, nil, rejection)
            case .drop: break
            }
        } catch {
            // The request is on disk: its next attempt or its deadline goes on from there.
            self.health.failed(error)
        }
        self.perform { $0.attemptEnded(id) }
    }

    private func send(_ push: RequestPush) async -> PushRejection? {
        do {
            let payload = try PushPayload.json(of: push, HPKESealing())
            try await self.push.send(push, payload: payload)
            self.metrics.took(.push)
            return nil
        } catch {
            self.metrics.refused(.push, .service)
            self.logger.warning(
                "push rejected",
                metadata: ["request": "\(push.request.value.id)", "reason": "\(error)"]
            )
            let rejection = error as? PushRejection ?? .permanent("the request cannot be written as JSON")
            self.sayWhatToLookAt(after: rejection)
            return rejection
        }
    }

    /// Tells the operator of a mistake that no device is at fault for, and that ends each request alike.
    private func sayWhatToLookAt(after rejection: PushRejection) {
        guard case .tokenRefused(let reason) = rejection, self.doubt.tokenRefused(now: self.monotonic) else { return }
        self.logger.error(
            """
            the push service does not know a device's token, and does not say that the device is gone; if it is so for all, look at \
            --apns-endpoint (production or sandbox, as the app was installed), at the key's team and the app, and whether a \
            gateway there still relays for the app: whereabouts push --check
            """,
            metadata: ["reason": "\(reason.rawValue)"]
        )
    }

    private func pushEnded(_ id: RequestID, _ push: RequestPush?, _ rejection: PushRejection?) async throws {
        let now = self.now()
        try await self.decide { try $0.pushEnded(id, token: push?.token, rejection, $1, now: now) }
    }

    // MARK: Time

    private func keepDeadlines() async {
        while !Task.isCancelled {
            switch self.server.deadlineReached(now: self.now()) {
            case .look: await self.look()
            case .ignore: await self.rest()
            }
        }
    }

    private func look() async {
        do {
            let now = self.now()
            try await self.decide { try $0.look($1, now: now) }
            // A server that is not ready receives no requests, so no other write would show that the disk has room again.
            if !self.health.isWell {
                try await self.store.tryWriting()
                self.health.wrote()
            }
            let room = try await self.store.read { try $0.room() }
            self.metrics.storeUsed(Double(room.used) / Double(room.max))
        } catch {
            self.health.failed(error)
            self.server.lookFailed(now: self.now())
        }
    }

    private func rest() async {
        let rest = self.server.rest(now: self.now())
        let task = Task { _ = try? await Task.sleep(for: rest) }
        self.nap = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
