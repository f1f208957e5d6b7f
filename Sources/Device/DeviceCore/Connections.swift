internal import OrderedCollections
internal import WhereaboutsLocationEngine

/// The open connections, and which of them have a known process.
///
/// ```
///           opened              first message
///   (none) ────────▶ opened ──────────────────▶ shown
///      ▲                │ closed                  │ closed: the engine learns that the client vanished
///      └────────────────┴─────────────────────────┘
/// ```
/// Ignored races: messages and ends of connections that were cut off.
struct Connections: Sendable, Hashable {
    /// The progress of a connection.
    enum State: Sendable, Hashable {
        /// The connection was accepted, or handed to a process, without a message so far.
        case opened
        /// The process has sent a message, and the engine knows the connection.
        case shown
    }

    struct Connection: Sendable, Hashable {
        let principal: Principal
        let caller: Caller
        var state = State.opened
    }

    /// The maximum number of connections of one app's processes that connected by themselves: an app needs one.
    static let ofAppMax = 16
    /// The maximum number of connections of one user's processes that connected by themselves.
    static let ofUserMax = 256

    private(set) var all: OrderedDictionary<ClientID, Connection> = [:]

    mutating func opened(_ client: ClientID, _ principal: Principal, _ caller: Caller) {
        self.all[client] = Connection(principal: principal, caller: caller)
    }

    /// Actions returned by ``spoke(_:)``.
    enum OnMessage: Sendable, Hashable {
        /// Tell the engine which process connected, then pass its message on.
        case introduce(Principal, Caller)
        /// Pass the message to the engine.
        case pass(Principal)
        /// Do nothing: the connection was cut off.
        case ignore
    }

    /// Records a message.
    mutating func spoke(_ client: ClientID) -> OnMessage {
        guard let connection = self.all[client] else { return .ignore }
        switch connection.state {
        case .shown: return .pass(connection.principal)
        case .opened:
            self.all[client]?.state = .shown
            return .introduce(connection.principal, connection.caller)
        }
    }

    /// Records that a connection ended.
    ///
    /// - Returns: whether the engine knows the client.
    @discardableResult
    mutating func closed(_ client: ClientID) -> Bool {
        self.all.removeValue(forKey: client)?.state == .shown
    }

    /// Returns the inherited connections of an ended process; an open one was passed to a child process.
    func handed(to principal: Principal) -> [ClientID] {
        self.all.filter { $0.value.principal == principal && $0.value.caller.user == nil }.map(\.key)
    }

    func of(_ bundle: BundleID) -> [ClientID] { self.all.filter { $0.value.principal.bundle == bundle }.map(\.key) }

    func count(ofUser user: UInt32) -> Int { self.all.values.count { $0.caller.user == user } }

    func count(ofApp bundle: BundleID) -> Int {
        self.all.values.count { $0.caller.user != nil && $0.principal.bundle == bundle }
    }
}
