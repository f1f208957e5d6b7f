/// A finding about the places that the device is at: it feeds a service in place of a receiver that is kept on (ADR 0051).
enum Travel: Int, Sendable, Hashable, CaseIterable {
    /// It is far from where it was when that was reported last.
    case changes = 0
    /// It stays somewhere, or departed.
    case visits
}

/// A value for each kind of finding.
struct PerTravel<Value> {
    private var changes: Value
    private var visits: Value

    init(_ value: (Travel) -> Value) {
        self.changes = value(.changes)
        self.visits = value(.visits)
    }

    /// The value of a kind.
    subscript(travel: Travel) -> Value {
        @inline(__always) get {
            switch travel {
            case .changes: self.changes
            case .visits: self.visits
            }
        }
        @inline(__always) _modify {
            switch travel {
            case .changes: yield &self.changes
            case .visits: yield &self.visits
            }
        }
    }
}

extension PerTravel: Equatable where Value: Equatable {}
extension PerTravel: Hashable where Value: Hashable {}
extension PerTravel: Sendable where Value: Sendable {}
