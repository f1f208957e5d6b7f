internal import APNS
internal import Dispatch
internal import FoundationEssentials
internal import Logging
internal import PushEngine
internal import PushLinkMessages
internal import SwiftProtobuf
internal import Synchronization

/// Carries the engine's decisions out: the only place where devices, store and links meet.
///
/// Operations of all connections run on one serial queue, in batches: one batch is one transaction, and what others
/// see of it (responses, pushes, tokens) goes out after the commit. So 200 means "on disk", at the price of one fsync
/// for all that arrived during the last one.
///
/// The inbox is bounded. Over the bound a push is answered `ServiceUnavailable`, and a device's link is closed: it
/// comes back and says all again.
final class GatewayHost: Sendable {
    /// What devices ask for on their link.
    enum DeviceRequest: Sendable {
        case register(topic: String)
        case unregister(topic: String)
        case enableTopics([String])
        case acknowledge(id: [UInt8])
    }

    typealias Reply = @Sendable (Result<Void, Rejection>) -> Void

    private enum Operation: Sendable {
        case push(ValidPush, Reply)
        case linkOpened(DeviceLink)
        case linkClosed(DeviceLink)
        case requested(DeviceRequest, DeviceLink)
        case removeExpired
    }

    private struct Inbox {
        var operations: [Operation] = []
        var isDraining = false
        var isClosed = false
    }

    private struct Device {
        var queue: DeviceQueue
        let link: DeviceLink
    }

    /// What a batch does to the world, once it is committed.
    private typealias Outbox = [() -> Void]

    static let inboxMax = 10_000
    /// So that the first of a batch does not wait too long for the last.
    private static let batchMax = 512

    private let store: any PushStore
    private let now: @Sendable () -> WallTime
    private let logger: Logger
    private let queue = DispatchQueue(label: "whereabouts push gateway")
    private let inbox = Mutex(Inbox())
    /// The devices that are connected here; used on the queue alone, the lock proves it to the compiler.
    private let devices = Mutex<[DeviceKey: Device]>([:])

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

    func opened(_ link: DeviceLink) {
        if self.enqueue(.linkOpened(link), limit: Self.inboxMax) != nil { link.close("the gateway is busy") }
    }

    /// Takes the end of a link in, over the bound too: there is at most one for each link.
    func closed(_ link: DeviceLink) {
        _ = self.enqueue(.linkClosed(link), limit: .max)
    }

    func requested(_ request: DeviceRequest, on link: DeviceLink) {
        let refusal = self.enqueue(.requested(request, link), limit: Self.inboxMax)
        if refusal != nil { link.close("the gateway is busy") }
    }

