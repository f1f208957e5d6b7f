public import WhereaboutsVocabulary

/// The crossings of a condition that an app wants.
public struct Notices: OptionSet, Sendable, Hashable {
    /// One bit for each crossing.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The condition is satisfied, and was not before.
    public static let entry = Self(rawValue: WireBits.Notice.entry)
    /// The condition was satisfied, and is not any more.
    public static let exit = Self(rawValue: WireBits.Notice.exit)
    /// The state is known for the first time.
    public static let first = Self(rawValue: WireBits.Notice.first)
    /// The display is lit while the condition is satisfied (`CLBeaconRegion.notifyEntryStateOnDisplay`).
    public static let display = Self(rawValue: WireBits.Notice.display)
    /// All crossings: a condition of `CLMonitor`.
    public static let all: Notices = [.entry, .exit, .first]
    /// The notices that this version knows.
    public static let known = Notices.all.union(.display)

    /// The event of a change of state; nil when the state became unknown, which is no crossing.
    init(of state: ConditionState, after before: ConditionState) {
        self =
            switch (before, state) {
            case (.unknown, .satisfied), (.unknown, .unsatisfied): .first
            case (.unsatisfied, .satisfied): .entry
            case (.satisfied, .unsatisfied): .exit
            case (_, .unknown), (.satisfied, .satisfied), (.unsatisfied, .unsatisfied): []
            }
    }
}

/// A change that a client makes to the conditions of one of its monitors.
public struct MonitorChange: Sendable, Hashable {
    /// The kinds of change.
    public enum Kind: Sendable, Hashable {
        /// Watch a condition, replacing one with the same identifier.
        case add(identifier: String, Condition, assuming: ConditionState, Notices)
        /// Stop watching a condition, and delete its record.
        case remove(identifier: String)
        /// The event of this number was handled.
        case handled(UInt64)
    }

    /// The client's number for the monitor (``Declaration/Monitor/id``).
    public var monitor: UInt64
    /// The client's number for the change, which grows with every change.
    public var number: UInt64
    /// The kind.
    public var kind: Kind

    /// Creates a change.
    public init(monitor: UInt64, number: UInt64, kind: Kind) {
        self.monitor = monitor
        self.number = number
        self.kind = kind
    }
}

/// News of a monitor for a client that opened it.
public enum MonitorNews: Sendable, Hashable {
    case opened([ConditionReport])
    /// A change is on disk, or was refused because there is no room.
    case taken(change: UInt64, isRefused: Bool)
    /// Something happened to a condition.
    case event(ConditionEvent)
}

/// The record of a condition, for the app.
public struct ConditionReport: Sendable, Hashable {
    /// The app's name for the condition.
    public var identifier: String
    /// The condition.
    public var condition: Condition
    /// The state by the last handled event, or the state that the condition was added with.
    public var state: ConditionState
    /// The date of the state.
    public var time: WallTime
    /// The beacon that satisfied a condition on several beacons; nil if there is none.
    public var refinement: Beacon?
    /// The crossings that the app wants.
    public var notices: Notices
}

/// Something that happened to a condition, or the reasons why nothing can.
public struct ConditionEvent: Sendable, Hashable {
    /// The app's name for the condition.
    public var identifier: String
    /// The new state; with reasons: the state of the last handled event.
    public var state: ConditionState
    /// The date of the state.
    public var time: WallTime
    /// The beacon that satisfied a condition on several beacons; nil if there is none.
    public var refinement: Beacon?
    /// The reasons why there are no events; empty: a crossing, or the first known state.
    public var diagnostics: MonitorDiagnostics = []
    /// The number to confirm after handling; nil: nothing needs handling.
    ///
    /// For a region that was added, the first event without reasons confirms that the device monitors it.
    public var number: UInt64?
}
