/// The engine's durable state, for a restart of the host; versioned, in a format separate from the machines' states.
///
/// Contains the places of apps' conditions, and which ones the device is at; hosts store it sealed. Instants are stored as durations before
/// the moment of saving, so that a restart, and a reboot with its new monotonic clock, both restore them (ADR 0003).
public struct EngineSnapshot: Sendable, Hashable, Codable {
    /// The version that this code writes and reads.
    public static let currentVersion = 4

    /// The version the snapshot was written in.
    public var version: Int = Self.currentVersion
    /// Whether the person has location services on.
    public var servicesOn: Bool
    /// The apps, in the order they were installed.
    public var apps: [AppRecord] = []
    /// The pushes left in the budget.
    public var pushesRemaining: Int
    /// Whether the budget ran empty and did not reopen.
    public var budgetExhausted: Bool
    /// Milliseconds since the last refill.
    public var refillMilliseconds: Int64
    /// The identifiers of the last pushes, oldest first; each is a pair of its high and its low 64 bits.
    public var recentPushes: [[UInt64]] = []

    /// The apps' debts to the budget's reserve.
    public var shares: [ShareRecord] = []
    /// The apps whose token the gateway has not yet confirmed as unregistered.
    public var goneTopics: [String] = []

    /// The position that was reported last as a significant change; absent while no app is notified of any.
    public var change: ChangeRecord?
    /// The last stay; absent while no app is notified of visits.
    public var stay: StayRecord?

    /// The debt of one app to the budget's reserve.
    public struct ShareRecord: Sendable, Hashable, Codable {
        /// The app.
        public var bundle: String
        /// Milliseconds until nothing is owed any more.
        public var owedMilliseconds: Int64
        /// Whether the app's topic is unregistered until enough is repaid.
        public var isClosed: Bool
    }

    /// The durable state of one app.
    public struct AppRecord: Sendable, Hashable, Codable {
        /// The app.
        public var bundle: String
        /// The person's decision.
        public var decision: Decision
        /// How precisely the app may know the location.
        public var accuracy: Accuracy
        /// The requirements of the app's outstanding sessions, in Apple's numbering.
        public var sessions: [Int]
        /// The configurations of the app's live updates, in Apple's numbering.
        public var liveUpdates: [Int]
        /// How many background activity sessions the app has.
        public var backgroundSessions: Int
        /// The titles of the app's live activities.
        public var liveActivities: [String]
        /// Whether the app ever created a session for Always.
        public var hasTakenAlways: Bool
        /// Whether the app lost its session for Always without invalidating it.
        public var hasLostAlways: Bool
        /// Whether the app monitors location pushes.
        public var monitorsPushes: Bool
        /// The conditions, in the order of their addition.
        public var conditions: [ConditionRecord]
        /// The findings that the app wants: 0, significant changes; 1, visits.
        public var travels: [Int]
        /// The last findings that the app received; absent: none.
        public var heard: DeliveredTravelRecord?
    }

    /// The durable state of one condition.
    public struct ConditionRecord: Sendable, Hashable, Codable {
        /// The monitor's name.
        public var monitor: String
        /// The app's name for the condition.
        public var identifier: String
        /// The circle: 1e-7 degree, 1e-7 degree, millimetres; empty: the condition is on beacons.
        public var circle: [Int32]
        /// The beacons; absent: the condition is a circle.
        public var beacon: BeaconRecord?
        /// The crossings that the app wants, as bits.
        public var notices: UInt8
        /// The state by the last event that was handled.
        public var known: Int
        /// The microsecond of the last handled event.
        public var knownTime: Int64
        /// The beacon that satisfied a condition on several beacons at that event.
        public var knownBeacon: BeaconRecord?
        /// The last decided state; absent: none since the condition was added.
        public var found: Int?
        /// The microsecond of that decision.
        public var foundTime: Int64?
        /// The beacon that satisfied a condition on several beacons at that decision.
        public var foundBeacon: BeaconRecord?
        /// Whether the condition is no longer watched, because the app did not receive an event.
        public var isAbandoned: Bool
        /// Whether the condition is among the watched ones.
        public var isPlaced: Bool
    }

    /// A person's decision about one app.
    public enum Decision: String, Sendable, Hashable, Codable {
        case notDetermined
        case denied
        /// Until the app is no longer in use.
        case whenInUseOnce
        /// While in use; Always was not asked for yet.
        case whenInUse
        /// While in use; Always was refused.
        case whenInUseOnly
        /// While in use; Always was requested and is on trial.
        case provisionalAlways
        case always
    }

    /// How precisely an app may know the location.
    public enum Accuracy: String, Sendable, Hashable, Codable {
        /// As precise as the device knows.
        case full
        case reduced
        /// Precise until the app is no longer in use.
        case fullForNow
    }
}
