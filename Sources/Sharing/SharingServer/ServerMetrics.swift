internal import CoreMetrics
internal import Synchronization

/// The metrics of the server: everything it accepts, and every refusal with its reason.
final class ServerMetrics: Sendable {
    /// Something that is accepted or refused.
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
        /// A request for the contents of a link.
        case linkRead = "link-read"
        case stream
        case update
        case end
        case following
        case occurrences
        case push
        /// A request that needs no push, because another push in progress serves it.
        case sharedPush = "shared-push"
        case enrolment
        case departure
        case incident
        case incidentEnd = "incident-end"
        case incidentStream = "incident-stream"
        /// A position that a dispatcher sealed to a volunteer's phone.
        case alert
        /// A volunteer's answer to an alert.
        case response
    }

    /// The reason for a refusal.
    enum Reason: Sendable, Hashable {
        /// The address has reached its limit.
        case address
        /// The server has the maximum number of connections or streams.
        case places
        /// The connection or stream was closed to make room for another one.
        case displaced
        case slow
        /// The body has more bytes than the limit.
        case size
        /// The body is not a message of the protocol.
        case malformed
        /// The signature is invalid, or nothing can be sealed to a key in the message.
        case signature
        /// The message names an object that does not exist here, or belongs to another person.
        case unknown
        /// The sharer has the maximum number.
        case count
        /// Another request of its requester has the same ID.
        case conflict
        /// A grant ends too far ahead.
        case end
        /// The person removed the device.
        case removed
        /// The message exceeds a rate limit, or a limit on unfinished requests.
        case tooSoon
        /// The store has no room for this kind of message.
        case room
        case store
        /// The push service refused.
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

    // The number of keys is limited by the cases above and those of `Refusal`.
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

    /// Counts an accepted subject.
    func took(_ subject: Subject) { self.count(Key(subject: subject, reason: nil)) }

    /// Counts a refused subject.
    func refused(_ subject: Subject, _ reason: Reason) { self.count(Key(subject: subject, reason: reason)) }

    /// Sets how many connections are open.
    func connections(_ count: Int) { self.connections.record(count) }

    /// Sets how many event streams are open.
    func streams(_ count: Int) { self.streams.record(count) }

    /// Sets how full the store is, from 0 to 1.
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
