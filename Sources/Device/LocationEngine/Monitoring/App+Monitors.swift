internal import WhereaboutsVocabulary

/// The conditions of one app: which ones are watched, and what the app's clients receive.
extension App {
    /// The reasons against the events of an app's conditions and of its regions, which are decided separately.
    struct MonitorReasons: Sendable, Hashable {
        private let conditions: MonitorDiagnostics
        private let regions: MonitorDiagnostics
        private let sensors: PerSensor<Bool>

        fileprivate init(_ sensors: PerSensor<Bool>, _ make: (ServiceTraits) -> MonitorDiagnostics) {
            self.conditions = make(.conditions)
            self.regions = make(.regions)
            self.sensors = sensors
        }

        /// The reasons against the events of a condition that concern the app or the device.
        subscript(record: ConditionRecord) -> MonitorDiagnostics {
            let reasons = record.isRegion ? self.regions : self.conditions
            return self.sensors[record.condition.sensor] ? reasons : reasons.union(.conditionUnsupported)
        }
    }

    /// Why the app receives no events of conditions; empty when it does.
    func monitorReasons(_ terms: Terms) -> MonitorReasons {
        let permission = self.permission(terms)
        return MonitorReasons(terms.sensors) { traits in
            let reasons = self.reasons(traits, .app, permission, terms)
            if !reasons.isEmpty { return MonitorDiagnostics(reasons) }
            if !self.accuracy.isFull { return .accuracyLimited }
            return terms.isStorageAvailable ? [] : .persistenceUnavailable
        }
    }

    /// Whether a condition is watched: its events may be delivered, or could be after provisional Always is confirmed.
    func watches(_ record: ConditionRecord, _ reasons: MonitorReasons, _ terms: Terms) -> Bool {
        guard record.standing == .placed, terms.sensors[record.condition.sensor] else { return false }
        // A disk that fails for a while must not cause a missed crossing.
        if reasons[record].isEmpty || reasons[record] == .persistenceUnavailable { return true }
        return self.isOnTrial(record, terms)
    }

    /// Whether only provisional Always withholds the events of a condition.
    private func isOnTrial(_ record: ConditionRecord, _ terms: Terms) -> Bool {
        guard self.authorization.isProvisional, self.accuracy.isFull, !self.isInUse(terms),
            self.permission(terms).reasons.isEmpty
        else { return false }
        let traits: ServiceTraits = record.isRegion ? .regions : .conditions
        return self.mayServe(traits, .app, ifAlways: true, terms)
    }

    /// Whether an event would be delivered after provisional Always is confirmed.
    func hasEventOnTrial(_ terms: Terms) -> Bool {
        self.monitors.records.contains { $0.pending != nil && self.isOnTrial($0, terms) }
    }

    /// The connection that receives a monitor's events: the first that reads it.
    private func receiver(of monitor: String) -> (client: Int, monitor: Int)? {
        for client in self.clients.indices where self.clients[client].principal.role == .app {
            if let index = self.clients[client].monitors.firstIndex(where: { $0.name == monitor && $0.isRead }) {
                return (client, index)
            }
        }
        return nil
    }

    /// Whether some process reads the monitor of a condition.
    func isReceived(_ record: ConditionRecord) -> Bool { self.receiver(of: record.monitor) != nil }

    /// Whether an event waits that may be reported.
    func hasEvent(_ reasons: MonitorReasons) -> Bool {
        self.monitors.records.contains { $0.pending != nil && reasons[$0].isEmpty }
    }

    /// Whether the device launched the app and no open monitor receives the event of a condition.
    ///
    /// An open monitor keeps its events for the next loop, and so does an app that a person opened (WWDC23, "Meet Core
    /// Location Monitor"). Core Location stops monitoring if no monitor is configured to receive an event (CLMonitor.h).
    func isMissed(_ record: ConditionRecord) -> Bool {
        guard self.lifecycle.reason != .user, !self.lifecycle.isSeen else { return false }
        return !self.appClients.contains { $0.monitors.contains { $0.name == record.monitor } }
    }

    /// Starts the time in which an app must open the monitor of an event after the device launched it.
    mutating func timeReceiving(_ reasons: MonitorReasons, _ window: Duration, now: EngineInstant) {
        let isMissed = self.monitors.records.contains {
            $0.pending != nil && reasons[$0].isEmpty && self.isMissed($0)
        }
        if !isMissed {
            self.monitors.receiveBy = nil
        } else if self.monitors.receiveBy == nil, self.lifecycle.isRunning {
            self.monitors.receiveBy = now.advanced(by: window)
        }
    }

    /// The reasons why a condition has no events: its own, or if it has none, the app's.
    ///
    /// The app's reasons change while a person decides. A condition that is unmonitored for its own reason must not repeat its event then.
    func reasons(against record: ConditionRecord, _ reasons: MonitorReasons, _ policy: Policy) -> MonitorDiagnostics {
        switch record.standing {
        case .placed: reasons[record]
        case .waiting: record.condition.isSupported(policy) ? .conditionLimitExceeded : .conditionUnsupported
        case .abandoned: .abandoned
        }
    }

