internal import WhereaboutsVocabulary

/// The engine's state of one connection.
struct Client: Sendable, Hashable {
    /// A sequence of positions the client reads.
    struct Stream: Sendable, Hashable {
        let id: UInt64
        let service: Service
        let traits: ServiceTraits
        let begin: EngineInstant
        var machine: UpdateStream
        /// Why the client receives nothing, and how precisely it is served, according to the last check of the app.
        var reasons: UpdateDiagnostics = []
        var isPrecise = true
        /// Whether the stream receives the newest significant change or visit at once, although the app received it
        /// before.
        let repeatsItself: Bool

        /// Creates a stream that continues `other`, or begins.
        ///
        /// `wasLeft`: the process read the stream before this host started, and received the newest finding then.
        init(_ declared: Declaration.Stream, after other: Stream?, wasLeft: Bool, now: EngineInstant) {
            self.id = declared.id
            self.service = declared.service
            self.traits = declared.service.traits
            self.begin = other?.begin ?? now
            self.machine = other?.machine ?? UpdateStream()
            self.repeatsItself = other?.repeatsItself ?? (self.traits.repeatsItself && !wasLeft)
        }

        /// Whether a still device pauses the stream.
        ///
        /// If a pause would end the stream, a whole period of stillness must pass first. Otherwise an app that starts again on
        /// a still device would be stopped at once.
        func mayPause(_ policy: Policy, now: EngineInstant) -> Bool {
            guard !self.traits.resumes, let configuration = self.traits.pausing else { return true }
            return self.begin.duration(to: now) >= policy.stillness(of: configuration).period
        }

        /// The facts that decide what the stream needs.
        var needs: (traits: ServiceTraits, isOver: Bool) { (self.traits, self.machine.isOver) }
    }

    /// A session or a background activity session of the client.
    struct Session: Sendable, Hashable {
        var id: UInt64
        /// nil: a background activity session.
        var requirement: Declaration.Session.Requirement?
        var fullAccuracyPurpose: String?
        /// The person refused full accuracy while this session asked for it.
        var wasRefusedFullAccuracy = false
        /// The last diagnostics that the session's holder received.
        var told: SessionDiagnostics?
    }

    /// A monitor the client opened.
    struct Monitor: Sendable, Hashable {
        let id: UInt64
        let name: String
        let isRead: Bool
        /// Whether the client has received the monitor's records.
        var isOpen = false
    }

    let id: ClientID
    let principal: Principal
    /// The process is being ended, so declarations from now on do not count.
    var isDying = false
    /// The last state that the client received.
    var told: Engine.ClientState?
    /// The sessions held, as declared, then the background activity sessions.
    var sessions: [Session] = []
    /// The streams, in the order they began.
    var streams: [Stream] = []
    /// The monitors, in the order they were opened.
    var monitors: [Monitor] = []

    init(id: ClientID, principal: Principal) {
        self.id = id
        self.principal = principal
    }

    /// Applies a declaration; sessions and streams that stay are not reported again.
    ///
    /// `left`: the streams that the client's process read before this host started.
    mutating func take(_ declaration: Declaration, left: [Service], now: EngineInstant) {
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
        self.streams = declaration.streams.map { declared in
            Stream(
                declared,
                after: self.streams.first { $0.id == declared.id },
                wasLeft: left.contains { declared.service.continues($0) },
                now: now
            )
        }
        self.monitors = declaration.monitors.map { declared in
            let isOpen = self.monitors.first { $0.id == declared.id && $0.name == declared.name }?.isOpen ?? false
            return Monitor(id: declared.id, name: declared.name, isRead: declared.isRead, isOpen: isOpen)
        }
    }
}
