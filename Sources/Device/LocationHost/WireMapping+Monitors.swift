package import WhereaboutsLocationEngine
package import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Maps monitors between the engine and the wire.
extension WireDaemonMessage {
    mutating func take(_ news: MonitorNews, of monitor: UInt64) {
        switch news {
        case .opened(let reports):
            self.monitorOpened.monitor = monitor
            self.monitorOpened.records = reports.map { .init($0) }
        case .taken(let change, let isRefused):
            self.monitorTaken.monitor = monitor
            self.monitorTaken.change = change
            self.monitorTaken.refused = isRefused
        case .event(let event):
            self.monitorEvent = .init(event)
            self.monitorEvent.monitor = monitor
        }
    }
}

extension WireConditionRecord {
    package init(_ report: ConditionReport) {
        self.init()
        self.identifier = report.identifier
        self.condition = .init(report.condition)
        self.state = .init(report.state)
        self.time = report.time.microseconds
        self.notices = UInt32(report.notices.rawValue)
        if let beacon = report.refinement { self.refinement = .init(beacon) }
    }

    package init(_ region: Engine.ClientState.Region) {
        self.init()
        self.identifier = region.identifier
        self.condition = .init(region.condition)
        self.notices = UInt32(region.notices.rawValue)
    }
}

extension WireMonitorEvent {
    package init(_ event: ConditionEvent) {
        self.init()
        self.identifier = event.identifier
        self.state = event.diagnostics.areOfUnmonitored ? .unmonitored : .init(event.state)
        self.time = event.time.microseconds
        self.diagnostics = UInt32(event.diagnostics.rawValue)
        self.number = event.number ?? 0
        if let beacon = event.refinement { self.refinement = .init(beacon) }
    }
}

extension WireConditionRecord.OneOf_Condition {
    fileprivate init(_ condition: Condition) {
        self =
            switch condition {
            case .circle(let circle): .circle(.init(circle))
            case .beacon(let identity): .beacon(.init(identity))
            }
    }
}

extension WireCircularCondition {
    package init(_ circle: Condition.Circle) {
        self.init()
        self.latitude = circle.latitude
        self.longitude = circle.longitude
        self.radius = circle.radius
    }
}

extension WireConditionState {
    package init(_ state: ConditionState) {
        self =
            switch state {
            case .unknown: .unknown
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            }
    }

    /// The engine's value; "unmonitored" becomes unknown.
    package var state: ConditionState {
        switch self {
        case .satisfied: .satisfied
        case .unsatisfied: .unsatisfied
        case .unknown, .unmonitored, .UNRECOGNIZED: .unknown
        }
    }
}

extension MonitorChange {
    /// Reads a client's change; nil for a kind of a later version.
    package init?(_ change: WireMonitorChange) {
        let kind: Kind
        switch change.kind {
        case .add(let add):
            guard let condition = add.condition else { return nil }
            kind = .add(
                identifier: add.identifier,
                Condition(condition),
                assuming: add.assuming.state,
                Notices(rawValue: UInt8(truncatingIfNeeded: add.notices)).intersection(.known)
            )
        case .remove(let identifier): kind = .remove(identifier: identifier)
        case .handled(let event): kind = .handled(event)
        case nil: return nil
        }
        self.init(monitor: change.monitor, number: change.number, kind: kind)
    }
}

extension Condition {
    fileprivate init(_ condition: WireAddCondition.OneOf_Condition) {
        self =
            switch condition {
            case .circle(let circle):
                .circle(.init(latitude: circle.latitude, longitude: circle.longitude, radius: circle.radius))
            case .beacon(let identity): .beacon(BeaconIdentity(identity))
            }
    }
}

extension MonitorDiagnostics {
    /// The reasons, by the names of `CLMonitor.Event`'s properties if such a property exists.
    package var words: [String] {
        let names: [(MonitorDiagnostics, String)] = [
            (MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationDenied.rawValue), "authorizationDenied"),
            (
                MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationDeniedGlobally.rawValue),
                "authorizationDeniedGlobally"
            ),
            (
                MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationRestricted.rawValue),
                "authorizationRestricted"
            ),
            (
                MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationRequestInProgress.rawValue),
                "authorizationRequestInProgress"
            ),
            (MonitorDiagnostics(rawValue: UpdateDiagnostics.insufficientlyInUse.rawValue), "insufficientlyInUse"),
            (MonitorDiagnostics(rawValue: UpdateDiagnostics.serviceSessionRequired.rawValue), "serviceSessionRequired"),
            (.accuracyLimited, "accuracyLimited"), (.conditionUnsupported, "conditionUnsupported"),
            (.conditionLimitExceeded, "conditionLimitExceeded"), (.persistenceUnavailable, "persistenceUnavailable"),
            (.abandoned, "not received in time"),
        ]
        return names.filter { self.contains($0.0) }.map(\.1)
    }
}
