/// Everything that a client holds at this moment, which replaces its earlier declaration.
///
/// Numbers are unique among all that one client ever holds.
public struct Declaration: Sendable, Hashable {
    /// A service session of a client.
    public struct Session: Sendable, Hashable {
        /// The authorization that a session requires.
        public enum Requirement: Int, Sendable, Hashable, Comparable {
            /// No authorization; the session only satisfies the rule that a session must be held.
            case none = 0
            /// Authorization while the app is in use.
            case whenInUse = 1
            /// Authorization at any time.
            case always = 2

            /// Returns whether the left requirement is weaker.
            public static func < (lhs: Requirement, rhs: Requirement) -> Bool { lhs.rawValue < rhs.rawValue }
        }

        /// The client's number for the session.
        public var id: UInt64
        /// The required authorization.
        public var requirement: Requirement
        /// The key of the text that explains the need for full accuracy; nil when it is not requested.
        public var fullAccuracyPurpose: String?

        /// Creates a session.
        public init(id: UInt64, requirement: Requirement, fullAccuracyPurpose: String? = nil) {
            self.id = id
            self.requirement = requirement
            self.fullAccuracyPurpose = fullAccuracyPurpose
        }
    }

    /// A sequence of positions a client reads.
    public struct Stream: Sendable, Hashable {
        /// The client's number for the stream.
        public var id: UInt64
        /// The service that is read.
        public var service: Service

        /// Creates a stream.
        public init(id: UInt64, service: Service = .live(.default)) {
            self.id = id
            self.service = service
        }
    }

    /// An activity, which keeps an app in use while it is not visible.
    public struct Activity: Sendable, Hashable {
        /// The kinds of activity, by the indicator that a person sees.
        public enum Kind: Sendable, Hashable {
            /// The indicator that the location is used (`CLBackgroundActivitySession`).
            case backgroundSession
            /// A live activity with the app's title (ADR 0009).
            case liveActivity(title: String)
        }

        /// The client's number for the activity.
        public var id: UInt64
        /// The kind.
        public var kind: Kind

        /// Creates an activity.
        public init(id: UInt64, kind: Kind) {
            self.id = id
            self.kind = kind
        }
    }

    /// A monitor a client opened.
    public struct Monitor: Sendable, Hashable {
        /// The client's number for the monitor.
        public var id: UInt64
        /// The monitor's name; ``ofRegions`` is the name for the regions of all managers.
        public var name: String
        /// Whether a client reads the monitor's events, or did before.
        public var isRead: Bool

        /// The name of the monitor of regions, which no `CLMonitor` can have.
        public static var ofRegions: String { Monitors.ofRegions }

        /// Creates an open monitor.
        public init(id: UInt64, name: String, isRead: Bool = true) {
            self.id = id
            self.name = name
            self.isRead = isRead
        }
    }

    /// The sessions held.
    public var sessions: [Session]
    /// The streams being read.
    public var streams: [Stream]
    /// The activities in progress.
    public var activities: [Activity]
    /// The monitors that are open.
    public var monitors: [Monitor]

    /// Creates a declaration.
    public init(
        sessions: [Session] = [],
        streams: [Stream] = [],
        activities: [Activity] = [],
        monitors: [Monitor] = []
    ) {
        self.sessions = sessions
        self.streams = streams
        self.activities = activities
        self.monitors = monitors
    }
}
