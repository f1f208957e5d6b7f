internal import WhereaboutsVocabulary

/// The present state of one dispatcher's incidents, for streams that read at their own pace.
///
/// Each change has a number. A stream sends what changed after the number that it sent last, so a slow reader costs no memory.
struct IncidentBoard: Sendable {
    /// The maximum number of events in one message.
    static let messageMax = 64

    private enum Key: Hashable {
        case incident(IncidentID)
        case alert(AlertID)
    }

    private var newest: [Key: (number: UInt64, event: IncidentEvent)] = [:]
    /// The changes in their order; most of the earlier ones were replaced.
    private var changes: [(number: UInt64, key: Key)] = []
    private var last: UInt64 = 0

    mutating func show(_ event: IncidentEvent) {
        let key = Self.key(event)
        self.last += 1
        self.newest[key] = (self.last, event)
        self.changes.append((self.last, key))
        if self.changes.count > 2 * self.newest.count + 64 {
            self.changes.removeAll { self.newest[$0.key]?.number != $0.number }
        }
    }

    mutating func forget(_ incident: IncidentID) { self.newest[.incident(incident)] = nil }

    mutating func forget(_ alert: AlertID) { self.newest[.alert(alert)] = nil }

    /// Returns the events after a number, and the number of the last of them.
    func events(after number: UInt64) -> (events: [IncidentEvent], number: UInt64) {
        var (low, high) = (0, self.changes.count)
        while low < high {
            let middle = (low + high) / 2
            if self.changes[middle].number > number { high = middle } else { low = middle + 1 }
        }
        var found: [IncidentEvent] = []
        var told = number
        for change in self.changes[low...] where found.count < Self.messageMax {
            told = change.number
            guard let entry = self.newest[change.key], entry.number == change.number else { continue }
            found.append(entry.event)
        }
        return (found, told)
    }

    private static func key(_ event: IncidentEvent) -> Key {
        switch event.subject {
        case .incident: .incident(event.incident)
        case .alert(let alert): .alert(alert.id)
        }
    }
}
