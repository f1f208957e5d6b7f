internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The monitors of the process: the device stores their conditions; this process sends changes and receives events.
extension LocationClient {
    /// Opens the monitor with a name, or shares an open one.
    func openMonitor(_ name: String) -> MonitorReplica {
        let (replica, isShared) = self.declare { state -> (MonitorReplica, Bool) in
            for monitor in state.monitors.values where monitor.name == name {
                if let open = monitor.replica { return (open, true) }
            }
            let id = state.takeID()
            let mailbox = Mailbox<MonitorItem>(lastingMax: .max)
            let replica = MonitorReplica(client: self, id: id, mailbox: mailbox)
            var monitor = OpenMonitor(name) {
                mailbox.put($0, isReplaceable: false)
            } takeBack: {
                mailbox.removeAll(where: $0)
            }
            monitor.replica = replica
            state.monitors[id] = monitor
            return (replica, false)
        }
        if isShared { self.transport.openedAgain(monitor: name) }
        return replica
    }

    func closeMonitor(_ id: UInt64) {
        self.declare { state in _ = state.monitors.removeValue(forKey: id) }
    }

    /// Records that a loop over a monitor's events begins.
    ///
    /// - Returns: whether the loop may begin; with locationd it always may.
    func read(_ id: UInt64) -> Bool {
        self.transport.used()
        let isFirst = self.state.withLock { state in
            guard state.monitors[id]?.isRead == false else { return false }
            state.monitors[id]?.isRead = true
            if state.mirror.isConnected { self.transport.send(state.declaration) }
            return true
        }
        return isFirst || self.transport.mayReadAgain()
    }

    /// Waits until the device has sent a monitor's records, even while locationd restarts, but not if it refused this process.
    ///
    /// - Returns: the number of the waiting question; nil: the wait is over, and `completion` was called.
    func awaitOpening(of monitor: UInt64, _ completion: @escaping @Sendable (Reply) -> Void) -> UInt64? {
        let question = self.state.withLock { state -> UInt64? in
            guard state.refusal == nil, state.monitors[monitor]?.isOpen == false else { return nil }
            let question = state.takeID()
            state.requests[question] = completion
            state.monitors[monitor]?.opening.append(question)
            return question
        }
        if question == nil { completion(.opened) }
        return question
    }

    // MARK: Changes

    func addCondition(
        _ condition: any CLCondition,
        _ identifier: String,
        assuming state: CLMonitor.Event.State,
        notices: UInt32,
        to monitor: UInt64
    ) {
        self.change(monitor) { $0.add(condition, identifier, state, notices, number: $1, monitor: monitor) }
    }

    func removeCondition(_ identifier: String, from monitor: UInt64) {
        self.change(monitor) { $0.remove(identifier, number: $1, monitor: monitor) }
    }

    /// Records that a loop handled an event.
    func handled(_ item: MonitorItem, of monitor: UInt64) {
        let connection = self.state.withLock { $0.connections }
        self.change(monitor) { $0.handled(item, number: $1, monitor: monitor, connection: connection) }
    }

    /// Returns an unhandled event to the queue, unless its condition was replaced meanwhile.
    func putBack(_ item: MonitorItem, of replica: MonitorReplica) {
        self.state.withLock { state in
            guard state.monitors[replica.id]?.isUnhandled(item) == true else { return }
            replica.mailbox.putBack(item)
        }
    }

    /// Changes a monitor; the lock is held while the device is notified, so that changes arrive in their order.
    private func change(_ id: UInt64, _ make: (inout OpenMonitor, _ number: UInt64) -> WireMonitorChange?) {
        self.transport.used()
        self.state.withLock { state in
            let number = state.takeID()
            guard var monitor = state.monitors[id] else { return }
            let change = make(&monitor, number)
            state.monitors[id] = monitor
            guard let change, state.mirror.isConnected else { return }
            self.transport.send(.with { $0.monitorChange = change })
        }
        self.regions.deliver()
    }

    // MARK: News

    func opened(_ news: WireMonitorOpened) {
        let questions = self.state.withLock { state in
            defer { state.monitors[news.monitor]?.opening = [] }
            state.monitors[news.monitor]?.opened(news.records)
            return state.monitors[news.monitor]?.opening ?? []
        }
        for question in questions { self.answer(question, .opened) }
        self.regions.restart(of: news.monitor)
    }

    /// Ends all waits for records after locationd refused this process.
    func stopOpening() {
        let questions = self.state.withLock { state in
            defer { for id in state.monitors.keys { state.monitors[id]?.opening = [] } }
            return state.monitors.values.flatMap(\.opening)
        }
        for question in questions { self.answer(question, .gone) }
    }

    func taken(_ news: WireMonitorTaken) {
        self.state.withLock { $0.monitors[news.monitor]?.taken(news) }
        self.regions.deliver()
    }

    func happened(_ news: WireMonitorEvent) {
        let connection = self.state.withLock { $0.connections }
        self.change(news.monitor) {
            $0.happened(news, number: $1, monitor: news.monitor, connection: connection)
        }
    }
}

extension LocationClient.State {
    /// The changes that the device has not confirmed, in their order.
    var monitorChanges: [WireClientMessage] {
        self.monitors.values.flatMap(\.untaken).sorted { $0.number < $1.number }.map { change in
            .with { $0.monitorChange = change }
        }
    }

    mutating func monitorsDisconnected() {
        for id in self.monitors.keys { self.monitors[id]?.disconnected() }
    }
}