    // MARK: Events

    /// Resumes the app if it is suspended and reads a monitor that has an event; an app that runs in the background
    /// gets more time for the event.
    ///
    /// - Returns: whether the app was suspended.
    mutating func wakeForEvent(
        _ terms: Terms,
        _ policy: Policy,
        _ effects: inout [Engine.Effect],
        now: EngineInstant
    ) -> Bool {
        guard self.monitors.records.contains(where: { $0.pending != nil && self.isReceived($0) }) else { return false }
        let reasons = self.monitorReasons(terms)
        guard
            self.monitors.records.contains(where: {
                $0.pending != nil && reasons[$0].isEmpty && self.isReceived($0)
            }), self.lifecycle.woken(runtime: policy.backgroundRuntime, now: now)
        else { return false }
        effects += [.process(.thaw(self.bundle)), .note(.appResumed(self.bundle))]
        return true
    }

    /// Sends the app's clients the conditions of their open monitors.
    mutating func tellMonitors(
        _ reasons: MonitorReasons,
        _ policy: Policy,
        nextEvent: inout UInt64,
        _ effects: inout [Engine.Effect]
    ) {
        self.open(&effects)
        // A suspended process receives the rest when it resumes.
        if self.lifecycle.isSuspended { return }
        for index in self.monitors.records.indices {
            let record = self.monitors.records[index]
            guard let receiver = self.receiver(of: record.monitor) else { continue }
            let isEvent = record.pending != nil && reasons[record].isEmpty
            self.tell(index, isEvent: isEvent, receiver, reasons, policy, nextEvent: &nextEvent, &effects)
        }
    }

    /// Sends a client all records of each monitor that it opened.
    private mutating func open(_ effects: inout [Engine.Effect]) {
        for client in self.clients.indices {
            for monitor in self.clients[client].monitors.indices
            where !self.clients[client].monitors[monitor].isOpen {
                self.clients[client].monitors[monitor].isOpen = true
                let opened = self.clients[client].monitors[monitor]
                // An extension has no monitors: events launch the app.
                let isApp = self.clients[client].principal.role == .app
                let reports = isApp ? self.monitors.records(of: opened.name).map(\.report) : []
                effects.append(.tell(self.clients[client].id, .monitor(.opened(reports), monitor: opened.id)))
            }
        }
    }

    private mutating func tell(
        _ index: Int,
        isEvent: Bool,
        _ receiver: (client: Int, monitor: Int),
        _ reasons: MonitorReasons,
        _ policy: Policy,
        nextEvent: inout UInt64,
        _ effects: inout [Engine.Effect]
    ) {
        let client = self.clients[receiver.client].id
        let monitor = self.clients[receiver.client].monitors[receiver.monitor].id
        let record = self.monitors.records[index]
        var event = ConditionEvent(record.identifier, record.known)
        let against = self.reasons(against: record, reasons, policy)
        // A region's state shows that it is monitored, which the client reports to the delegates.
        let isMonitored = record.isWatched && !against.contains(.persistenceUnavailable)
        if !record.isKnownTold, isMonitored || !record.isRegion {
            self.monitors.change(index) { $0.isKnownTold = true }
            effects.append(.tell(client, .monitor(.event(event), monitor: monitor)))
        }
        if against != record.toldReasons {
            self.monitors.change(index) { $0.toldReasons = against }
            event.diagnostics = against
            // The end of the reasons is not an event of the condition.
            if !against.isEmpty { effects.append(.tell(client, .monitor(.event(event), monitor: monitor))) }
        }
        guard isEvent, let pending = record.pending else { return }
        nextEvent += 1
        let number = nextEvent
        self.monitors.change(index) { $0.handed(to: client, as: number) }
        event = ConditionEvent(record.identifier, pending)
        event.number = number
        effects += [.note(.conditionServed(self.bundle)), .tell(client, .monitor(.event(event), monitor: monitor))]
    }
}

extension ConditionEvent {
    fileprivate init(_ identifier: String, _ finding: ConditionRecord.Finding) {
        self.init(
            identifier: identifier,
            state: finding.state,
            time: finding.time,
            refinement: finding.refinement
        )
    }
}

extension ConditionRecord {
    /// The region of a manager, for the app.
    var region: Engine.ClientState.Region {
        Engine.ClientState.Region(identifier: self.identifier, condition: self.condition, notices: self.notices)
    }

    /// The record, for the app.
    fileprivate var report: ConditionReport {
        ConditionReport(
            identifier: self.identifier,
            condition: self.condition,
            state: self.known.state,
            time: self.known.time,
            refinement: self.known.refinement,
            notices: self.notices
        )
    }
}
