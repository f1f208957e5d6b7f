internal import Foundation
internal import Synchronization

/// A monitor's records in this process.
final class MonitorReplica: Sendable {
    private let records = Mutex<[String: CLMonitor.Record]>([:])

    /// The events that were not taken yet: at most one event a condition, so no more than the app has conditions.
    let mailbox = Mailbox<CLMonitor.Event>(lastingMax: .max)

    var identifiers: [String] { self.records.withLock { $0.keys.sorted() } }

    func add(_ condition: any CLCondition, _ identifier: String, _ state: CLMonitor.Event.State) {
        let now = Date()
        self.records.withLock { records in
            records[identifier] = CLMonitor.Record(
                condition: condition,
                lastEvent: CLMonitor.Event(identifier: identifier, refinement: nil, state: state, date: now, bits: 0)
            )
            // Under the lock: of two conditions of one identifier the event is the later one's.
            self.mailbox.removeAll { $0.identifier == identifier }
            self.mailbox.put(.unsupported(identifier, now), isReplaceable: false)
        }
    }

    func remove(_ identifier: String) {
        self.records.withLock { records in
            records[identifier] = nil
            self.mailbox.removeAll { $0.identifier == identifier }
        }
    }

    func record(_ identifier: String) -> CLMonitor.Record? { self.records.withLock { $0[identifier] } }
}
