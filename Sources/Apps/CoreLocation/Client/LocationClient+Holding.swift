internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The process's declared state: claims with their diagnostics, and streams of positions.
extension LocationClient {
    typealias DiagnosticMailbox = Mailbox<UInt32>

    /// Changes the claims or streams, and sends the complete declaration.
    ///
    /// The lock is held while the message is sent, so that two changes reach the device in their order.
    func declare<Result: Sendable>(_ change: (inout sending State) -> sending Result) -> Result {
        self.state.withLock { state in
            let result = change(&state)
            if state.mirror.isConnected { self.transport.send(state.declaration) }
            return result
        }
    }

    // MARK: Claims

    func hold(_ kind: Claim.Kind) -> UInt64 {
        self.declare { state in
            let id = state.takeID()
            if state.claims.count >= state.mirror.declaredMax, !state.toldOfLimit {
                state.toldOfLimit = true
                Self.complain(
                    "this process has more than \(state.mirror.declaredMax) sessions and streams; the newest have no effect until "
                        + "others end"
                )
            }
            // Without a connection, the diagnostic says that services are off, as synchronous members do; otherwise a
            // loop over diagnostics would wait forever.
            let latest: UInt32? = state.mirror.isConnected ? nil : CLServiceSession.Diagnostic.withoutDaemon.bits
            state.claims[id] = Claim(kind: kind, latest: latest)
            return id
        }
    }

    /// Holds a live activity until it is ended explicitly.
    package func holdLiveActivity(title: String) -> UInt64 { self.hold(.liveActivity(title: title)) }

    /// Changes a live activity's title; does nothing after its end.
    package func renameLiveActivity(_ id: UInt64, title: String) {
        self.declare { $0.claims[id]?.kind = .liveActivity(title: title) }
    }

    /// Ends a claim permanently; a second call does nothing.
    package func giveUp(_ id: UInt64) {
        let watchers = self.state.withLock { state -> [DiagnosticMailbox] in
            guard let claim = state.claims.removeValue(forKey: id) else { return [] }
            if state.mirror.isConnected { self.transport.send(state.declaration) }
            return Array(claim.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
    }

    /// Starts to watch a claim's diagnostics, beginning with the latest one.
    ///
    /// If the claim has ended, the mailbox is finished and empty.
    func watch(_ id: UInt64) -> (watcher: UInt64, mailbox: DiagnosticMailbox) {
        self.transport.used()
        let mailbox = DiagnosticMailbox()
        let (watcher, hasEnded) = self.state.withLock { state in
            let watcher = state.takeID()
            guard let claim = state.claims[id] else { return (watcher, true) }
            state.claims[id]?.watchers[watcher] = mailbox
            if let latest = claim.latest { mailbox.put(latest, isReplaceable: false) }
            return (watcher, false)
        }
        if hasEnded {
            mailbox.finish()
            self.transport.watchedEnded()
        }
        return (watcher, mailbox)
    }

    func unwatch(_ id: UInt64, watcher: UInt64) {
        self.state.withLock { _ = $0.claims[id]?.watchers.removeValue(forKey: watcher) }
    }

    // MARK: Streams

    /// Opens a stream and closes the stream that it replaces, in one declaration.
    func openStream(
        _ service: WireStream.OneOf_Service,
        insteadOf other: UInt64? = nil,
        _ receive: @escaping Receive
    ) -> UInt64 {
        let (id, isConnected) = self.declare { state in
            let id = state.takeID()
            if let other { state.streams[other] = nil }
            state.streams[id] = Stream(service: service, receive: receive)
            return (id, state.mirror.isConnected)
        }
        if !isConnected { receive(nil) }
        return id
    }

    /// Opens a stream of positions.
    func openPositions(
        _ service: WireStream.OneOf_Service,
        insteadOf other: UInt64? = nil,
        _ receive: @escaping @Sendable (CLLocationUpdate) -> Void
    ) -> UInt64 {
        self.openStream(service, insteadOf: other) { receive($0.map { CLLocationUpdate($0) } ?? .withoutDaemon) }
    }

    /// Changes the options of a stream.
    ///
    /// - Parameters:
    ///   - id: the stream.
    ///   - makeService: called while the lock is held, so that the later of two changes wins.
    func changeStream(_ id: UInt64, to makeService: () -> WireStream.OneOf_Service) {
        self.state.withLock { state in
            let service = makeService()
            guard let stream = state.streams[id], stream.service != service else { return }
            state.streams[id]?.service = service
            if state.mirror.isConnected { self.transport.send(state.declaration) }
        }
    }

    func closeStream(_ id: UInt64) {
        self.declare { state in _ = state.streams.removeValue(forKey: id) }
    }
}

extension LocationClient.State {
    mutating func received(diagnostics: UInt32, of id: UInt64) {
        self.claims[id]?.latest = diagnostics
        // The lock is held, so that a new watcher receives the changes in their order.
        for watcher in self.claims[id]?.watchers.values ?? [:].values {
            watcher.put(diagnostics, isReplaceable: false)
        }
    }

    var declaration: WireClientMessage {
        .with { message in
            message.declaration = .with { declaration in
                for (id, claim) in self.claims.sorted(by: { $0.key < $1.key }) {
                    switch claim.kind {
                    case .session(let requirement, let purpose):
                        declaration.sessions.append(Self.session(id, requirement, purpose))
                    case .backgroundSession:
                        declaration.activities.append(
                            .with {
                                $0.id = id
                                $0.backgroundSession = .init()
                            }
                        )
                    case .liveActivity(let title):
                        declaration.activities.append(
                            .with {
                                $0.id = id
                                $0.liveActivity = .with { $0.title = title }
                            }
                        )
                    }
                }
                declaration.sessions = Array(declaration.sessions.prefix(self.mirror.declaredMax))
                declaration.activities = Array(declaration.activities.prefix(self.mirror.declaredMax))
                let streams = self.streams.sorted { $0.key < $1.key }.prefix(self.mirror.declaredMax)
                declaration.streams = streams.map { id, stream in
                    .with {
                        $0.id = id
                        $0.service = stream.service
                    }
                }
                let monitors = self.monitors.sorted { $0.key < $1.key }.prefix(self.mirror.declaredMax)
                declaration.monitors = monitors.map { id, monitor in
                    .with {
                        $0.id = id
                        $0.name = monitor.name
                        $0.isRead = monitor.isRead
                    }
                }
            }
        }
    }

    private static func session(
        _ id: UInt64,
        _ requirement: CLServiceSession.AuthorizationRequirement,
        _ purpose: String?
    ) -> WireSession {
        .with {
            $0.id = id
            $0.requirement =
                switch requirement {
                case .none: .none
                case .whenInUse: .whenInUse
                case .always: .always
                }
            if let purpose { $0.fullAccuracyPurpose = purpose }
        }
    }
}
