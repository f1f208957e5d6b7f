package import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// All decisions of a sharing server about clients, pushes, event streams and time.
///
/// The host reports inputs and performs effects in their order. All durable state is in the store, which is slow: an input that
/// needs it returns ``Effect/access(_:)``, and the host feeds the result, after the commit if something was written. So the memory
/// is never ahead of the disk, and a reply is sent after its commit.
///
/// ```
///  stated ─▶ (of a newcomer's kind: read ─▶ rate limiter) ─▶ write ─▶ reply
///  asked ──▶ read ─▶ (first update of a live share: write) ─▶ reply
///  push:     read ─▶ send ── pushEnded ─▶ write ─▶ the next push in line
///  stream:   read ─▶ tell ── told ─▶ rest ── changed, polled ─▶ read …
///  time:     deadlineReached ─▶ write, and a read for each stream that polls
///  nodes:    a committed change ─▶ hint ── hinted, at another server ─▶ a read for each stream about it
/// ```
///
/// Ignored races: an early or late deadline; anything about a stream that was closed.
package struct SharingCore: Sendable {
    /// The longest time between two checks of the store, which prune it and take account of a changed clock.
    ///
    /// Source: our choice; rows are small, and no client waits for their deletion.
    package static let restMax: Duration = .seconds(10)
    /// The time until the next access to a store that failed.
    ///
    /// Source: our choice; a full disk stays full for longer, and a log line a second is enough.
    package static let storePause: Duration = .seconds(1)
    /// The minimum time between two notes that device tokens are refused, because requests to all devices fail in this way.
    ///
    /// Source: our choice; the notes stop soon after the operator fixed the cause, and a night's log has less than a page of them.
    package static let doubtPause: Duration = .seconds(3600)

    /// Identifies a request of a client, and the stream that the request opens.
    package typealias Ticket = UInt64

    /// A signed message of a client that changes the store.
    package enum Statement: Sendable, Hashable {
        case register(Verified<Registration>)
        case remove(Verified<DeviceRemoval>)
        case revoke(Verified<Revocation>)
        case post(Verified<LinkedGrant>)
        case request(Verified<Request>)
        case report(Verified<DeviceReport>)
        /// The bytes are the signed message, which the other side receives unchanged.
        case answer(Verified<SealedAnswer>, bytes: [UInt8])
        case end(Verified<FollowingEnd>, bytes: [UInt8])
    }

    /// A client's question that a read of the store answers.
    package enum Question: Sendable, Hashable {
        case devices(Verified<DevicesPermit>)
        case occurrences(Verified<ReadPermit>, after: UInt16)
        /// The link at an address; nil: the path names no address.
        case link(LinkAddress?)
        /// Whether an update may be shown; only the first one of a live share changes the store.
        case update(Verified<SealedUpdate>, bytes: [UInt8])
        /// Whether a stream may be opened.
        case stream(EventStreams.Kind, Verified<ReadPermit>)
    }

    /// A fact from outside.
    package enum Input: Sendable, Hashable {
        case stated(Statement, from: AddressBlock, Ticket)
        case asked(Question, from: AddressBlock, Ticket)
        /// A message of a volunteer or a dispatcher.
        case responding(RespondersCore.Statement, from: AddressBlock, Ticket)
        /// A dispatcher opens an event stream.
        case watching(Verified<IncidentsPermit>, Ticket)
        /// A page of the rows about volunteers, incidents and alerts; nil: the store failed.
        case respondersLoaded([ResponderRow]?)
        /// The rows are on disk; false: the store failed.
        case respondersKept(Bool)
        /// The push service accepted the push to a volunteer, or rejected it.
        case alertPushEnded(AlertPush, PushRejection?)
        /// The result of an access; `effects` are those of a write, which is committed.
        case found(Finding, [Server.Effect] = [])
        /// The store failed, and the access changed nothing.
        case storeFailed(Access)
        /// The push service accepted the push, or rejected it.
        case pushEnded(RequestPush, PushRejection?)
        /// A message reached the reader of a stream.
        case told(Ticket)
        /// The reader of a stream is gone.
        case streamClosed(Ticket)
        /// Another server with the same database sent a hint.
        case hinted(NodeHint)
        /// Hints of other servers may have been lost: the connection that receives them is new.
        case hintsMissed
        case deadlineReached
    }

    /// A command to the host.
    package enum Effect: Sendable, Hashable {
        /// Run this access in the store, and feed its result or its failure.
        case access(Access)
        /// Answer the client; each ticket gets one reply.
        case reply(Ticket, Reply)
        /// Send a push, and feed the push service's reply.
        case send(RequestPush)
        /// Send a push to a volunteer, and feed the push service's reply.
        case sendAlert(AlertPush)
        /// Read a page of rows after a key, and feed it.
        case loadResponders(after: ResponderRow.Key?)
        /// Write rows in one transaction that survives a power failure, and feed the result.
        case keepResponders([ResponderRow])
        /// Write a message to a stream and feed ``Input/told(_:)``, or end the stream after its last message.
        case tell(Ticket, EventStreams.Message, isLast: Bool)
        /// End a stream.
        case close(Ticket)
        /// Send a hint to the other servers with the same database; it may be lost.
        case hint(NodeHint)
        /// Count or log a decision.
        case note(Note)
    }

    /// A decision for metrics and the log.
    package enum Note: Sendable, Hashable {
        /// A request reached a state.
        case became(RequestID, RequestState)
        /// A request needs no push, because another push in progress serves it.
        case sharedPush(RequestID)
        case followingBegan
        /// A stranger's stream was closed, to make room.
        case displaced(Ticket)
        /// The push service does not know device tokens: notify the operator.
        case tokensRefused(Reason)
    }

    /// A reply to a client.
    package enum Reply: Sendable, Hashable {
        case registered(Server.OnRegistered)
        case removed(Server.OnRemoved)
        case revoked(Server.OnRevoked)
        case posted(Server.OnLink)
        case requested(Server.OnRequest, RequestID)
        case reported(Server.OnReport)
        case answered(Server.OnAnswer)
        case ended(Server.OnFollowingEnded)
        case devices([Registration], answering: Registration?)
        case occurrences(ScheduleState)
        case link(ShownLink?)
        /// The update is shown; `isWatched` says whether a follower is watching.
        case shown(isWatched: Bool)
        /// The live share has ended, with the signed end if a side ended it.
        case over(FollowingEnd.Reason, statement: [UInt8]?)
        /// The sharer has the maximum number of followers.
        case tooManyFollow
        /// The stream is open, with the trust level of its connection.
        case opened(ConnectionTrust)
        case noStream(EventStreams.Refusal)
        case responding(RespondersCore.Reply)
        /// The ID is unknown, or belongs to another identity.
        case unknown
        /// The store is full.
        case full
        case tooSoon(RateLimit, until: WallTime)
        /// The store failed.
        case failed

        /// The trust that the client's connection has earned by this reply.
        ///
        /// An accepted signature proves only that its author has a key. A new answer needs a request, so it earns
        /// trust; repeating an answer costs nothing and earns none.
        package var trust: ConnectionTrust {
            switch self {
            case .opened(let trust): trust
            case .answered(.deliver(_, _, isNew: true)): .enrolled
            default: .stranger
            }
        }
    }

    /// The kinds of calls with a rate limit.
    package enum RateLimit: Sendable, Hashable {
        /// Registrations, links and revocations from one address.
        case statements
        /// Requests from one address for links that do not exist.
        case links
        /// A live share's updates.
        case updates
    }

    /// Why ``nextDeadline`` comes.
    package enum DeadlineReason: Sendable, Hashable {
        /// To handle requests whose deadline has come, to start occurrences of schedules, or to prune.
        case store
        /// To let a stream read the store.
        case poll
        /// To continue with alerts.
        case responders
    }

    /// The rules, which the host runs within the store.
    package let server: Server
    /// The event streams that are open.
    package private(set) var streams: EventStreams
    private var responders: RespondersCore?
    private var rateLimiter: RateLimiter
    private var board = UpdateBoard()
    private var lane = PushLane()
    private let hasPeers: Bool
    /// When the last note about refused tokens was made.
    private var doubtedAt: EngineInstant?
    /// When to check the store; postponed while a check is in progress.
    private var lookAt: EngineInstant
    private var isLooking = false

    /// Creates a server that checks its store at once.
    ///
    /// - Parameters:
    ///   - policy: the numbers that it decides by.
    ///   - streamsMax: the most event streams at a time.
    ///   - dispatchers: the dispatchers of the configuration; without them, volunteers and incidents are refused.
    ///   - seed: determines the IDs of alerts, and the order of people in one cell.
    ///   - hasPeers: whether other servers may use the same database.
    ///   - now: the time.
    package init(
        policy: SharingPolicy,
        streamsMax: Int,
        dispatchers: [PublicIdentity: Dispatcher] = [:],
        seed: UInt64 = 0,
        hasPeers: Bool = false,
        now: Now
    ) {
        self.server = Server(policy: policy)
        self.hasPeers = hasPeers
        self.streams = EventStreams(max: streamsMax)
        self.rateLimiter = RateLimiter(policy: policy)
        self.lookAt = now.monotonic
        guard !dispatchers.isEmpty else { return }
        self.responders = RespondersCore(
            dispatchers: dispatchers,
            policy: DispatchPolicy(),
            seed: seed,
            now: now.monotonic
        )
    }

    /// When to feed ``Input/deadlineReached``, and why.
    package var nextDeadline: (at: EngineInstant, reason: DeadlineReason) {
        var next = (at: self.lookAt, reason: DeadlineReason.store)
        if let poll = self.streams.nextPoll, poll < next.at { next = (poll, .poll) }
        if let alert = self.responders?.deadline, alert < next.at { next = (alert, .responders) }
        return next
    }

    /// Applies one input.
    package mutating func handle(_ input: Input, now: Now) -> [Effect] {
        switch input {
        case .stated(let statement, let address, let ticket):
            guard let sharer = statement.limitedSharer else { return [.access(.write(.state(statement, ticket)))] }
            return [.access(.read(.isKnown(sharer, statement, address, ticket)))]
        case .asked(.link(let link), let address, let ticket):
            if case .tooSoon(let pause) = self.rateLimiter.linkWanted(from: address, now: now.monotonic) {
                return [.reply(ticket, .tooSoon(.links, until: now.wall.advanced(by: pause)))]
            }
            return [.access(.read(.answer(.link(link), address, ticket)))]
        case .responding, .watching, .respondersLoaded, .respondersKept, .alertPushEnded:
            return self.responderInput(input, now: now)
        case .asked(let question, let address, let ticket):
            return [.access(.read(.answer(question, address, ticket)))]
        case .found(let finding, let effects):
            return self.committed(effects, now: now) + self.found(finding, now: now)
        case .storeFailed(let access): return self.failed(access, now: now)
        case .pushEnded(let push, let rejection):
            let request = push.request.value
            let write = Effect.access(
                .write(.pushEnded(request.id, of: request.grant.value.sharer, push.token, rejection))
            )
            guard case .tokenRefused(let reason)? = rejection,
                self.doubtedAt.map({ now.monotonic >= $0.advanced(by: Self.doubtPause) }) ?? true
            else { return [write] }
            self.doubtedAt = now.monotonic
            return [.note(.tokensRefused(reason)), write]
        case .told(let ticket) where self.responders?.owns(ticket) == true:
            return self.responders?.told(ticket, now: now) ?? []
        case .told(let ticket): return self.streams.told(ticket).map { [.access(.read($0))] } ?? []
        case .streamClosed(let ticket):
            self.close(ticket)
            self.responders?.streamClosed(ticket)
            return []
        case .hinted(let hint): return self.hinted(hint, now: now.monotonic)
        case .hintsMissed:
            let all = self.streams.all
            return self.hintWatched(all, wantsNewest: true) + self.wake(all)
        case .deadlineReached:
            let polls = self.streams.pollsDue(now: now.monotonic)
            return self.look(now: now) + self.hintWatched(polls) + self.wake(polls)
                + (self.responders?.deadlineReached(now: now) ?? [])
        }
    }

    private mutating func found(_ finding: Finding, now: Now) -> [Effect] {
        switch finding {
        case .reply(let ticket, let reply): return [.reply(ticket, reply)]
        case .isKnown(let isKnown, let statement, let address, let ticket):
            switch self.admits(statement, isKnown: isKnown, from: address, now: now.monotonic) {
            case .admit: return [.access(.write(.state(statement, ticket)))]
            case .tooSoon(let pause):
                return [.reply(ticket, .tooSoon(.statements, until: now.wall.advanced(by: pause)))]
            }
        case .link(let link, let address, let ticket):
            if link != nil { self.rateLimiter.linkFound(from: address) }
            return [.reply(ticket, .link(link))]
        case .update(let decided, let update, let bytes, let ticket):
            return self.updated(decided, update, bytes, ticket, now: now)
        case .began(let decided, let update, let bytes, let ticket):
            let began: [Effect] = if case .show = decided { [.note(.followingBegan)] } else { [] }
            return began + self.updated(decided, update, bytes, ticket, now: now)
        case .ended(let decided, let following, let ticket):
            guard decided == .confirm else { return [.reply(ticket, .ended(decided))] }
            self.board.ended(following)
            return self.changed(following) + self.hint(.changed(following)) + [.reply(ticket, .ended(decided))]
        case .stream(let watched, let kind, let permit, let address, let ticket):
            return self.opened(watched, kind, permit, from: address, ticket, now: now)
        case .look(let ticket, let look, let request):
            let looked = self.streams.looked(ticket, at: look, self.board.newest(of: request))
            guard let (message, isLast) = looked else { return [] }
            if isLast { self.close(ticket) }
            return [.tell(ticket, message, isLast: isLast)]
        case .push(.send(let push), _): return [.send(push)]
        case .push(.reject(let rejection, let sharer), let id):
            return [.access(.write(.pushEnded(id, of: sharer, nil, rejection)))]
        case .push(.drop, let id), .pushEnded(let id): return self.attemptEnded(id)
        case .looked:
            self.isLooking = false
            return []
        case .isEnrollable(let isKnown, let hasRoom, let enrolment, let address, let ticket):
            guard isKnown else { return [.reply(ticket, .responding(.noDevice))] }
            guard hasRoom else { return [.reply(ticket, .full)] }
            switch self.rateLimiter.registrationReceived(isKnown: true, from: address, now: now.monotonic) {
            case .admit: return self.responders?.received(.enrol(enrolment), ticket, now: now) ?? []
            case .tooSoon(let pause):
                return [.reply(ticket, .tooSoon(.statements, until: now.wall.advanced(by: pause)))]
            }
        case .volunteer(let device, let alert, let purpose):
            return self.responders?.deviceFound(device, alert, purpose, now: now) ?? []
        }
    }

    /// Feeds the service for volunteers and dispatchers.
    private mutating func responderInput(_ input: Input, now: Now) -> [Effect] {
        switch input {
        case .responding(_, _, let ticket) where self.responders == nil,
            .watching(_, let ticket) where self.responders == nil:
            return [.reply(ticket, .responding(.notOffered))]
        case .responding(.enrol(let enrolment), let address, let ticket):
            return [.access(.read(.isEnrollable(enrolment, address, ticket)))]
        case .responding(let statement, _, let ticket):
            return self.responders?.received(statement, ticket, now: now) ?? []
        case .watching(let permit, let ticket):
            return self.responders?.watched(by: permit, ticket, now: now) ?? []
        case .respondersLoaded(let rows?): return self.responders?.loaded(rows, now: now) ?? []
        case .respondersLoaded(nil): return self.responders?.loadFailed(now: now) ?? []
        case .respondersKept(true): return self.responders?.kept(now: now) ?? []
        case .respondersKept(false): return self.responders?.keepFailed(now: now) ?? []
        case .alertPushEnded(let push, let rejection):
            return self.responders?.pushEnded(push.alert, push.notice, rejection, now: now) ?? []
        case .stated, .asked, .found, .storeFailed, .pushEnded, .told, .streamClosed, .hinted, .hintsMissed,
            .deadlineReached:
            return []
        }
    }

    private mutating func failed(_ access: Access, now: Now) -> [Effect] {
        switch access {
        case .read(.isKnown(_, _, _, let ticket)), .read(.answer(_, _, let ticket)), .write(.state(_, let ticket)),
            .read(.isEnrollable(_, _, let ticket)), .write(.begin(_, _, let ticket)):
            return [.reply(ticket, .failed)]
        case .read(.volunteer(_, let alert, let purpose)):
            return self.responders?.deviceNotRead(alert, purpose, now: now) ?? []
        case .read(.look(let ticket, _, _)):
            // Close the stream. Its reader opens another one.
            self.close(ticket)
            return [.close(ticket)]
        case .read(.push(let id)), .write(.pushEnded(let id, _, _, _)):
            // The request is stored. Its next attempt, or its deadline, handles it again.
            return self.attemptEnded(id)
        case .write(.look):
            self.isLooking = false
            self.lookAt = min(self.lookAt, now.monotonic.advanced(by: Self.storePause))
            return []
        }
    }

    private mutating func committed(_ consequences: [Server.Effect], now: Now) -> [Effect] {
        var effects: [Effect] = []
        for consequence in consequences {
            switch consequence {
            case .push(let id): if self.lane.pushWanted(id) == .send { effects.append(.access(.read(.push(id)))) }
            case .sharePush(let id): effects.append(.note(.sharedPush(id)))
            case .announce(let id, let state):
                effects += [.note(.became(id, state))] + self.changed(id) + self.hint(.changed(id))
            case .look(let time):
                let rest = max(.zero, now.wall.duration(to: time))
                self.lookAt = min(self.lookAt, now.monotonic.advanced(by: rest))
            }
        }
        return effects
    }

    /// Records the end of an attempt to push, whatever its result.
    private mutating func attemptEnded(_ id: RequestID) -> [Effect] {
        self.lane.attemptEnded(id).map { [.access(.read(.push($0)))] } ?? []
    }

    private mutating func admits(
        _ statement: Statement,
        isKnown: Bool,
        from address: AddressBlock,
        now: EngineInstant
    ) -> RateLimiter.OnStatement {
        if case .revoke = statement {
            return self.rateLimiter.revocationReceived(isKnown: isKnown, from: address, now: now)
        }
        return self.rateLimiter.registrationReceived(isKnown: isKnown, from: address, now: now)
    }

    // MARK: Live shares

    private mutating func updated(
        _ decided: Server.OnUpdate,
        _ update: Verified<SealedUpdate>,
        _ bytes: [UInt8],
        _ ticket: Ticket,
        now: Now
    ) -> [Effect] {
        let id = update.value.request
        switch decided {
        case .begin: return [.access(.write(.begin(update, bytes: bytes, ticket)))]
        case .show(let request):
            // Only a live share has an end.
            guard let end = request.value.followingEnd else { return [.reply(ticket, .unknown)] }
            switch self.board.updateCame(bytes, of: id, until: end, now: now) {
            case .show(let isWatched):
                let isElsewhere = self.board.isWatchedElsewhere(id, now: now.monotonic)
                let hint = isElsewhere ? self.hint(.update(bytes, of: id)) : []
                return self.changed(id) + hint + [.reply(ticket, .shown(isWatched: isWatched))]
            case .tooSoon(let pause):
                return [.reply(ticket, .tooSoon(.updates, until: now.wall.advanced(by: pause)))]
            case .full: return [.reply(ticket, .full)]
            }
        case .close(let reason, let statement):
            self.board.ended(id)
            return [.reply(ticket, .over(reason, statement: statement))]
        case .unknown: return [.reply(ticket, .unknown)]
        case .tooMany: return [.reply(ticket, .tooManyFollow)]
        case .full: return [.reply(ticket, .full)]
        }
    }

    // MARK: Event streams

    private mutating func opened(
        _ watched: Server.Watched?,
        _ kind: EventStreams.Kind,
        _ permit: ReadPermit,
        from address: AddressBlock,
        _ ticket: Ticket,
        now: Now
    ) -> [Effect] {
        guard let watched else { return [.reply(ticket, .unknown)] }
        let (sharer, trust) = (watched.sharer, watched.trust)
        var effects: [Effect] = []
        switch self.streams.opened(ticket, kind, permit, about: sharer, trust, from: address, now: now.monotonic) {
        case .admit: break
        case .replace(let stranger):
            self.close(stranger)
            effects = [.close(stranger), .note(.displaced(stranger))]
        case .refuse(let refusal): return [.reply(ticket, .noStream(refusal))]
        }
        if kind == .updates, let end = watched.followingEnd {
            self.board.followerCame(to: permit.request, until: end, now: now.wall)
        }
        return effects + [.reply(ticket, .opened(trust))] + self.hintWatched([ticket]) + self.wake([ticket])
    }

    private mutating func close(_ ticket: Ticket) {
        guard let (request, kind) = self.streams.closed(ticket), kind == .updates else { return }
        self.board.followerLeft(request)
    }

    private mutating func changed(_ request: RequestID) -> [Effect] { self.wake(self.streams.about(request)) }

    private mutating func wake(_ tickets: [Ticket]) -> [Effect] {
        tickets.compactMap { ticket in self.streams.woken(ticket).map { .access(.read($0)) } }
    }

    // MARK: Other servers

    private func hint(_ hint: NodeHint) -> [Effect] { self.hasPeers ? [.hint(hint)] : [] }

    /// Reports the live shares of these streams to the other servers, which send their updates as long as the reports come.
    private func hintWatched(_ tickets: [Ticket], wantsNewest: Bool = false) -> [Effect] {
        tickets.compactMap { self.streams.liveShare(of: $0) }.flatMap { id in
            self.hint(.watched(id, wantsNewest: wantsNewest || self.board.newest(of: id) == nil))
        }
    }

    private mutating func hinted(_ hint: NodeHint, now: EngineInstant) -> [Effect] {
        switch hint {
        case .changed(let id): return self.changed(id)
        case .update(let update, let id):
            return self.board.updateCameElsewhere(update, of: id) ? self.changed(id) : []
        case .watched(let id, let wantsNewest):
            self.board.followerIsElsewhere(id, now: now)
            // Only the server that received the update from the device sends it, so that an older one does not replace it.
            guard wantsNewest, let newest = self.board.newest(of: id), !newest.isFromElsewhere else { return [] }
            return self.hint(.update(newest.update, of: id))
        }
    }

    // MARK: Time

    private mutating func look(now: Now) -> [Effect] {
        guard now.monotonic >= self.lookAt else { return [] }
        guard !self.isLooking else {
            self.lookAt = now.monotonic.advanced(by: Self.storePause)
            return []
        }
        // Set the time before the check, not after it: it must not overwrite an earlier deadline that another write sets meanwhile.
        self.lookAt = now.monotonic.advanced(by: Self.restMax)
        self.isLooking = true
        return [.access(.write(.look))]
    }
}

extension SharingCore.Statement {
    /// The author, if the message is stored for long, so that the number from strangers of an address is limited; otherwise nil.
    fileprivate var limitedSharer: PublicIdentity? {
        switch self {
        case .register(let registration): registration.value.sharer
        case .revoke(let revocation): revocation.value.sharer
        case .post(let link): link.value.sharer
        case .remove, .request, .report, .answer, .end: nil
        }
    }
}
