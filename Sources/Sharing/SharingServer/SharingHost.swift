internal import Logging
internal import ServiceLifecycle
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The shell of ``SharingCore``: it reports inputs and performs effects, with a store, a push service and a timer.
actor SharingHost: Service {
    /// An event stream: its messages, and the ticket that identifies it in the core.
    struct Stream: Sendable {
        let ticket: SharingCore.Ticket
        let messages: AsyncStream<EventStreams.Message>
        fileprivate let continuation: AsyncStream<EventStreams.Message>.Continuation

        /// Ends the messages.
        func end() { self.continuation.finish() }
    }

    private let store: any Store
    /// The store of volunteers and incidents; nil if the server names no dispatchers.
    private let responders: (any ResponderStore)?
    /// The hints between servers; nil if no other server can use the database.
    private let hints: PostgreSQLHints?
    private let push: any PushSender
    private let logger: Logger
    private let metrics: ServerMetrics
    private let health: StoreHealth
    private let now: @Sendable () -> WallTime
    private let begun = ContinuousClock.now
    /// Effects for which no client waits; the core limits their number.
    private let work = AsyncStream.makeStream(of: SharingCore.Effect.self)

    // Guarded by the actor.
    private var core: SharingCore
    private var tickets: SharingCore.Ticket = 0
    private var replies: [SharingCore.Ticket: CheckedContinuation<SharingCore.Reply, Never>] = [:]
    /// The buffers stay small, because the core sends each stream one message at a time.
    private var streams: [SharingCore.Ticket: AsyncStream<EventStreams.Message>.Continuation] = [:]
    private var nap: Task<Void, Never>?

    init(
        store: any Store,
        responders: (any ResponderStore)? = nil,
        dispatchers: [PublicIdentity: Dispatcher] = [:],
        hints: PostgreSQLHints? = nil,
        push: any PushSender,
        policy: SharingPolicy,
        streamsMax: Int,
        logger: Logger,
        metrics: ServerMetrics,
        health: StoreHealth,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.store = store
        self.responders = responders
        self.hints = hints
        self.push = push
        self.logger = logger
        self.metrics = metrics
        self.health = health
        // Use whole milliseconds, like the store: otherwise a request read from the store would differ from the one written.
        self.now = { now().wholeMilliseconds }
        let start = Now(monotonic: EngineInstant(sinceStart: .zero), wall: self.now())
        self.core = SharingCore(
            policy: policy,
            streamsMax: streamsMax,
            dispatchers: dispatchers,
            seed: .random(in: 0 ... .max),
            hasPeers: hints != nil,
            now: start
        )
    }

    /// Sends pushes and handles deadlines until cancelled or shut down.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.keepDeadlines() }
                group.addTask { await self.receiveHints() }
                for await effect in self.work.stream { group.addTask { await self.carryOut(effect) } }
            }
        }
    }

    private func receiveHints() async {
        guard let hints = self.hints else { return }
        hints.start()
        defer { hints.stop() }
        for await input in hints.inputs { self.handle(input) }
    }

    // MARK: Clients

    /// Returns the reply to a signed message of a client.
    func reply(to statement: SharingCore.Statement, from address: AddressBlock) async -> SharingCore.Reply {
        await self.reply(self.nextTicket()) { .stated(statement, from: address, $0) }
    }

    /// Returns the reply to a client's query, which changes nothing.
    func reply(to question: SharingCore.Question, from address: AddressBlock) async -> SharingCore.Reply {
        await self.reply(self.nextTicket()) { .asked(question, from: address, $0) }
    }

    /// Returns the reply to a message of a volunteer or a dispatcher.
    func reply(to statement: RespondersCore.Statement, from address: AddressBlock) async -> SharingCore.Reply {
        await self.reply(self.nextTicket()) { .responding(statement, from: address, $0) }
    }

    /// Opens an event stream if the core permits it; the stream closes when its reader releases `messages`.
    func open(
        _ kind: EventStreams.Kind,
        _ permit: Verified<ReadPermit>,
        from address: AddressBlock
    ) async -> (SharingCore.Reply, Stream) {
        await self.open { .asked(.stream(kind, permit), from: address, $0) }
    }

    /// Opens the event stream of a dispatcher's incidents.
    func open(_ permit: Verified<IncidentsPermit>) async -> (SharingCore.Reply, Stream) {
        await self.open { .watching(permit, $0) }
    }

    private func open(
        _ input: (SharingCore.Ticket) -> SharingCore.Input
    ) async -> (SharingCore.Reply, Stream) {
        let ticket = self.nextTicket()
        let (messages, continuation) = AsyncStream.makeStream(of: EventStreams.Message.self)
        continuation.onTermination = { _ in Task { await self.closed(ticket) } }
        self.streams[ticket] = continuation
        let reply = await self.reply(ticket, input)
        self.metrics.streams(self.core.streams.count)
        return (reply, Stream(ticket: ticket, messages: messages, continuation: continuation))
    }

    /// Records that a message of a stream was written.
    func told(_ stream: Stream) { self.handle(.told(stream.ticket)) }

    private func closed(_ ticket: SharingCore.Ticket) {
        self.streams[ticket] = nil
        self.handle(.streamClosed(ticket))
        self.metrics.streams(self.core.streams.count)
    }

    private func nextTicket() -> SharingCore.Ticket {
        self.tickets += 1
        return self.tickets
    }

    private func reply(
        _ ticket: SharingCore.Ticket,
        _ input: (SharingCore.Ticket) -> SharingCore.Input
    ) async -> SharingCore.Reply {
        await withCheckedContinuation { continuation in
            self.replies[ticket] = continuation
            self.handle(input(ticket))
        }
    }

    // MARK: The core

    /// Feeds an input; synchronous, so that no other input comes between two effects.
    private func handle(_ input: SharingCore.Input) {
        let deadline = self.core.nextDeadline.at
        for effect in self.core.handle(input, now: Now(monotonic: self.monotonic, wall: self.now())) {
            self.perform(effect)
        }
        if self.core.nextDeadline.at < deadline { self.nap?.cancel() }
    }

    private func perform(_ effect: SharingCore.Effect) {
        switch effect {
        case .access(let access) where access.ticket != nil: Task { await self.access(access) }
        case .access, .send, .sendAlert, .loadResponders, .keepResponders: self.work.continuation.yield(effect)
        case .reply(let ticket, let reply): self.replies.removeValue(forKey: ticket)?.resume(returning: reply)
        case .tell(let ticket, let message, let isLast):
            self.streams[ticket]?.yield(message)
            if isLast { self.streams[ticket]?.finish() }
        case .close(let ticket): self.streams[ticket]?.finish()
        case .hint(let hint): self.hints?.send(hint)
        case .note(let note): self.count(note)
        }
    }

    private func carryOut(_ effect: SharingCore.Effect) async {
        switch effect {
        case .access(let access): await self.access(access)
        case .send(let push): self.handle(.pushEnded(push, await self.send(push)))
        case .sendAlert(let push): self.handle(.alertPushEnded(push, await self.send(push)))
        case .loadResponders(let key): await self.loadResponders(after: key)
        case .keepResponders(let rows): await self.keep(rows)
        case .reply, .tell, .close, .hint, .note: self.perform(effect)
        }
    }

    private func loadResponders(after key: ResponderRow.Key?) async {
        do {
            let rows = try await self.responders?.responders(after: key, max: RespondersCore.pageMax) ?? []
            self.handle(.respondersLoaded(rows))
        } catch {
            self.health.failed(error)
            self.handle(.respondersLoaded(nil))
        }
    }

    private func keep(_ rows: [ResponderRow]) async {
        do {
            try await self.responders?.keep(rows, now: self.now())
            self.handle(.respondersKept(true))
        } catch {
            self.health.failed(error)
            self.handle(.respondersKept(false))
        }
    }

    private func access(_ access: SharingCore.Access) async {
        let (server, now) = (self.core.server, self.now())
        do {
            switch access {
            case .read(let query):
                self.handle(.found(try await self.store.read { try server.read(query, $0, now: now) }))
            case .write(let change):
                let decision = try await self.store.transaction(of: change.key, surviving: change.mustSurvive) {
                    try server.write(change, $0, now: now)
                }
                self.handle(.found(decision.reply, decision.effects))
                if change == .look { try await self.examineStore() }
            }
        } catch {
            self.health.failed(error)
            self.handle(.storeFailed(access))
        }
    }

    /// Reports how full the store is, and detects that a failed store can be written again.
    private func examineStore() async throws {
        // A server that is not ready receives no requests, so only this write can detect that the store works again.
        if !self.health.isWell {
            try await self.store.tryWriting()
            self.health.wrote()
        }
        let room = try await self.store.read { try $0.room() }
        self.metrics.storeUsed(Double(room.used) / Double(room.max))
    }

    private func count(_ note: SharingCore.Note) {
        switch note {
        case .became(let id, let state):
            self.logger.debug("request state", metadata: ["request": "\(id)", "state": "\(state.kind.rawValue)"])
        case .sharedPush(let id):
            self.metrics.took(.sharedPush)
            self.logger.debug("request waits for a push under way", metadata: ["request": "\(id)"])
        case .followingBegan: self.metrics.took(.following)
        case .displaced: self.metrics.refused(.stream, .displaced)
        case .tokensRefused(let reason):
            self.logger.error(
                """
                the push service does not know a device's token, and does not say that the device is gone; if it is so for all, look \
                at --apns-endpoint (production or sandbox, as the app was installed), at the key's team and the app, and whether a \
                gateway there still relays for the app: whereabouts push --check
                """,
                metadata: ["reason": "\(reason.rawValue)"]
            )
        }
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
            return error as? PushRejection ?? .permanent("the request cannot be written as JSON")
        }
    }

    private func send(_ push: AlertPush) async -> PushRejection? {
        do {
            try await self.push.send(push, payload: PushPayload.json(of: push, HPKESealing()))
            self.metrics.took(.push)
            return nil
        } catch {
            self.metrics.refused(.push, .service)
            self.logger.warning(
                "push to a volunteer rejected",
                metadata: ["alert": "\(push.alert)", "reason": "\(error)"]
            )
            return error as? PushRejection ?? .permanent("the alert cannot be written as JSON")
        }
    }

    // MARK: Time

    private var monotonic: EngineInstant { EngineInstant(sinceStart: ContinuousClock.now - self.begun) }

    private func keepDeadlines() async {
        while !Task.isCancelled {
            let (deadline, reason) = self.core.nextDeadline
            let rest = self.monotonic.duration(to: deadline)
            let nap = Task { _ = try? await Task.sleep(for: rest) }
            self.nap = nap
            await withTaskCancellationHandler {
                await nap.value
            } onCancel: {
                nap.cancel()
            }
            // Another input has set an earlier deadline.
            guard !nap.isCancelled else { continue }
            self.logger.debug("deadline reached", metadata: ["reason": "\(reason)"])
            self.handle(.deadlineReached)
        }
    }
}
