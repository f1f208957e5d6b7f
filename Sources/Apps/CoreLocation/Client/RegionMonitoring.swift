internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The regions of the process's managers, which share one monitor whose events all delegates receive.
///
/// Its state is guarded by the client's lock, together with the monitors and the mirror.
struct RegionMonitoring {
    /// The name of the monitor of regions, which no ``CLMonitor`` can have.
    private static var monitorOfRegions: String { "_regions" }

    /// An event of a region, for the delegates.
    enum News: Sendable {
        case started
        /// The device does not monitor the region, or cannot at present.
        case failed(CLError.Code)
        /// The device entered or left the region.
        case crossed(CLRegionState)
        /// The state is known, after a request or after the display was lit.
        case determined(CLRegionState)
    }

    /// Receives an event of a region, and calls `told` after the delegate has handled it.
    typealias Observer = @Sendable (RegionFields, News, _ told: @escaping @Sendable () -> Void) -> Void

    /// The regions of the process.
    struct State {
        /// The monitor of the regions; nil: it is not open.
        fileprivate var monitor: UInt64?
        fileprivate var watched: [String: RegionFields] = [:]
        fileprivate var observers: [Observer] = []
        /// The regions that a manager started, and that the device does not monitor yet.
        fileprivate var starting: Set<String> = []
        /// The regions whose state was requested and is not known yet.
        fileprivate var asked: Set<String> = []
        /// The events that the delegates have not received yet.
        fileprivate let inbox = Inbox()
    }

    /// A queue of events, filled while the client's lock is held, and emptied without it.
    fileprivate final class Inbox: Sendable {
        private let items = Mutex<[MonitorItem]>([])

        func put(_ item: MonitorItem) { self.items.withLock { $0.append(item) } }

        func takeAll() -> [MonitorItem] {
            self.items.withLock { items in
                defer { items = [] }
                return items
            }
        }
    }

    let client: LocationClient

    // MARK: Managers

    /// The regions that are watched.
    var monitored: [RegionFields] {
        self.client.transport.used()
        return self.client.state.withLock { state in
            state.regions.monitor == nil
                ? state.mirror.regions.compactMap(RegionFields.init) : Array(state.regions.watched.values)
        }
    }

    /// Starts to deliver region events to a manager.
    func observe(_ observer: @escaping Observer) {
        self.client.state.withLock { $0.regions.observers.append(observer) }
        self.attend()
    }

    /// Opens the monitor of the regions if an earlier process left regions, and a delegate can receive their events.
    func attend() {
        let isNeeded = self.client.state.withLock { state in
            state.regions.monitor == nil && !state.regions.observers.isEmpty && !state.mirror.regions.isEmpty
        }
        if isNeeded { _ = self.open() }
    }

    private func open() -> UInt64 {
        self.client.declare { state in
            if let open = state.regions.monitor { return open }
            let id = state.takeID()
            let inbox = state.regions.inbox
            var monitor = OpenMonitor(Self.monitorOfRegions) {
                inbox.put($0)
            } takeBack: { _ in
            }
            monitor.isRead = true
            state.monitors[id] = monitor
            state.regions.monitor = id
            for region in state.mirror.regions { state.regions.watched[region.identifier] = RegionFields(region) }
            return id
        }
    }

    func start(_ region: RegionFields) {
        let monitor = self.open()
        self.client.state.withLock { state in
            state.regions.watched[region.identifier] = region
            state.regions.starting.insert(region.identifier)
        }
        self.client.addCondition(
            region.condition,
            region.identifier,
            assuming: .unknown,
            notices: region.notices,
            to: monitor
        )
    }

    func stop(_ identifier: String) {
        let monitor = self.open()
        self.client.state.withLock { state in
            state.regions.watched[identifier] = nil
            state.regions.starting.remove(identifier)
            state.regions.asked.remove(identifier)
        }
        self.client.removeCondition(identifier, from: monitor)
    }

