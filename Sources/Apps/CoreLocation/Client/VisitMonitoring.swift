internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The visits of the process's managers, which share one stream whose elements all delegates receive.
///
/// Its state is guarded by the client's lock, together with the streams and the mirror.
struct VisitMonitoring {
    /// An event of visits, for the delegates.
    enum News: Sendable {
        /// The device arrived at a place, or departed from it.
        case visit(CLVisit.Fields)
        /// Visits are unavailable, perhaps temporarily.
        case failed(CLError)
    }

    typealias Observer = @Sendable (News) -> Void

    /// The visits of the process.
    struct State {
        /// The stream of visits; nil: visits are not delivered.
        fileprivate var stream: UInt64?
        /// Whether this process itself started or stopped visits; otherwise it continues those of an earlier process.
        fileprivate var isDecided = false
        fileprivate var observers: [Observer] = []
    }

    let client: LocationClient

    /// Starts to deliver visits to a manager.
    func observe(_ observer: @escaping Observer) {
        self.client.state.withLock { $0.visits.observers.append(observer) }
        self.attend()
    }

    /// Continues the visits of an earlier process, once there is a delegate.
    func attend() {
        let isNeeded = self.client.state.withLock { state in
            state.mirror.monitorsVisits && !state.visits.isDecided && !state.visits.observers.isEmpty
        }
        if isNeeded { self.start() }
    }

    func start() {
        self.client.declare { state in
            state.visits.isDecided = true
            guard state.visits.stream == nil else { return }
            let id = state.takeID()
            state.streams[id] = .init(service: .visits(.init())) { [weak client = self.client] in
                client?.visits.received($0, of: id)
            }
            state.visits.stream = id
        }
    }

    func stop() {
        // Open the stream that an earlier process had, because closing it is what stops visits.
        let isForeign = self.client.state.withLock { $0.visits.stream == nil && $0.mirror.monitorsVisits }
        if isForeign { self.start() }
        self.client.declare { state in
            state.visits.isDecided = true
            if let stream = state.visits.stream { state.streams[stream] = nil }
            state.visits.stream = nil
        }
    }

    private func received(_ update: WireUpdate?, of stream: UInt64) {
        let news: News
        if case .visit(let visit)? = update?.element {
            news = .visit(CLVisit.Fields(visit))
        } else if let error = (update.map { CLLocationUpdate($0) } ?? .withoutDaemon).failure {
            news = .failed(error)
        } else {
            return
        }
        let observers = self.client.state.withLock { $0.visits.stream == stream ? $0.visits.observers : [] }
        for observer in observers { observer(news) }
    }
}
