internal import CoreMetrics
internal import Dispatch
internal import Logging
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Performs the engine's decisions with the store, the links and the relay.
///
/// Operations of all connections run on one serial queue, in batches. A batch is one transaction; its responses, pushes
/// and tokens are sent after the commit. So 200 means "on disk", and all operations that arrive during an fsync share the
/// next one. If the store rejects an operation, the others are not affected.
///
/// ``PushEngine/FairQueue`` decides the order of operations. If its queue is full, a push is answered `ServiceUnavailable`;
/// a device's link limits its own operations (``PushEngine/GatewaySide``).
final class GatewayHost: Sendable {
    private enum Operation: Sendable {
        /// A provider's push and the receiver of its answer; boxed because the queue copies operations.
        indirect case push(SubmittedPush, any AwaitsAnswers)
        /// The outcome of a push that the relay sent.
        case relayEnded(PushID, RelayEnd)
        /// An input of a device's connection.
        case link(Gateway.Input, DeviceLink)
        /// Remove expired data.
        case sweep
        /// Check whether a failed store accepts writes again.
        case trial
        /// Remove a device or a token for the operator, and report the result.
        case remove(Removal, @Sendable (Rejection?) -> Void)
        /// The operator's query, and a closure for its failure; exactly one of the two is called.
        case read(@Sendable (any PushStoreTransaction, Gateway) -> Void, failed: @Sendable (any Error) -> Void)

        var isSweep: Bool { if case .sweep = self { true } else { false } }
        var isTrial: Bool { if case .trial = self { true } else { false } }
    }

    /// An object that the operator removes.
    enum Removal: Sendable {
        case device(DeviceKey)
        case token(DeviceToken)
    }

    private struct Inbox {
        var turns = FairQueue<Operation>()
        var isDraining = false
        var isClosed = false
    }

    /// The engine, and the connections that its IDs refer to.
    private struct State {
        var gateway: Gateway
        var random = RandomReserve()
        var links: [LinkID: DeviceLink] = [:]
        /// The requests whose pushes were relayed.
        var relayed: [PushID: (port: any AwaitsAnswers, number: Int32)] = [:]
    }

    private let store: any PushStore
    private let now: @Sendable () -> WallTime
    private let notes: ThrottledNotes
    private let metrics: GatewayMetrics
    private let queue = DispatchQueue(label: "whereabouts push gateway")
    private let inbox = Mutex(Inbox())
    private let storeIsWell = Atomic(true)
    /// Used only on the queue; the lock is for the compiler.
    private let state: Mutex<State>
    private let relay: RelayPort?

    init(
        store: any PushStore,
        relay: RelayPort?,
        relayedApps: Set<String>,
        now: @escaping @Sendable () -> WallTime,
        notes: ThrottledNotes,
        metrics: GatewayMetrics
    ) {
        self.state = Mutex(State(gateway: Gateway(relayedApps: relayedApps)))
        self.relay = relay
        self.store = store
        self.now = now
        self.notes = notes
        self.metrics = metrics
    }

    // MARK: From any thread.

    /// Submits the pushes of one read; each is answered when it is on disk, or refused.
    func submit(_ pushes: [SubmittedPush], from port: any AwaitsAnswers) {
        var refused = pushes[...]
        let reason = self.enqueue { inbox in
            while let push = refused.first, inbox.turns.offer(.push(push, port)) { refused.removeFirst() }
            return refused.count == pushes.count ? .serviceUnavailable : nil
        }
        guard !refused.isEmpty else { return }
        let rejection = Rejection(reason ?? .serviceUnavailable)
        for _ in refused { self.metrics.replied(rejection) }
        port.take(refused.map { PushAnswer(number: $0.number, rejection: rejection) })
    }

    /// Submits an input of a link.
    func take(_ input: Gateway.Input, from link: DeviceLink) {
        let reason = self.enqueue { inbox in
            inbox.turns.offer(.link(input, link), of: link.id)
            return nil
        }
        if reason != nil { link.close("the gateway is shutting down") }
    }

    /// Submits the outcome of a relayed push.
    private func take(_ end: RelayEnd, of push: PushID) {
        _ = self.enqueue { inbox in
            inbox.turns.offerEnd(.relayEnded(push, end))
            return nil
        }
    }

    func removeExpired() {
        _ = self.enqueue { $0.turns.offer(.sweep) ? nil : .serviceUnavailable }
    }

    /// Writes a test page if the store failed: without pushes, the gateway would not detect that the disk works again.
    func tryStore() {
        guard !self.isStoreWell else { return }
        _ = self.enqueue { $0.turns.offer(.trial) ? nil : .serviceUnavailable }
    }

