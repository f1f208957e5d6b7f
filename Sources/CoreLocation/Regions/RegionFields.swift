internal import LocationWireMessages

/// A circular region as a value, which may go from one thread to another.
struct RegionFields: Sendable, Hashable {
    /// The bits of `LocationEngine.Notices`.
    private static let entry: UInt32 = 1 << 0
    private static let exit: UInt32 = 1 << 1

    let identifier: String
    let condition: CLMonitor.CircularGeographicCondition
    let notices: UInt32

    /// Reads a region; nil: it is no circle.
    init?(_ region: CLRegion) {
        guard let circle = region as? CLCircularRegion else { return nil }
        self.identifier = circle.identifier
        self.condition = CLMonitor.CircularGeographicCondition(center: circle.center, radius: circle.radius)
        self.notices = (circle.notifyOnEntry ? Self.entry : 0) | (circle.notifyOnExit ? Self.exit : 0)
    }

    init(_ record: WireConditionRecord) {
        self.identifier = record.identifier
        self.condition = CLMonitor.CircularGeographicCondition(record.circle)
        self.notices = record.notices
    }

    var notifiesOnEntry: Bool { self.notices & Self.entry != 0 }
    var notifiesOnExit: Bool { self.notices & Self.exit != 0 }

    /// A region like the app's own.
    var region: CLCircularRegion {
        let region = CLCircularRegion(
            center: self.condition.center,
            radius: self.condition.radius,
            identifier: self.identifier
        )
        region.notifyOnEntry = self.notifiesOnEntry
        region.notifyOnExit = self.notifiesOnExit
        return region
    }

    static func == (lhs: RegionFields, rhs: RegionFields) -> Bool { lhs.identifier == rhs.identifier }

    func hash(into hasher: inout Hasher) { hasher.combine(self.identifier) }
}
