/// Everything a client holds at this moment, as a whole; replaces what it declared before.
public struct Declaration: Sendable, Hashable {
    /// A service session a client holds.
    public struct Session: Sendable, Hashable {
        /// What a session asks for.
        public enum Requirement: Int, Sendable, Hashable, Comparable {
            /// Nothing; satisfies the rule that a session must be held.
            case none = 0
            /// To be served while the app is in use.
            case whenInUse = 1
            /// To be served at any time.
            case always = 2

            /// Returns whether the left requirement asks for less.
            public static func < (lhs: Requirement, rhs: Requirement) -> Bool { lhs.rawValue < rhs.rawValue }
        }

        /// The client's number for the session; not used again by the same client.
        public var id: UInt64
        /// What it asks for.
        public var requirement: Requirement

        /// Creates a session.
        public init(id: UInt64, requirement: Requirement) {
            self.id = id
            self.requirement = requirement
        }
    }

    /// The sessions held.
    public var sessions: [Session]
    /// The numbers of the live-update sequences being iterated; not used again by the same client.
    public var streams: [UInt64]

    /// Creates a declaration.
    public init(sessions: [Session] = [], streams: [UInt64] = []) {
        self.sessions = sessions
        self.streams = streams
    }
}