    func removeExpired() {
        _ = self.enqueue(.removeExpired, limit: Self.inboxMax)
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
            self.devices.withLock { self.run(batch, devices: &$0) }
        }
    }

    private func run(_ batch: [Operation], devices: inout [DeviceKey: Device]) {
        var outbox: Outbox = []
        do {
            try self.store.transaction { transaction in
                for operation in batch {
                    try self.apply(operation, transaction, devices: &devices, outbox: &outbox)
                }
            }
            for action in outbox { action() }
        } catch {
            self.logger.error("the push store failed", metadata: ["error": "\(error)"])
            // What is in memory may be ahead of the disk now: forget it, and let the devices come anew.
            for device in devices.values { device.link.close("the gateway's store failed") }
            devices.removeAll()
            for operation in batch {
                switch operation {
                case .push(_, let reply): reply(.failure(Rejection(.internalServerError)))
                case .linkOpened(let link), .requested(_, let link): link.close("the gateway's store failed")
                case .linkClosed, .removeExpired: break
                }
            }
        }
    }

    private func apply(
        _ operation: Operation,
        _ transaction: any PushStoreTransaction,
        devices: inout [DeviceKey: Device],
        outbox: inout Outbox
    ) throws {
        switch operation {
        case .push(let push, let reply):
            let record = try transaction.record(of: push.token)
            switch Result(catching: { () throws(Rejection) in try push.admitted(by: record) }) {
            case .failure(let rejection): outbox.append { reply(.failure(rejection)) }
            case .success(let key):
                outbox.append { reply(.success(())) }
                var random = SystemRandomNumberGenerator()
                let stored = push.stored(id: PushID(using: &random))
                try self.feed(.pushAdmitted(stored), to: key, transaction, devices: &devices, outbox: &outbox)
            }
        case .linkOpened(let link):
            if let old = devices[link.device]?.link { outbox.append { old.close("a newer connection of this device") } }
            let queue = DeviceQueue(stored: try transaction.pushes(of: link.device))
            devices[link.device] = Device(queue: queue, link: link)
            try self.feed(.linkOpened, to: link.device, transaction, devices: &devices, outbox: &outbox)
        case .linkClosed(let link):
            // The link of a device that has come back already is another one.
            if devices[link.device]?.link.id == link.id { devices[link.device] = nil }
        case .requested(let request, let link):
            guard devices[link.device]?.link.id == link.id else { return }
            try self.apply(request, on: link, transaction, devices: &devices, outbox: &outbox)
        case .removeExpired:
            try transaction.removeExpired(now: self.now())
        }
    }

    private func apply(
        _ request: DeviceRequest,
        on link: DeviceLink,
        _ transaction: any PushStoreTransaction,
        devices: inout [DeviceKey: Device],
        outbox: inout Outbox
    ) throws {
        switch request {
        case .register(let topic):
            try self.register(topic, on: link, transaction, outbox: &outbox)
        case .unregister(let topic):
            try transaction.unregister(topic: topic, of: link.device, at: self.now())
            try self.feed(.topicUnregistered(topic), to: link.device, transaction, devices: &devices, outbox: &outbox)
            outbox.append { link.send(.unregistered(.with { $0.topic = topic })) }
        case .enableTopics(let topics):
            guard let list = TopicList(topics) else {
                outbox.append {
                    link.close("a device enables at most \(Registration.topicsMax) topics of 1 to 255 bytes")
                }
                return
            }
            try self.feed(.topicsEnabled(list), to: link.device, transaction, devices: &devices, outbox: &outbox)
        case .acknowledge(let bytes):
            guard let id = PushID(bytes: bytes) else {
                outbox.append { link.close("a push id has 16 bytes") }
                return
            }
            try self.feed(.pushAcknowledged(id), to: link.device, transaction, devices: &devices, outbox: &outbox)
        }
    }

    private func register(
        _ topic: String,
        on link: DeviceLink,
        _ transaction: any PushStoreTransaction,
        outbox: inout Outbox
    ) throws {
        let record: TokenRecord
        switch Registration.decide(topic: topic, records: try transaction.registeredTokens(of: link.device)) {
        case .confirm(let existing): record = existing
        case .issue:
            var random = SystemRandomNumberGenerator()
            record = TokenRecord(token: DeviceToken(using: &random), device: link.device, topic: topic)
            try transaction.insert(record)
        case .refuse(let reason):
            outbox.append { link.close(reason) }
            return
        }
        outbox.append {
            link.send(
                .registered(
                    .with {
                        $0.topic = topic
                        $0.token = Data(record.token.bytes)
                    }
                )
            )
        }
    }

    private func feed(
        _ input: DeviceQueue.Input,
        to key: DeviceKey,
        _ transaction: any PushStoreTransaction,
        devices: inout [DeviceKey: Device],
        outbox: inout Outbox
    ) throws {
        var queue = try devices[key]?.queue ?? DeviceQueue(stored: transaction.pushes(of: key))
        for effect in queue.handle(input, now: self.now()) {
            switch effect {
            case .store(let push): try transaction.put(push, for: key)
            case .remove(let id): try transaction.removePush(id, of: key)
            case .deliver(let push):
                if let link = devices[key]?.link { outbox.append { link.send(.push(push.frame)) } }
            case .note(let note): self.logger.debug("push", metadata: ["note": "\(note.rawValue)"])
            }
        }
        devices[key]?.queue = queue
    }
}

extension StoredPush {
    fileprivate var frame: Whereabouts_Pushlink_V1_Push {
        .with {
            $0.pushID = Data(self.id.bytes)
            $0.topic = self.topic
            $0.payload = Data(self.payload)
            $0.priority = UInt32(self.priority.rawValue)
            if case .until(let seconds) = self.expiration { $0.expiration = seconds }
            $0.collapseID = self.collapseID ?? ""
        }
    }
}
