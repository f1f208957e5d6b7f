internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// An event for a loop over a monitor's events.
struct MonitorItem: Sendable {
    static let allNotices = UInt32(WireBits.Notice.entry | WireBits.Notice.exit | WireBits.Notice.first)

    var event: CLMonitor.Event
    /// The device's number of the event, and the connection on which it is valid; nil: the device expects no confirmation.
    var number: (event: UInt64, connection: UInt64)?

    /// Whether this is the given event: the same condition, state and date.
    func tells(_ event: CLMonitor.Event) -> Bool {
        self.event.identifier == event.identifier && self.event.state == event.state && self.event.date == event.date
    }
}

/// This process's copy of a monitor's records, which already contains the changes that the device has not confirmed.
struct OpenMonitor {
    /// Receives an event of a condition.
    typealias Receive = @Sendable (MonitorItem) -> Void

    /// A change that the device has not confirmed.
    private struct Change {
        var wire: WireMonitorChange
        /// Whether the change restarts or ends its condition.
        var isRenewal: Bool
    }

    let name: String
    let receive: Receive
    /// Removes the unread events that match.
    let takeBack: @Sendable (_ isOver: (MonitorItem) -> Bool) -> Void
    /// The replica, to share it when the monitor is opened again.
    weak var replica: MonitorReplica?
    /// Whether a loop reads the monitor's events, or did so earlier.
    var isRead = false
    /// Whether the device has sent the monitor's records.
    var isOpen = false
    /// The questions that wait for the records.
    var opening: [UInt64] = []
    private(set) var records: [String: CLMonitor.Record] = [:]
    /// The conditions that only this process has, because the device does not support or accept them.
    private var own: Set<String> = []
    /// The unconfirmed changes, oldest first.
    private var changes: [Change] = []
    /// The newest unhandled event of each condition.
    private var inHand: [String: MonitorItem] = [:]

    init(
        _ name: String,
        receive: @escaping Receive,
        takeBack: @escaping @Sendable (_ isOver: (MonitorItem) -> Bool) -> Void
    ) {
        self.name = name
        self.receive = receive
        self.takeBack = takeBack
    }

    /// The unconfirmed changes in wire form, oldest first.
    var untaken: [WireMonitorChange] { self.changes.map(\.wire) }

    /// The conditions that unconfirmed changes restart or remove.
    private var renewed: Set<String> { Set(self.changes.filter(\.isRenewal).compactMap(\.wire.identifier)) }

    /// Whether an event belongs to the present condition, and has not been handled.
    func isUnhandled(_ item: MonitorItem) -> Bool { self.inHand[item.event.identifier]?.tells(item.event) == true }

    // MARK: The app's changes

    /// Adds a condition, replacing another one.
    ///
    /// - Returns: the change for the device; for a condition that the device does not support, its removal there.
    mutating func add(
        _ condition: any CLCondition,
        _ identifier: String,
        _ state: CLMonitor.Event.State,
        _ notices: UInt32,
        number: UInt64,
        monitor: UInt64
    ) -> WireMonitorChange? {
        let wire = WireAddCondition.OneOf_Condition(condition)
        let before = self.records[identifier].flatMap { WireAddCondition.OneOf_Condition($0.condition) }
        let isRenewal = wire == nil || wire != before
        if isRenewal { self.forget(identifier, condition, state) }
        guard let wire else { return self.keep(identifier, number: number, monitor: monitor) }
        self.own.remove(identifier)
        return self.change(number, monitor, isRenewal: isRenewal) {
            $0.add = .with {
                $0.identifier = identifier
                $0.condition = wire
                $0.assuming = .init(rawValue: Int(state.rawValue)) ?? .unknown
                $0.notices = notices
            }
        }
    }

    private mutating func forget(_ identifier: String, _ condition: any CLCondition, _ state: CLMonitor.Event.State) {
        self.takeBack { $0.event.identifier == identifier }
        self.inHand[identifier] = nil
        self.records[identifier] = CLMonitor.Record(
            condition: condition,
            lastEvent: CLMonitor.Event(
                identifier: identifier,
                refinement: nil,
                state: state == .unmonitored ? .unknown : state,
                date: Date(),
                bits: 0
            )
        )
    }

    /// Stores a condition that the device cannot monitor, and reports that to the app.
    private mutating func keep(_ identifier: String, number: UInt64, monitor: UInt64) -> WireMonitorChange? {
        self.own.insert(identifier)
        self.receive(MonitorItem(event: .unsupported(identifier, Date()), number: nil))
        return self.change(number, monitor) { $0.remove = identifier }
    }

    mutating func remove(_ identifier: String, number: UInt64, monitor: UInt64) -> WireMonitorChange? {
        self.takeBack { $0.event.identifier == identifier }
        self.inHand[identifier] = nil
        self.own.remove(identifier)
        guard self.records.removeValue(forKey: identifier) != nil || !self.isOpen else { return nil }
        return self.change(number, monitor) { $0.remove = identifier }
    }

