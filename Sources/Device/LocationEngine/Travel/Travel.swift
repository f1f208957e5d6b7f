/// A kind of finding about the device's places; services receive findings while the receiver is off (ADR 0043).
enum Travel: Int, Sendable, Hashable, CaseIterable {
    /// The device is far from its last reported place.
    case changes = 0
    /// The device stays somewhere, or departed.
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
