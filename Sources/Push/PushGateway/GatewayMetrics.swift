internal import CoreMetrics
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

/// The gateway's metrics; every refusal and every reached limit has a counter.
///
/// All are created at the start, so that the metrics page shows each of them with 0.
struct GatewayMetrics: Sendable {
    /// A listener's connections.
    struct Connections: Sendable {
        /// The number of open connections.
        let open: Meter
        /// Strangers' connections that were closed for newer ones.
        let replaced: Counter
        /// Connections refused because their address had reached its limit.
        let refusedByAddress: Counter
        /// Connections ended because their team had reached its limit.
        let refusedByKey: Counter
        /// Connections refused because known peers used all connections.
        let refused: Counter
        private let handshakesFailed: [HandshakeFailure: Counter]

        init(listener: String, _ factory: any MetricsFactory) {
            func counter(_ outcome: String) -> Counter {
                Counter(
                    label: "whereabouts_gateway_connections_ended_total",
                    dimensions: [("listener", listener), ("reason", outcome)],
                    factory: factory
                )
            }
            self.open = Meter(
                label: "whereabouts_gateway_connections",
                dimensions: [("listener", listener)],
                factory: factory
            )
            self.replaced = counter("replaced")
            self.refusedByAddress = counter("address_full")
            self.refusedByKey = counter("key_full")
            self.refused = counter("full")
            self.handshakesFailed = Dictionary(
                uniqueKeysWithValues: HandshakeFailure.allCases.map { failure in
                    let dimensions = [("listener", listener), ("reason", failure.rawValue)]
                    let label = "whereabouts_gateway_handshakes_failed_total"
                    return (failure, Counter(label: label, dimensions: dimensions, factory: factory))
                }
            )
        }

        /// Counts a connection whose TLS handshake failed.
        func handshakeFailed(_ failure: HandshakeFailure) {
            self.handshakesFailed[failure]?.increment()
        }
    }

    /// The reasons of a failed TLS handshake.
    enum HandshakeFailure: String, CaseIterable {
        /// No byte arrived in time.
        case silent
        /// The received bytes are not TLS, or the sides share no TLS version.
        case malformed
        /// The handshake did not finish in time.
        case slow
    }

    /// The reasons for which a single request ends without an answer.
    enum StreamReset: String, CaseIterable {
        /// The frames or headers break the rules of HTTP/2.
        case malformed
        /// The headers have too many bytes.
        case headersTooLarge = "headers_too_large"
        /// The provider sent too much of its body after the request was answered.
        case bodyTooLarge = "body_too_large"
        /// The request did not arrive in time.
        case slow
        /// The answer was not read in time; the connection ends.
        case unread
    }

    /// The connections of providers, and of devices.
    let providers, devices: Connections
    /// Pushes that are on disk, or that Apple accepted.
    let pushesAccepted: Counter
    let registrations: Counter
    /// Pushes that wait for the store.
    let inbox: Meter
    /// The bytes of the store with its log, measured every ten minutes.
    let storeBytes: Meter
    /// Inputs that the store rejected.
    let storeFailures: Counter
    /// Transactions that could not be committed.
    let commitFailures: Counter
    /// Pushes that the relay sent, and that have no outcome yet.
    let relayUnderWay: Meter
    /// Messages that were omitted from the log.
    let notesLeftOut: Counter
    private let pushesAcknowledged: Counter
    private let pushLatency: CoreMetrics.Timer
    private let linksEnded: [LinkEnding: Counter]
    private let connectionRulesBroken: [BrokenRule: Counter]
    private let streamResets: [StreamReset: Counter]
    private let pushesRejected: [Reason: Counter]
    private let registrationsPostponed: [TokenDecision.Postponement: Counter]
    private let pushNotes: [DeviceQueue.Note: Counter]
    private let relayEnds: [PushHistory.End: Counter]
    private let relayRefusals: [RelayRefusal: Counter]
    private let relayWaits: Counter

    init(_ factory: any MetricsFactory) {
        func counter(_ name: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: "whereabouts_gateway_\(name)_total", dimensions: dimensions, factory: factory)
        }
        func counters<Key: Hashable & CaseIterable & RawRepresentable<String>>(_ name: String) -> [Key: Counter] {
            Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0, counter(name, [("reason", $0.rawValue)])) })
        }
        self.providers = Connections(listener: "provider", factory)
        self.devices = Connections(listener: "device", factory)
        self.pushesAccepted = counter("pushes_accepted")
        self.registrations = counter("registrations")
        self.inbox = Meter(label: "whereabouts_gateway_inbox_pushes", dimensions: [], factory: factory)
        self.storeBytes = Meter(label: "whereabouts_gateway_store_bytes", dimensions: [], factory: factory)
        self.pushesAcknowledged = counter("pushes_acknowledged")
        self.pushLatency = CoreMetrics.Timer(
            label: "whereabouts_gateway_push_latency_seconds",
            dimensions: [],
            factory: factory
        )
        self.linksEnded = counters("links_ended")
        self.storeFailures = counter("store_failures")
        self.commitFailures = counter("commit_failures")
        self.notesLeftOut = counter("notes_left_out")
        self.connectionRulesBroken = counters("connection_rules_broken")
        self.streamResets = counters("streams_reset")
        self.pushesRejected = counters("pushes_rejected")
        self.registrationsPostponed = counters("registrations_postponed")
        self.pushNotes = counters("push_notes")
        self.relayUnderWay = Meter(label: "whereabouts_gateway_relay_under_way", dimensions: [], factory: factory)
        self.relayEnds = Dictionary(
            uniqueKeysWithValues: [PushHistory.End.relayed, .rejected, .unanswered, .unsent].map {
                ($0, counter("relay_pushes", [("end", $0.rawValue)]))
            }
        )
        self.relayRefusals = counters("relay_refused")
        self.relayWaits = counter("relay_senders_waiting")
    }

    /// Counts the answer to a push.
    func replied(_ rejection: Rejection?) {
        guard let rejection else { return self.pushesAccepted.increment() }
        self.pushesRejected[rejection.reason]?.increment()
    }

    /// Counts a push that a device acknowledged, and the time since it was accepted, if known.
    func acknowledged(after latency: Duration?) {
        self.pushesAcknowledged.increment()
        if let latency { self.pushLatency.recordNanoseconds(Int64(latency / .nanoseconds(1))) }
    }

    /// Counts a request that ends without an answer.
    func streamsReset(_ reason: StreamReset) {
        self.streamResets[reason]?.increment()
    }

    /// Counts a connection of a provider that broke a rule of HTTP/2.
    func connectionBroke(_ rule: BrokenRule) {
        self.connectionRulesBroken[rule]?.increment()
    }

    /// Counts a link that the gateway ended, for a broken rule or another reason.
    func linkEnded(_ ending: LinkEnding) {
        self.linksEnded[ending]?.increment()
    }

    /// Counts a postponed registration.
    func postponed(_ reason: TokenDecision.Postponement) {
        self.registrationsPostponed[reason]?.increment()
    }

    /// Counts a decision of the relay.
    func noted(_ note: RelayNote) {
        switch note {
        case .refused(let refusal): self.relayRefusals[refusal]?.increment()
        case .ended(let end): self.relayEnds[end.historyEnd]?.increment()
        case .senderWaits: self.relayWaits.increment()
        // Do not count this: the outcome is counted, and the operator's log has the reason.
        case .vendorRefused: break
        }
    }

    /// Counts a decision about one push or several.
    func noted(_ note: DeviceQueue.Note, _ count: Int = 1) {
        self.pushNotes[note]?.increment(by: Int64(count))
    }
}