    /// Records that a loop handled an event.
    mutating func handled(
        _ item: MonitorItem,
        number: UInt64,
        monitor: UInt64,
        connection: UInt64
    ) -> WireMonitorChange? {
        let identifier = item.event.identifier
        // Ignore the event if its condition was replaced meanwhile.
        guard let newest = self.inHand[identifier], newest.tells(item.event), let record = self.records[identifier]
        else { return nil }
        self.inHand[identifier] = nil
        self.records[identifier] = CLMonitor.Record(condition: record.condition, lastEvent: newest.event)
        guard let told = newest.number, told.connection == connection else { return nil }
        return self.change(number, monitor) { $0.handled = told.event }
    }

    private mutating func change(
        _ number: UInt64,
        _ monitor: UInt64,
        isRenewal: Bool = true,
        _ make: (inout WireMonitorChange) -> Void
    ) -> WireMonitorChange {
        let change = WireMonitorChange.with {
            $0.monitor = monitor
            $0.number = number
            make(&$0)
        }
        self.changes.append(Change(wire: change, isRenewal: isRenewal))
        return change
    }

    // MARK: The device's news

    /// Applies the device's records, except where unconfirmed changes replace them.
    mutating func opened(_ records: [WireConditionRecord]) {
        self.isOpen = true
        let changed = self.renewed
        let told = Set(records.map(\.identifier))
        for identifier in self.records.keys
        where !told.contains(identifier) && !self.own.contains(identifier) && !changed.contains(identifier) {
            self.records[identifier] = nil
        }
        for record in records where !changed.contains(record.identifier) {
            guard let condition = record.watched else { continue }
            let known = self.records[record.identifier]
            // Keep the app's own condition, because the wire form is rounded.
            let written = known?.condition
            let isSame = written.flatMap { .init($0) } == WireAddCondition.OneOf_Condition(condition)
            // The app handled a newer event while there was no connection.
            if isSame, let known, known.lastEvent.date > record.date { continue }
            self.records[record.identifier] = CLMonitor.Record(
                condition: isSame ? written ?? condition : condition,
                lastEvent: CLMonitor.Event(
                    identifier: record.identifier,
                    refinement: record.hasRefinement ? CLMonitor.BeaconIdentityCondition(record.refinement) : nil,
                    state: .init(record.state),
                    date: record.date,
                    bits: 0
                )
            )
        }
    }

    /// Records that the device has stored changes, or refused one because of its limit.
    mutating func taken(_ news: WireMonitorTaken) {
        let refused = news.refused ? self.changes.first { $0.wire.number == news.change } : nil
        self.changes.removeAll { $0.wire.number <= news.change }
        if case .add(let add)? = refused?.wire.kind, self.records[add.identifier] != nil {
            self.own.insert(add.identifier)
            self.receive(MonitorItem(event: .beyondLimit(add.identifier, Date()), number: nil))
        }
    }

    /// Records an event of a condition.
    ///
    /// - Returns: the change for the device: a confirmation, if the app handled the event before the connection ended.
    mutating func happened(
        _ news: WireMonitorEvent,
        number: UInt64,
        monitor: UInt64,
        connection: UInt64
    ) -> WireMonitorChange? {
        let event = CLMonitor.Event(news)
        // Ignore an event of a condition that the app has replaced or removed, but the device has not yet.
        guard let record = self.records[event.identifier], !self.renewed.contains(event.identifier) else { return nil }
        guard news.number > 0 else {
            self.takeBack { $0.event.identifier == event.identifier && $0.number == nil }
            if event.diagnostics == 0 {
                self.records[event.identifier] = CLMonitor.Record(condition: record.condition, lastEvent: event)
            }
            self.receive(MonitorItem(event: event, number: nil))
            return nil
        }
        let item = MonitorItem(event: event, number: (news.number, connection))
        if self.inHand[event.identifier]?.tells(event) == true {
            self.inHand[event.identifier] = item
            return nil
        }
        if record.lastEvent.state == event.state, record.lastEvent.date == event.date {
            return self.change(number, monitor) { $0.handled = news.number }
        }
        self.inHand[event.identifier] = item
        self.receive(item)
        return nil
    }

    /// Removes unread events, which the device sends again on the next connection.
    mutating func disconnected() {
        self.isOpen = false
        self.changes.removeAll { if case .handled = $0.wire.kind { true } else { false } }
        var given: [String] = []
        self.takeBack { item in
            if item.number != nil { given.append(item.event.identifier) }
            return item.number != nil
        }
        for identifier in given { self.inHand[identifier] = nil }
    }
}

extension WireMonitorChange {
    /// The identifier of the added or removed condition; nil: the change is a confirmation.
    fileprivate var identifier: String? {
        switch self.kind {
        case .add(let add): add.identifier
        case .remove(let identifier): identifier
        case .handled, nil: nil
        }
    }
}

extension WireConditionRecord {
    fileprivate var date: Date { Date(timeIntervalSince1970: Double(self.time) / 1e6) }
}

extension CLMonitor.Event {
    init(_ news: WireMonitorEvent) {
        self.init(
            identifier: news.identifier,
            refinement: news.hasRefinement ? CLMonitor.BeaconIdentityCondition(news.refinement) : nil,
            state: .init(news.state),
            date: Date(timeIntervalSince1970: Double(news.time) / 1e6),
            bits: news.diagnostics
        )
    }
}

extension CLMonitor.Event.State {
    init(_ state: WireConditionState) {
        self =
            switch state {
            case .unknown, .UNRECOGNIZED: .unknown
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .unmonitored: .unmonitored
            }
    }
}
