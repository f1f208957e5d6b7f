/// The engine's state of one connection.
struct Client: Sendable, Hashable {
    /// A sequence of live updates the client iterates.
    struct Stream: Sendable, Hashable {
        var id: UInt64
        var machine = UpdateStream()
    }

    let principal: Principal
    /// Its process is being ended; what it declares from now on is not its will.
    var isDying = false
    /// What its synchronous members were told last.
    var told: Engine.ClientState?
    /// The sessions held, as declared.
    var sessions: [Declaration.Session] = []
    /// What each session was told last, beside ``sessions``.
    var diagnostics: [SessionDiagnostics?] = []
    /// The streams, in the order they began.
    var streams: [Stream] = []

    init(principal: Principal) {
        self.principal = principal
    }

    /// Takes over a declaration; what stays keeps what it was told.
    mutating func take(_ declaration: Declaration) {
        let before = zip(self.sessions, self.diagnostics)
        self.diagnostics = declaration.sessions.map { session in
            before.first { $0.0.id == session.id }?.1
        }
        self.sessions = declaration.sessions
        self.streams.removeAll { stream in !declaration.streams.contains(stream.id) }
        for id in declaration.streams where !self.streams.contains(where: { $0.id == id }) {
            self.streams.append(Stream(id: id))
        }
    }
}
