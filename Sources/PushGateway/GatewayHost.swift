internal import APNS
internal import Dispatch
internal import Logging
internal import PushEngine
internal import Synchronization
internal import Vocabulary

/// Carries the engine's decisions out: the only place where devices, store and links meet.
///
/// Operations of all connections run on one serial queue, in batches: one batch is one transaction, and what others
/// see of it (responses, pushes, tokens) goes out after the commit. So 200 means "on disk", at the price of one fsync
/// for all that arrived during the last one.
///
/// The inbox is bounded. Over the bound a push is answered `ServiceUnavailable`, and a device's link is closed: it
/// comes back and says all again.
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
        var operations: [Operation] = []
        var isDraining = false
        var isClosed = false
    }

    /// The engine, and the connections that its ids name.
    private struct State {
        var gateway = Gateway()
        var links: [LinkID: DeviceLink] = [:]
    }

    static let inboxMax = 10_000
    /// So that the first of a batch does not wait too long for the last.
    private static let batchMax = 512

    private let store: any PushStore
    private let now: @Sendable () -> WallTime
    private let logger: Logger
    private let queue = DispatchQueue(label: "whereabouts push gateway")
    private let inbox = Mutex(Inbox())
    /// Used on the queue alone, the lock proves it to the compiler.
    private let state = Mutex(State())

    init(store: any PushStore, now: @escaping @Sendable () -> WallTime, logger: Logger) {
        self.store = store
        self.now = now
        self.logger = logger
    }

    // MARK: From any thread.

    /// Takes a push in; the reply comes once it is on disk, or refused.
    func submit(_ push: ValidPush, reply: @escaping Reply) {
        if let reason = self.enqueue(.push(push, reply), limit: Self.inboxMax) { reply(.failure(Rejection(reason))) }
    }

    /// Takes news of a link in; its end over the bound too, as there is at most one for each link.
    func take(_ input: Gateway.Input, from link: DeviceLink) {
        if case .linkClosed = input {
            _ = self.enqueue(.link(input, link), limit: .max)
        } else if self.enqueue(.link(input, link), limit: Self.inboxMax) != nil {
            link.close("the gateway is busy")
        }
    }

    func removeExpired() {
        _ = self.enqueue(.sweep, limit: Self.inboxMax)
    }

    /// Ends the host; returns once everything taken in before is done.
    func close() {
        self.inbox.withLock { $0.isClosed = true }
        self.queue.sync {}
    }

    private func enqueue(_ operation: Operation, limit: Int) -> Reason? {
        self.inbox.withLock { inbox in
            if inbox.isClosed { return .shutdown }
            guard inbox.operations.count < limit else { return .serviceUnavailable }
            inbox.operations.append(operation)
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
                let batch = Array(inbox.operations.prefix(Self.batchMax))
                inbox.operations.removeFirst(batch.count)
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
                var random = SystemRandomNumberGenerator()
                for (index, operation) in batch.enumerated() {
                    let input = Self.input(operation, ticket: UInt64(index))
                    if case .link(.linkOpened, let link) = operation { state.links[link.id] = link }
                    outputs += try state.gateway.handle(input, transaction, random: &random, now: self.now())
                }
            }
        } catch {
            self.logger.error("the push store failed", metadata: ["error": "\(error)"])
            outputs = state.gateway.storeFailed() + Self.failures(of: batch)
        }
        for output in outputs { self.perform(output, batch, state.links) }
        for case .link(.linkClosed, let link) in batch { state.links[link.id] = nil }
    }

    private static func input(_ operation: Operation, ticket: UInt64) -> Gateway.Input {
        switch operation {
        case .push(let push, _): .pushReceived(push, ticket: ticket)
        case .link(let input, _): input
        case .sweep: .sweepDue
        }
    }

    /// What those hear whose operations did not happen.
    private static func failures(of batch: [Operation]) -> [Gateway.Output] {
        batch.enumerated().compactMap { index, operation in
            switch operation {
            case .push: .reply(ticket: UInt64(index), Rejection(.internalServerError))
            case .link(.linkClosed, _), .sweep: nil
            case .link(_, let link): .close(link.id, reason: Gateway.storeFailure)
            }
        }
    }

    private func perform(_ output: Gateway.Output, _ batch: [Operation], _ links: [LinkID: DeviceLink]) {
        switch output {
        case .reply(let ticket, let rejection):
            guard case .push(_, let reply) = batch[Int(ticket)] else { return }
            reply(rejection.map { .failure($0) } ?? .success(()))
        case .deliver(let push, let link): links[link]?.send(.push(push))
        case .registered(let record, let link):
            links[link]?.send(.registered(topic: record.topic, token: record.token))
        case .unregistered(let topic, let link): links[link]?.send(.unregistered(topic: topic))
        case .close(let link, let reason): links[link]?.close(reason)
        case .note(let note): self.logger.debug("push", metadata: ["note": "\(note.rawValue)"])
        }
    }
}
