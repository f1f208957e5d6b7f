internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The visits of the process's managers, which share one stream whose elements all delegates receive.
extension LocationClient {
    /// An event of visits, for the delegates.
    enum VisitNews: Sendable {
        /// The device arrived at a place, or departed from it.
        case visit(CLVisit.Fields)
        /// Visits are unavailable, perhaps temporarily.
        case failed(CLError)
    }

    typealias VisitObserver = @Sendable (VisitNews) -> Void

    /// The visits of the process.
    struct Visits {
        /// The stream of visits; nil: visits are not delivered.
        var stream: UInt64?
        /// Whether this process itself started or stopped visits; otherwise it continues those of an earlier process.
        var isDecided = false
        var observers: [VisitObserver] = []
    }

    /// Starts to deliver visits to a manager.
    func observeVisits(_ observer: @escaping VisitObserver) {
        self.state.withLock { $0.visits.observers.append(observer) }
        self.attendVisits()
    }

    /// Continues the visits of an earlier process, once there is a delegate.
    func attendVisits() {
        let isNeeded = self.state.withLock { state in
            state.mirror.monitorsVisits && !state.visits.isDecided && !state.visits.observers.isEmpty
        }
        if isNeeded { self.startVisits() }
    }

    func startVisits() {
        self.declare { state in
            state.visits.isDecided = true
            guard state.visits.stream == nil else { return }
            let id = state.takeID()
            state.streams[id] = Stream(service: .visits(.init())) { [weak self] in self?.receivedVisit($0, of: id) }
            state.visits.stream = id
        }
    }

    func stopVisits() {
        // Open the stream that an earlier process had, because closing it is what stops visits.
        let isForeign = self.state.withLock { $0.visits.stream == nil && $0.mirror.monitorsVisits }
        if isForeign { self.startVisits() }
        self.declare { state in
            state.visits.isDecided = true
            if let stream = state.visits.stream { state.streams[stream] = nil }
            state.visits.stream = nil
        }
    }

    private func receivedVisit(_ update: WireUpdate?, of stream: UInt64) {
        let news: VisitNews
        if case .visit(let visit)? = update?.element {
            news = .visit(CLVisit.Fields(visit))
        } else if let error = (update.map { CLLocationUpdate($0) } ?? .withoutDaemon).failure {
            news = .failed(error)
        } else {
            return
        }
        let observers = self.state.withLock { $0.visits.stream == stream ? $0.visits.observers : [] }
        for observer in observers { observer(news) }
    }
}