    /// Starts regions again that the device had accepted, but did not monitor before the connection ended.
    func restart(of monitor: UInt64) {
        let regions = self.client.state.withLock { state -> [RegionFields] in
            guard state.regions.monitor == monitor else { return [] }
            let added = Set((state.monitors[monitor]?.untaken ?? []).map(\.add.identifier))
            return state.regions.starting.subtracting(added).sorted().compactMap { state.regions.watched[$0] }
        }
        for region in regions { self.start(region) }
    }

    /// Reports the state of a region to the delegates, now or when it is known; false when the region is not monitored.
    func requestState(of identifier: String) -> Bool {
        self.client.transport.used()
        self.attend()
        let known = self.client.state.withLock { state -> CLRegionState? in
            guard let monitor = state.regions.monitor, state.regions.watched[identifier] != nil else { return nil }
            let known = CLRegionState(state.monitors[monitor]?.records[identifier]?.lastEvent.state ?? .unknown)
            if known == .unknown { state.regions.asked.insert(identifier) }
            return known
        }
        guard let known else { return false }
        if known != .unknown { self.tellManagers(identifier, .determined(known)) }
        return true
    }

    // MARK: News

    /// Delivers the events to the delegates.
    func deliver() {
        let inbox = self.client.state.withLock { $0.regions.inbox }
        for item in inbox.takeAll() { self.tell(item) }
    }

    private func tell(_ item: MonitorItem) {
        let (identifier, state) = (item.event.identifier, CLRegionState(item.event.state))
        if item.event.conditionLimitExceeded || item.event.conditionUnsupported {
            self.tellManagers(identifier, .failed(.regionMonitoringFailure))
            self.stop(identifier)
        } else if item.event.authorizationDenied || item.event.authorizationRestricted {
            self.tellManagers(identifier, .failed(.regionMonitoringDenied))
        } else if item.event.persistenceUnavailable {
            self.tellManagers(identifier, .failed(.regionMonitoringSetupDelayed))
        } else if item.event.diagnostics == 0 {
            let (isStarted, wasAsked) = self.client.state.withLock { client in
                // The event that a region is monitored has no state, so it does not answer a request for the state.
                let isAnswer = state != .unknown && client.regions.asked.remove(identifier) != nil
                return (client.regions.starting.remove(identifier) != nil, isAnswer)
            }
            if isStarted { self.tellManagers(identifier, .started) }
            if item.number != nil {
                // An event without a change of state reports that the display was lit.
                let news: News = state == self.handledState(of: identifier) ? .determined(state) : .crossed(state)
                self.tellManagers(identifier, news) { [weak client = self.client] in client?.regions.handled(item) }
            } else if wasAsked {
                self.tellManagers(identifier, .determined(state))
            }
        }
    }

    /// The state of a region according to the last handled event.
    private func handledState(of identifier: String) -> CLRegionState {
        self.client.state.withLock { state in
            let records = state.regions.monitor.flatMap { state.monitors[$0]?.records }
            return CLRegionState(records?[identifier]?.lastEvent.state ?? .unknown)
        }
    }

    private func handled(_ item: MonitorItem) {
        guard let monitor = self.client.state.withLock({ $0.regions.monitor }) else { return }
        self.client.handled(item, of: monitor)
    }

    private func tellManagers(
        _ identifier: String,
        _ news: News,
        _ told: @escaping @Sendable () -> Void = {}
    ) {
        let (region, observers) = self.client.state.withLock { ($0.regions.watched[identifier], $0.regions.observers) }
        guard let region else { return }
        for observer in observers { observer(region, news, told) }
    }
}

extension CLRegionState {
    fileprivate init(_ state: CLMonitor.Event.State) {
        self =
            switch state {
            case .satisfied: .inside
            case .unsatisfied: .outside
            case .unknown, .unmonitored: .unknown
            }
    }
}
