public import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Connections and the messages on them.
extension DeviceCore {
    /// Why a process that connected by itself is refused.
    public struct TooManyConnections: Error, Sendable, Hashable {
        /// The number of connections of the app's processes.
        public var ofApp: Int
        /// The number of connections of the user's processes.
        public var ofUser: Int
        /// The maximum number for one app.
        public var ofAppMax: Int { Connections.ofAppMax }
        /// The maximum number for one user.
        public var ofUserMax: Int { Connections.ofUserMax }
    }

    /// Decides whether another connection of a process that connects by itself is within the limits.
    ///
    /// - Throws: ``TooManyConnections``.
    public func admit(_ bundle: BundleID, of user: UInt32) throws(TooManyConnections) {
        let ofApp = self.connections.count(ofApp: bundle)
        let ofUser = self.connections.count(ofUser: user)
        guard ofApp < Connections.ofAppMax, ofUser < Connections.ofUserMax else {
            throw TooManyConnections(ofApp: ofApp, ofUser: ofUser)
        }
    }

    mutating func messageReceived(
        _ received: ClientMessage,
        _ client: ClientID,
        _ actions: inout [Action],
        now: Now
    ) {
        let (message, cuts) = received.bounded()
        self.bounds.count(.textsCut, times: cuts)
        let principal: Principal
        switch self.connections.spoke(client) {
        case .ignore: return
        case .pass(let known): principal = known
        case .introduce(let new, let caller):
            principal = new
            // The app was removed, and its process has not been killed yet.
            guard self.engine.isInstalled(new.bundle) else { return self.disconnect([client], &actions, now: now) }
            let arrival = caller.isLaunched ? self.arrival(of: new) : Lifecycle.Arrival(phase: caller.phase)
            self.feed(.clientConnected(client, new, arrival), &actions, now: now)
            // The engine may have refused the connection.
            guard self.engine.knows(client) else { return }
        }
        switch message {
        case .declaration(let declaration): self.feed(.clientDeclared(client, declaration), &actions, now: now)
        case .monitorChange(let change): self.feed(.monitorChanged(client, change), &actions, now: now)
        case .authorizationRequest(let request):
            self.feed(.authorizationRequested(client, request), &actions, now: now)
        case .fullAccuracyRequest(let purpose, let request):
            self.feed(.fullAccuracyRequested(client, purpose: purpose, request: request), &actions, now: now)
        case .pushTokenRequest(let request):
            self.feed(.pushTokenRequested(client, request: request), &actions, now: now)
        case .stopMonitoringPushes: self.feed(.pushMonitoringStopped(client), &actions, now: now)
        case .pushCompleted(let push): self.feed(.pushCompleted(client, push), &actions, now: now)
        case .phaseReport(let phase): self.feed(.phaseReported(client, phase), &actions, now: now)
        case .geocodeRequest(let question, let request):
            self.placesAsked(question, request, principal.bundle, client, &actions, now: now)
        }
    }

    /// Why the process of a principal was started, and whether it is in the foreground now.
    private func arrival(of principal: Principal) -> Lifecycle.Arrival {
        switch principal.role {
        case .app: self.runs.arrival(of: principal.bundle) ?? Lifecycle.Arrival()
        case .pushExtension: Lifecycle.Arrival(phase: .background, isManaged: true, reason: .push)
        }
    }

    mutating func connectionClosed(_ client: ClientID, _ actions: inout [Action], now: Now) {
        if self.connections.closed(client) { self.feed(.clientVanished(client), &actions, now: now) }
    }

    /// Closes connections, and reports their end to the engine if it knew the clients.
    mutating func disconnect(_ clients: [ClientID], _ actions: inout [Action], now: Now) {
        for client in clients {
            actions.append(.disconnect(client))
            self.connectionClosed(client, &actions, now: now)
        }
    }
}
