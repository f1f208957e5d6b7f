internal import APNS
public import Vocabulary

/// Decides what a gateway does with what providers send and devices say: the root of its decisions.
///
/// It reads and writes the store within a transaction of the host; what others see, its outputs, goes out once that is
/// committed. When a transaction fails, ``storeFailed()`` forgets what was in memory, since it may be ahead of the disk.
public struct Gateway: Sendable {
    /// What devices ask for on their link.
    public enum DeviceRequest: Sendable, Hashable {
        /// A token for a topic.
        case register(topic: String)
        /// The end of the token of a topic.
        case unregister(topic: String)
        /// The topics whose pushes may come now, replacing those of before.
        case enableTopics([String])
        /// The device has the push of this id safe.
        case acknowledge(id: [UInt8])
    }

    /// A fact from outside.
    public enum Input: Sendable, Hashable {
        /// A provider sent a push; `ticket` names its request.
        case pushReceived(ValidPush, ticket: UInt64)
        /// A device proved its key on a new connection.
        case linkOpened(LinkID, DeviceKey)
        /// A connection ended.
        case linkClosed(LinkID, DeviceKey)
        /// A device asked for something.
        case requested(DeviceRequest, LinkID, DeviceKey)
        /// It is time to look for pushes that expired.
        case sweepDue
    }

    /// What others see, to be carried out in this order after the commit.
    public enum Output: Sendable, Hashable {
        /// Answer the provider's request: the push is on disk, or not taken.
        case reply(ticket: UInt64, Rejection?)
        /// Send a push on a link.
        case deliver(StoredPush, LinkID)
        /// Tell the device its token.
        case registered(TokenRecord, LinkID)
        /// Tell the device that its token is given up.
        case unregistered(topic: String, LinkID)
        /// End a link with a reason.
        case close(LinkID, reason: String)
        /// Count this decision.
        case note(DeviceQueue.Note)
    }

    private struct Device: Sendable {
        var queue: DeviceQueue
        let link: LinkID
    }

    /// The devices that are connected.
    private var devices: [DeviceKey: Device] = [:]

    /// Creates the gateway's decisions; no device is connected.
    public init() {}

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - store: a transaction; what is written to it must be committed before any output is carried out.
    ///   - random: where tokens and ids come from.
    ///   - now: the time.
    /// - Returns: what others are to see.
    /// - Throws: what the store throws; the host abandons the transaction and calls ``storeFailed()``.
    public mutating func handle(
        _ input: Input,
        _ store: any PushStoreTransaction,
        random: inout some RandomNumberGenerator,
        now: WallTime
    ) throws -> [Output] {
        switch input {
        case .pushReceived(let push, let ticket):
            let record = try store.record(of: push.token)
            let key: DeviceKey
            do throws(Rejection) {
                key = try push.admitted(by: record)
            } catch {
                return [.reply(ticket: ticket, error)]
            }
            let stored = push.stored(id: PushID(using: &random))
            return [.reply(ticket: ticket, nil)] + (try self.feed(.pushAdmitted(stored), to: key, store, now: now))
        case .linkOpened(let link, let key):
            let old = self.devices[key]?.link
            self.devices[key] = Device(queue: DeviceQueue(stored: try store.pushes(of: key)), link: link)
            let closing = old.map { Output.close($0, reason: "a newer connection of this device") }
            return [closing].compactMap(\.self) + (try self.feed(.linkOpened, to: key, store, now: now))
        case .linkClosed(let link, let key):
            // The link of a device that has come back already is another one.
            if self.devices[key]?.link == link { self.devices[key] = nil }
            return []
        case .requested(let request, let link, let key):
            guard self.devices[key]?.link == link else { return [] }
            return try self.requested(request, link, key, store, random: &random, now: now)
        case .sweepDue:
            try store.removeExpired(now: now)
            return []
        }
    }

    /// Records that a transaction failed: none of it happened.
    ///
    /// - Returns: what others are to see: every device is to come anew.
    public mutating func storeFailed() -> [Output] {
        defer { self.devices = [:] }
        return self.devices.values.map(\.link).sorted { $0.rawValue < $1.rawValue }
            .map { .close($0, reason: Self.storeFailure) }
    }

    /// Why links are closed when the store failed.
    public static let storeFailure = "the gateway's store failed"

    private mutating func requested(
        _ request: DeviceRequest,
        _ link: LinkID,
        _ key: DeviceKey,
        _ store: any PushStoreTransaction,
        random: inout some RandomNumberGenerator,
        now: WallTime
    ) throws -> [Output] {
        switch request {
        case .register(let topic):
            switch Registration.decide(topic: topic, records: try store.registeredTokens(of: key)) {
            case .confirm(let record): return [.registered(record, link)]
            case .issue:
                let record = TokenRecord(token: DeviceToken(using: &random), device: key, topic: topic)
                try store.insert(record)
                return [.registered(record, link)]
            case .refuse(let reason): return [.close(link, reason: reason)]
            }
        case .unregister(let topic):
            try store.unregister(topic: topic, of: key, at: now)
            return try self.feed(.topicUnregistered(topic), to: key, store, now: now)
                + [.unregistered(topic: topic, link)]
        case .enableTopics(let topics):
            guard let list = TopicList(topics) else {
                let most = Registration.topicsMax
                return [.close(link, reason: "a device enables at most \(most) topics of 1 to 255 bytes")]
            }
            return try self.feed(.topicsEnabled(list), to: key, store, now: now)
        case .acknowledge(let bytes):
            guard let id = PushID(bytes: bytes) else { return [.close(link, reason: "a push id has 16 bytes")] }
            return try self.feed(.pushAcknowledged(id), to: key, store, now: now)
        }
    }

    private mutating func feed(
        _ input: DeviceQueue.Input,
        to key: DeviceKey,
        _ store: any PushStoreTransaction,
        now: WallTime
    ) throws -> [Output] {
        let link = self.devices[key]?.link
        var queue = try self.devices[key]?.queue ?? DeviceQueue(stored: store.pushes(of: key))
        var outputs: [Output] = []
        for effect in queue.handle(input, now: now) {
            switch effect {
            case .store(let push): try store.put(push, for: key)
            case .remove(let id): try store.removePush(id, of: key)
            case .deliver(let push): if let link { outputs.append(.deliver(push, link)) }
            case .note(let note): outputs.append(.note(note))
            }
        }
        self.devices[key]?.queue = queue
        return outputs
    }
}
