/// The engine's state of one connection.
struct Client: Sendable, Hashable {
    /// A sequence of positions the client reads.
    struct Stream: Sendable, Hashable {
        let id: UInt64
        let service: Service
        let traits: ServiceTraits
        var machine: UpdateStream
        /// Why it is given nothing, and how precisely it is served, as of the last look at the app.
        var reasons: UpdateDiagnostics = []
        var isPrecise = true

        init(id: UInt64, service: Service, machine: UpdateStream = UpdateStream()) {
            self.id = id
            self.service = service
            self.traits = service.traits
            self.machine = machine
        }

        /// The facts that decide whether it needs anything.
        var needs: (traits: ServiceTraits, isOver: Bool) { (self.traits, self.machine.isOver) }
    }

    /// A session or a background activity session the client holds.
    struct Session: Sendable, Hashable {
        var id: UInt64
        /// nil: a background activity session.
        var requirement: Declaration.Session.Requirement?
        var fullAccuracyPurpose: String?
        /// The person refused full accuracy while this session asked for it.
        var wasRefusedFullAccuracy = false
        /// The diagnostics that its holder was told last.
        var told: SessionDiagnostics?
    }

    let id: ClientID
    let principal: Principal
    /// Its process is being ended; a declaration from now on is not its will.
    var isDying = false
    /// The state that its synchronous members were told last.
    var told: Engine.ClientState?
    /// The sessions held, as declared, then the background activity sessions.
    var sessions: [Session] = []
    /// The streams, in the order they began.
    var streams: [Stream] = []

    init(id: ClientID, principal: Principal) {
        self.id = id
        self.principal = principal
    }

    /// Takes over a declaration; sessions and streams that stay are not told anew.
    mutating func take(_ declaration: Declaration) {
        var sessions = declaration.sessions.map {
            Session(id: $0.id, requirement: $0.requirement, fullAccuracyPurpose: $0.fullAccuracyPurpose)
        }
        for activity in declaration.activities where activity.kind == .backgroundSession {
            sessions.append(Session(id: activity.id))
        }
        for index in sessions.indices {
            guard let before = self.sessions.first(where: { $0.id == sessions[index].id }) else { continue }
            sessions[index].told = before.told
            sessions[index].wasRefusedFullAccuracy = before.wasRefusedFullAccuracy
        }
        self.sessions = sessions
        self.streams = declaration.streams.map { stream in
            let machine = self.streams.first { $0.id == stream.id }?.machine
            return Stream(id: stream.id, service: stream.service, machine: machine ?? UpdateStream())
        }
    }
}
