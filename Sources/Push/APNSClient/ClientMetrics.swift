internal import CoreMetrics
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

/// The client's counters, for all of its keys.
struct ClientMetrics: Sendable {
    private let accepted: Counter
    private let rejected: [Reason: Counter]
    private let failed: Counter
    private let sentAgain: Counter
    private let connectionFailures: Counter
    private let latency: CoreMetrics.Timer

    init(_ factory: any MetricsFactory) {
        func counter(_ name: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: "apns_client_\(name)_total", dimensions: dimensions, factory: factory)
        }
        self.accepted = counter("pushes_accepted")
        self.rejected = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map { ($0, counter("pushes_rejected", [("reason", $0.rawValue)])) }
        )
        self.failed = counter("pushes_failed")
        self.sentAgain = counter("pushes_sent_again")
        self.connectionFailures = counter("connection_failures")
        self.latency = CoreMetrics.Timer(label: "apns_client_push_duration_seconds", dimensions: [], factory: factory)
    }

    func ended(_ result: PushResult, after duration: Duration) {
        switch result {
        case .accepted: self.accepted.increment()
        case .rejected(let rejected): self.rejected[rejected.reason]?.increment()
        case .failed: self.failed.increment()
        }
        self.latency.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    func noted(_ note: PushPool.Note) {
        switch note {
        case .sentAgain: self.sentAgain.increment()
        case .failed, .silent: self.connectionFailures.increment()
        case .connected, .goAway, .tokenExpired: break
        }
    }
}