    /// Removes a device or a token, and the waiting pushes.
    ///
    /// - Throws: ``PushEngine/Rejection`` when the object does not exist, the store fails, or the gateway stops.
    func remove(_ removal: Removal) async throws {
        let rejection = await withCheckedContinuation { continuation in
            let reason = self.enqueue { inbox in
                inbox.turns.offer(.remove(removal) { continuation.resume(returning: $0) }) ? nil : .serviceUnavailable
            }
            if let reason { continuation.resume(returning: Rejection(reason)) }
        }
        if let rejection { throw rejection }
    }

    /// Answers a query.
    ///
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway stops.
    func read<Value: Sendable>(
        _ question: @escaping @Sendable (any PushStoreTransaction, Gateway) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let reason = self.enqueue { inbox in
                let isTaken = inbox.turns.offer(
                    .read(
                        { store, gateway in continuation.resume(with: Result { try question(store, gateway) }) },
                        failed: { continuation.resume(throwing: $0) }
                    )
                )
                return isTaken ? nil : .serviceUnavailable
            }
            if let reason { continuation.resume(throwing: Rejection(reason)) }
        }
    }

    /// Returns the relay's senders with their accounts.
    ///
    /// - Parameters:
    ///   - only: the sender to report; nil for all senders with an account.
    ///   - keys: the keys in force.
    /// - Returns: the senders, ordered by name.
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway stops.
    func senders(_ only: Sender.Name? = nil, keys: [SenderKey]) async throws -> [SenderReport] {
        let clock = self.now
        return try await self.read { store, gateway in
            let now = Now(monotonic: .onEventLoop(), wall: clock())
            let days = try store.accounts(of: only, since: SenderReport.firstDay(now: now))
            let senders = keys.filter { $0.pushesADay != nil }
            let names = Set(days.map(\.sender) + senders.map(\.name)).sorted { $0.description < $1.description }
            return try names.map { name in
                SenderReport(
                    name,
                    key: keys.first { $0.name == name },
                    days: days.filter { $0.sender == name },
                    relayedApps: gateway.relay.apps,
                    underWay: gateway.relay.underWay(of: name),
                    waits: try gateway.relay.waits(name, store, now: now),
                    now: now.wall
                )
            }
        }
    }

    /// Whether the gateway relays pushes.
    var isRelay: Bool { self.relay != nil }

    /// Whether the store works: no transaction failed, or a write has succeeded since then.
    var isStoreWell: Bool { self.storeIsWell.load(ordering: .relaxed) }

    /// Ends the host; returns after all submitted operations.
    func close() {
        self.inbox.withLock { $0.isClosed = true }
        self.queue.sync {}
    }

    private func enqueue(_ offer: (inout Inbox) -> Reason?) -> Reason? {
        self.inbox.withLock { inbox in
            if inbox.isClosed { return .shutdown }
            if let reason = offer(&inbox) { return reason }
            if !inbox.isDraining {
                inbox.isDraining = true
                self.queue.async { self.drain() }
            }
            return nil
        }
    }

    // MARK: On the queue.

    private func drain() {
        while true {
            let batch = self.inbox.withLock { inbox in
                self.metrics.inbox.set(inbox.turns.waitingCount)
                let batch = inbox.turns.nextBatch()
                inbox.isDraining = !batch.isEmpty
                return batch
            }
            if batch.isEmpty { return }
            self.state.withLock { self.run(batch, &$0) }
        }
    }

    private func run(_ batch: [Operation], _ state: inout State) {
        var outputs: [Gateway.Output] = []
        var answeredCount = 0
        let inputs = batch.enumerated().map { Self.input($1, ticket: UInt64($0)) }
        let loss = inputs.compactMap { $0?.mustSurvive }.max() ?? .crash
        do {
            try self.store.transaction(surviving: loss) { transaction in
                let now = self.now()
                try transaction.prefetch(
                    inputs.flatMap { input in input.map { state.gateway.reads(of: $0, now: now) } ?? [] }
                )
                for (operation, input) in zip(batch, inputs) {
                    if case .read(let question, _) = operation {
                        question(transaction, state.gateway)
                        answeredCount += 1
                    }
                    guard let input else { continue }
                    if case .link(.linkOpened, let link) = operation { state.links[link.id] = link }
                    outputs += try self.handle(input, transaction, &state)
                }
            }
            for latency in state.gateway.committed() { self.metrics.acknowledged(after: latency) }
            // Write explicitly: a transaction without changes succeeds even on a full disk.
            if batch.contains(where: \.isTrial), (try? self.store.tryWriting()) != nil {
                self.storeIsWell.store(true, ordering: .relaxed)
            }
        } catch {
            self.storeIsWell.store(false, ordering: .relaxed)
            self.metrics.commitFailures.increment()
            self.notes.write(.error, "the push store failed; this batch was not stored", ["error": "\(error)"])
            outputs = state.gateway.commitFailed()
            for case let input? in inputs { outputs += state.gateway.failed(input) }
            let questions = batch.filter { if case .read = $0 { true } else { false } }
            for case .read(_, let failed) in questions.dropFirst(answeredCount) { failed(error) }
        }
        var answers: [ObjectIdentifier: (port: any AwaitsAnswers, list: [PushAnswer])] = [:]
        func answer(_ number: Int32, _ rejection: Rejection?, at port: any AwaitsAnswers) {
            self.metrics.replied(rejection)
            answers[ObjectIdentifier(port), default: (port, [])].list.append(
                PushAnswer(number: number, rejection: rejection)
            )
        }
        for output in outputs {
            switch output {
            case .reply(let ticket, let rejection):
                switch batch[Int(ticket)] {
                case .push(let submitted, let port): answer(submitted.number, rejection, at: port)
                case .remove(_, let reply): reply(rejection)
                case .link, .relayEnded, .sweep, .trial, .read: break  // No caller waits for these.
                }
            case .relay(let push, let id, let ticket):
                guard case .push(let submitted, let port) = batch[Int(ticket)] else { break }
                state.relayed[id] = (port, submitted.number)
                self.relay?.send(push) { self.take($0, of: id) }
            case .answer(let id, let rejection):
                guard let request = state.relayed.removeValue(forKey: id) else { break }
                answer(request.number, rejection, at: request.port)
            case .deliver, .registered, .unregistered, .close, .finished, .postponed, .trusted, .note, .expired,
                .relayNote:
                self.perform(output, state.links)
            }
        }
        self.metrics.relayUnderWay.set(state.gateway.relay.underWay)
        for (port, list) in answers.values { port.take(list) }
        if batch.contains(where: \.isSweep), let bytes = self.store.bytesCount { self.metrics.storeBytes.set(bytes) }
        for case .link(.linkClosed, let link) in batch { state.links[link.id] = nil }
    }

    /// Handles one input so that its failure does not affect other inputs.
    private func handle(
        _ input: Gateway.Input,
        _ transaction: any PushStoreTransaction,
        _ state: inout State
    ) throws -> [Gateway.Output] {
        var outputs: [Gateway.Output] = []
        do {
            try transaction.attempt {
                let now = Now(monotonic: .onEventLoop(), wall: self.now())
                outputs = try state.gateway.handle(input, transaction, random: &state.random, now: now)
            }
        } catch is TransactionLost {
            throw TransactionLost()
        } catch {
            self.metrics.storeFailures.increment()
            self.notes.write(.error, "the push store rejected an operation", ["error": "\(error)"])
            outputs = state.gateway.failed(input)
        }
        return outputs
    }

    /// The engine's input for an operation; nil for a query, which changes nothing.
    private static func input(_ operation: Operation, ticket: UInt64) -> Gateway.Input? {
        switch operation {
        case .push(let submitted, _): .pushReceived(submitted.push, from: submitted.sender, ticket: ticket)
        case .relayEnded(let push, let end): .relayEnded(push, end)
        case .link(let input, _): input
        case .sweep: .sweepDue
        case .remove(.device(let device), _): .deviceRemoved(device, ticket: ticket)
        case .remove(.token(let token), _): .tokenRemoved(token, ticket: ticket)
        case .trial, .read: nil
        }
    }

    private func perform(_ output: Gateway.Output, _ links: [LinkID: DeviceLink]) {
        switch output {
        case .reply, .relay, .answer: break  // Answers of one connection go out together.
        case .deliver(let push, let link): links[link]?.send(.push(push))
        case .registered(let record, let link):
            self.metrics.registrations.increment()
            links[link]?.send(.registered(topic: record.topic, token: record.token))
        case .unregistered(let topic, let link): links[link]?.send(.unregistered(topic: topic))
        case .finished(let link): links[link]?.finish()
        case .postponed(let link, let reason):
            self.metrics.postponed(reason)
            links[link]?.finish()
        case .trusted(let link, let trust): links[link]?.trust(trust)
        case .close(let link, let reason): links[link]?.close(reason)
        case .note(let note): self.metrics.noted(note)
        case .expired(let count): self.metrics.noted(.expired, count)
        case .relayNote(let note):
            self.metrics.noted(note)
            self.log(note)
        }
    }

    /// Logs a note that needs the operator.
    private func log(_ note: RelayNote) {
        switch note {
        case .refused, .ended: break
        case .vendorRefused(let reason):
            self.notes.write(
                .error,
                "Apple does not accept a key of this relay, or not for its app; its senders receive InternalServerError",
                ["reason": "\(reason.rawValue)", "remedy": "\(reason.advice)"]
            )
        case .senderWaits:
            self.notes.write(
                .warning,
                "a sender is blocked for an hour, because Apple knows few of its tokens; `whereabouts gateway senders` shows which"
            )
        }
    }
}
