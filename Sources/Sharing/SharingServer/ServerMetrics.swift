internal import CoreMetrics
internal import Synchronization

/// The counts of the server: all it takes, and every refusal and bound with its reason.
final class ServerMetrics: Sendable {
    /// Something that is taken, or not.
    enum Subject: String, Sendable, Hashable, CaseIterable {
        case connection
        case registration
        case revocation
        case removal
        case devices
        case request
        case progress
        case answer
        case link
        /// A look at a link.
        case linkRead = "link-read"
        case stream
        case update
        case end
        case following
        case turns
        case push
        /// A request that needs no push, since one is under way.
        case sharedPush = "shared-push"
    }

    /// Why it was not.
    enum Reason: Sendable, Hashable {
        /// The address has as much as it may.
        case address
        /// All places are taken, by others who came first.
        case places
        /// It made room for somebody else.
        case displaced
        case slow
        /// It has more bytes than are read.
        case size
        /// It is no statement of the protocol.
        case malformed
        /// It is not signed by whom it names, or nothing can be sealed to its key.
        case signature
        /// It is about nothing that is here, or another's.
        case unknown
        /// The sharer has as many as are kept.
        case count
        /// Another request of its requester has its ID.
        case conflict
        /// A grant ends too far ahead.
        case end
        /// Its person removed the device.
        case removed
        /// Its pace, or a bound on what is unfinished.
        case tooSoon
        /// The store has no room for its kind.
        case room
        case store
        /// The push service said no.
        case service
        /// A rule of the protocol.
        case rule(String)

        var text: String {
            switch self {
            case .rule(let rule): rule
            case .tooSoon: "too-soon"
            case .address, .places, .displaced, .slow, .size, .malformed, .signature, .unknown, .count, .conflict, .end,
                .removed, .room, .store, .service:
                "\(self)"
            }
        }
    }

    private struct Key: Hashable {
        let subject: Subject
        let reason: Reason?
    }

    // Bounded by the cases above and those of `Refusal`.
    private let counters = Mutex<[Key: Counter]>([:])
    private let factory: any MetricsFactory
    private let connections, streams, pages: Gauge

    /// Creates the metrics, with nothing counted.
    init(factory: any MetricsFactory) {
        self.factory = factory
        self.connections = Gauge(label: "whereabouts_server_connections", factory: factory)
        self.streams = Gauge(label: "whereabouts_server_streams", factory: factory)
        self.pages = Gauge(label: "whereabouts_server_store_used_ratio", factory: factory)
    }

    /// Counts something that was taken.
    func took(_ subject: Subject) { self.count(Key(subject: subject, reason: nil)) }

    /// Counts something that was not.
    func refused(_ subject: Subject, _ reason: Reason) { self.count(Key(subject: subject, reason: reason)) }

    /// Says how many connections are open.
    func connections(_ count: Int) { self.connections.record(count) }

    /// Says how many event streams are open.
    func streams(_ count: Int) { self.streams.record(count) }

    /// Says how full the store is, from 0 to 1.
    func storeUsed(_ ratio: Double) { self.pages.record(ratio) }

    private func count(_ key: Key) {
        self.counters.withLock { counters in
            if let counter = counters[key] { return counter.increment() }
            let counter = Counter(
                label: key.reason == nil ? "whereabouts_server_taken_total" : "whereabouts_server_refused_total",
                dimensions: [("what", key.subject.rawValue)] + (key.reason.map { [("why", $0.text)] } ?? []),
                factory: self.factory
            )
            counters[key] = counter
            counter.increment()
        }
    }
}
