/// A session, a stream or an activity, which the device remembers beyond the app's process.
public enum Claim: Sendable, Hashable {
    case session(Declaration.Session.Requirement)
    case stream(Service)
    case backgroundSession
    case liveActivity(title: String)

    /// Whether the claim is a live activity.
    var isLiveActivity: Bool { if case .liveActivity = self { true } else { false } }

    /// Whether the claim stays in effect when a new process does not take it again.
    var lastsUntilEnded: Bool {
        switch self {
        case .liveActivity: true
        case .stream(let service): service.traits.lastsUntilStopped
        case .session, .backgroundSession: false
        }
    }

    /// Whether a process with this claim continues `other`, left by an earlier process.
    func continues(_ other: Claim) -> Bool {
        switch (self, other) {
        case (.session(let own), .session(let left)): own == left
        case (.stream(let own), .stream(let left)): own.continues(left)
        case (.backgroundSession, .backgroundSession): true
        case (.liveActivity(let own), .liveActivity(let left)): own == left
        case (.session, _), (.stream, _), (.backgroundSession, _), (.liveActivity, _): false
        }
    }
}

extension Declaration {
    /// All claims, with the client's numbers.
    var claims: [(id: UInt64, claim: Claim)] {
        self.sessions.map { ($0.id, .session($0.requirement)) }
            + self.streams.map { ($0.id, .stream($0.service)) }
            + self.activities.map { activity in
                switch activity.kind {
                case .backgroundSession: (activity.id, .backgroundSession)
                case .liveActivity(let title): (activity.id, .liveActivity(title: title))
                }
            }
    }
}
