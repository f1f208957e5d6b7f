internal import WhereaboutsVocabulary

/// The conditions of one app, of all its monitors, and which of them are watched.
///
/// At most ``Policy/conditionsMax`` of a type are watched. They stay watched; when one is removed, the condition that
/// has waited longest follows. So no condition ceases to be watched because another one was added.
struct Monitors: Sendable, Hashable {
    /// The name of the monitor of a `CLLocationManager`'s regions, which no `CLMonitor` can have.
    static let ofRegions = "_regions"
    /// The longest name of a monitor, in bytes.
    static let nameBytesMax = 100
    /// The longest name of a condition, in bytes.
    static let identifierBytesMax = 255

    /// The records, in the order they were added.
    private(set) var records: [ConditionRecord] = []
    /// The numbers of removed conditions that were watched.
    private(set) var gone: [UInt64] = []
    /// How many records of a restored state were unusable.
    private(set) var lost = 0
    /// The time by which the app must receive a waiting event.
    var receiveBy: EngineInstant?

    var isEmpty: Bool { self.records.isEmpty && self.gone.isEmpty }

    /// The records of a monitor.
    func records(of monitor: String) -> some Sequence<ConditionRecord> {
        self.records.lazy.filter { $0.monitor == monitor }
    }

    /// Outcomes of adding a condition.
    enum OnAdd: Sendable, Hashable {
        case added
        /// The condition was already there; nothing changes.
        case kept
        /// The app has too many records, or a name is too long.
        case refused
    }

    /// Adds a condition, replacing one with the same identifier.
    mutating func add(
        _ identifier: String,
        to monitor: String,
        _ condition: Condition,
        assuming state: ConditionState,
        _ notices: Notices,
        number: UInt64,
        _ policy: Policy,
        now: WallTime
    ) -> OnAdd {
        let before = self.records.firstIndex { $0.monitor == monitor && $0.identifier == identifier }
        if let before, self.records[before].isSame(as: condition, notices) {
            if self.records[before].standing == .abandoned { self.records[before].standing = .waiting }
            self.records[before].addedAgain()
            self.fill(policy)
            return .kept
        }
        guard monitor.utf8.count <= Self.nameBytesMax, identifier.utf8.count <= Self.identifierBytesMax,
            before != nil || self.records.count < policy.conditionsKeptMax
        else { return .refused }
        var record = ConditionRecord(
            number: number,
            monitor: monitor,
            identifier: identifier,
            condition: condition,
            notices: notices,
            standing: before.map { self.records[$0].standing == .placed } == true ? .placed : .waiting,
            known: ConditionRecord.Finding(state: state, time: now)
        )
        if record.isRegion { record.started() }
        if let before {
            self.left(self.records[before])
            self.records[before] = record
        } else {
            self.records.append(record)
        }
        self.fill(policy)
        return .added
    }

    /// Removes a condition; ignored when there is none.
    mutating func remove(_ identifier: String, from monitor: String, _ policy: Policy) {
        guard let index = self.records.firstIndex(where: { $0.monitor == monitor && $0.identifier == identifier })
        else {
            return
        }
        self.left(self.records.remove(at: index))
        self.fill(policy)
    }

    mutating func removeAll() {
        for record in self.records { self.left(record) }
        self.records = []
    }

    private mutating func left(_ record: ConditionRecord) {
        if record.isWatched { self.gone.append(record.number) }
    }

    /// Removes and returns the numbers of removed conditions that were watched.
    mutating func takeGone() -> [UInt64] {
        defer { self.gone = [] }
        return self.gone
    }

    /// Watches the conditions that have waited longest, while the limit allows it.
    private mutating func fill(_ policy: Policy) {
        for index in self.records.indices {
            let record = self.records[index]
            if record.standing == .placed, !record.condition.isSupported(policy) {
                self.records[index].standing = .waiting
            }
            guard record.standing == .waiting, record.condition.isSupported(policy) else { continue }
            let placed = self.records.count { $0.standing == .placed && $0.condition.isOfType(of: record.condition) }
            if placed < policy.conditionsMax { self.records[index].standing = .placed }
        }
    }

    /// Changes a record in place.
    mutating func change(_ index: Int, _ change: (inout ConditionRecord) -> Void) { change(&self.records[index]) }

    /// Records the device's decision about a condition.
    mutating func decided(_ number: UInt64, _ finding: ConditionRecord.Finding) {
        guard let index = self.records.firstIndex(where: { $0.number == number }) else { return }
        self.records[index].decided(finding)
    }

    /// Records that a client handled an event.
    mutating func handled(_ event: UInt64, by client: ClientID) {
        for index in self.records.indices where self.records[index].handled(event, by: client) { return }
    }

    /// Records that a client is gone, or no longer reads these monitors.
    mutating func vanished(_ client: ClientID, from monitors: [String]) {
        for index in self.records.indices where monitors.contains(self.records[index].monitor) {
            self.records[index].vanished(client)
        }
    }

    /// Stops watching the conditions whose events the app did not receive in time.
    ///
    /// Regions stay watched, and their events count as handled (documented: an app's regions are watched until the app stops it).
    ///
    /// - Parameters:
    ///   - policy: the limits of the device.
    ///   - isMissed: whether no monitor is open to receive an event of the condition.
    /// - Returns: how many conditions were abandoned.
    mutating func abandon(_ policy: Policy, where isMissed: (ConditionRecord) -> Bool) -> Int {
        var count = 0
        for index in self.records.indices where self.records[index].pending != nil && isMissed(self.records[index]) {
            if self.records[index].isRegion {
                self.records[index].passedOver()
            } else {
                self.records[index].abandoned()
                count += 1
            }
        }
        self.receiveBy = nil
        self.fill(policy)
        return count
    }

    /// Restores saved records.
    mutating func restore(_ records: [ConditionRecord], lost: Int, _ policy: Policy) {
        self.records = records
        self.lost = lost
        self.fill(policy)
    }
}
