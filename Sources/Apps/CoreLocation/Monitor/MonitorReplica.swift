internal import Foundation
internal import Synchronization

/// A monitor that is open in this process; it is closed when its last user releases it.
final class MonitorReplica: Sendable {
    let client: LocationClient
    let id: UInt64
    /// The unread events: at most one event and one reason for each condition.
    let mailbox: Mailbox<MonitorItem>

    init(client: LocationClient, id: UInt64, mailbox: Mailbox<MonitorItem>) {
        self.client = client
        self.id = id
        self.mailbox = mailbox
    }

    deinit {
        self.client.closeMonitor(self.id)
    }

    /// Waits until the device has sent the monitor's records.
    func opened() async {
        self.client.transport.awaits("CLMonitor(_:)", loop: nil)
        _ = await self.client.ask { self.client.awaitOpening(of: self.id, $0) }
    }

    var identifiers: [String] {
        self.client.transport.used()
        return self.client.state.withLock { $0.monitors[self.id]?.records.keys.sorted() ?? [] }
    }

    func record(_ identifier: String) -> CLMonitor.Record? {
        self.client.transport.used()
        return self.client.state.withLock { $0.monitors[self.id]?.records[identifier] }
    }

    func add(_ condition: any CLCondition, _ identifier: String, _ state: CLMonitor.Event.State) {
        self.client.addCondition(condition, identifier, assuming: state, notices: MonitorItem.allNotices, to: self.id)
    }

    func remove(_ identifier: String) { self.client.removeCondition(identifier, from: self.id) }
}

/// Reads a monitor's events for one loop, which handles them one after the other.
final class MonitorReading: Sendable {
    private let replica: MonitorReplica
    /// The event that the loop is handling.
    private let current = Mutex<MonitorItem?>(nil)
    private let hasBegun = Atomic(false)

    init(of replica: MonitorReplica) {
        self.replica = replica
    }

    deinit {
        // The loop ended while it handled this event, so the next loop receives it again.
        if let item = self.take() { self.replica.client.putBack(item, of: self.replica) }
    }

    /// Marks the last event as handled, and waits for the next one.
    func next() async -> CLMonitor.Event? {
        if let item = self.take() { self.replica.client.handled(item, of: self.replica.id) }
        if !self.hasBegun.exchange(true, ordering: .relaxed), !self.replica.client.read(self.replica.id) { return nil }
        self.replica.client.transport.awaits("CLMonitor.events", loop: self.replica.id)
        guard let item = await self.replica.mailbox.next() else { return nil }
        if item.number != nil { self.current.withLock { $0 = item } }
        return item.event
    }

    private func take() -> MonitorItem? {
        self.current.withLock { current in
            defer { current = nil }
            return current
        }
    }
}
