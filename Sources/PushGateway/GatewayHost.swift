internal import APNS
internal import CoreMetrics
internal import Dispatch
internal import Logging
internal import PushEngine
internal import PushLink
internal import Synchronization
internal import Vocabulary

/// Carries the engine's decisions out: the only place where devices, store and links meet.
///
/// Operations of all connections run on one serial queue, in batches: one batch is one transaction, and what others
/// see of it (responses, pushes, tokens) goes out after the commit. So 200 means "on disk", at the price of one fsync
/// for all that arrived during the last one. An operation that the store does not take fails alone.
///
/// Whose operation is next is decided by ``PushEngine/Turns``. Over the bound a push is answered `ServiceUnavailable`; a
/// device's link bounds itself (``PushEngine/GatewaySide``).
final class GatewayHost: Sendable {
    typealias Reply = @Sendable (Result<Void, Rejection>) -> Void

    private enum Operation: Sendable {
        /// A provider's push, and where its answer goes.
        case push(ValidPush, Reply)
        /// News of a device's connection.
        case link(Gateway.Input, DeviceLink)
        /// The time to look for pushes that expired.
        case sweep
    }

    private struct Inbox {
        var turns = Turns<Operation>()
        var isDraining = false
        var isClosed = false
    }

    /// The engine, and the connections that its ids name.
    private struct State {
        var gateway = Gateway()
        var links: [LinkID: DeviceLink] = [:]
    }

    private let store: any PushStore
    private let now: @Sendable () -> WallTime
    private let notes: ThrottledNotes
    private let metrics: GatewayMetrics
    private let queue = DispatchQueue(label: "whereabouts push gateway")
    private let inbox = Mutex(Inbox())
    /// Used on the queue alone, the lock proves it to the compiler.
    private let state = Mutex(State())

    init(
        store: any PushStore,
        now: @escaping @Sendable () -> WallTime,
        notes: ThrottledNotes,
        metrics: GatewayMetrics
    ) {
        self.store = store
        self.now = now
        self.notes = notes
        self.metrics = metrics
    }

    // MARK: From any thread.

    /// Takes a push in; the reply comes once it is on disk, or refused.
    func submit(_ push: ValidPush, reply: @escaping Reply) {
        let reason = self.enqueue { inbox in
            inbox.turns.offer(.push(push, reply)) ? nil : .serviceUnavailable
        }
        guard let reason else { return }
        self.metrics.replied(Rejection(reason))
        reply(.failure(Rejection(reason)))
    }

    /// Takes news of a link in.
    func take(_ input: Gateway.Input, from link: DeviceLink) {
        let reason = self.enqueue { inbox in
            inbox.turns.offer(.link(input, link), of: link.id)
            return nil
        }
        if reason != nil { link.close("the gateway is shutting down") }
    }

    func removeExpired() {
        _ = self.enqueue { $0.turns.offer(.sweep) ? nil : .serviceUnavailable }
    }

    /// Ends the host; returns once everything taken in before is done.
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
        do {
            try self.store.transaction { transaction in
                for (index, operation) in batch.enumerated() {
                    let input = Self.input(operation, ticket: UInt64(index))
                    if case .link(.linkOpened, let link) = operation { state.links[link.id] = link }
                    outputs += try self.handle(input, transaction, &state.gateway)
                }
            }
            state.gateway.committed()
        } catch {
            self.metrics.commitFailures.increment()
            self.notes.write(.error, "the push store failed; what came with it is lost", ["error": "\(error)"])
            outputs = state.gateway.commitFailed()
            for (index, operation) in batch.enumerated() {
                outputs += state.gateway.failed(Self.input(operation, ticket: UInt64(index)))
            }
        }
        for output in outputs { self.perform(output, batch, state.links) }
        for case .link(.linkClosed, let link) in batch { state.links[link.id] = nil }
    }

    /// Handles one input so that its failure is its own.
    private func handle(
        _ input: Gateway.Input,
        _ transaction: any PushStoreTransaction,
        _ gateway: inout Gateway
    ) throws -> [Gateway.Output] {
        var random = SystemRandomNumberGenerator()
        var outputs: [Gateway.Output] = []
        do {
            try transaction.attempt {
                let now = Now(monotonic: .onEventLoop(), wall: self.now())
                outputs = try gateway.handle(input, transaction, random: &random, now: now)
            }
        } catch is TransactionLost {
            throw TransactionLost()
        } catch {
            self.metrics.storeFailures.increment()
            self.notes.write(.error, "the push store did not take an operation", ["error": "\(error)"])
            outputs = gateway.failed(input)
        }
        return outputs
    }

    private static func input(_ operation: Operation, ticket: UInt64) -> Gateway.Input {
        switch operation {
        case .push(let push, _): .pushReceived(push, ticket: ticket)
        case .link(let input, _): input
        case .sweep: .sweepDue
        }
    }

    private func perform(_ output: Gateway.Output, _ batch: [Operation], _ links: [LinkID: DeviceLink]) {
        switch output {
        case .reply(let ticket, let rejection):
            guard case .push(_, let reply) = batch[Int(ticket)] else { return }
            self.metrics.replied(rejection)
            reply(rejection.map { .failure($0) } ?? .success(()))
        case .deliver(let push, let link): links[link]?.send(.push(push))
        case .registered(let record, let link):
            self.metrics.registrations.increment()
            links[link]?.send(.registered(topic: record.topic, token: record.token))
        case .unregistered(let topic, let link): links[link]?.send(.unregistered(topic: topic))
        case .finished(let link): links[link]?.finish()
        case .postponed(let link, let reason):
            self.metrics.postponed(reason)
            links[link]?.finish()
        case .known(let link): links[link]?.makeKnown()
        case .close(let link, let reason): links[link]?.close(reason)
        case .note(let note): self.metrics.noted(note)
        }
    }
}
