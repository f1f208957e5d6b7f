extension App {
    /// An app's needs, and the part of its state that people see.
    struct Summary: Sendable, Hashable {
        /// Whether the app needs a sensor's measurements as they arrive.
        var needs = PerSensor { _ in false }
        /// Whether the app needs positions better than 100 m.
        var needsBest = false
        /// Whether the app needs an approximate place.
        var needsPlace = false
        /// Whether the app needs the receiver only until one position arrives, for a stream or for its launch.
        var isPassing = false
        /// Whether pushes wait for the app's extension.
        var hasWaitingPushes = false
        /// Whether a person must be asked about the app.
        var asks = false
        var isMonitoring = false
        /// The kinds of findings that the app wants: significant changes, visits.
        var travels: Set<Travel> = []
        /// The beacons that the app ranges.
        var ranged: Set<BeaconIdentity> = []
        /// The indicators that the app shows in the background.
        var indicators: [Engine.Indicator] = []

        /// Records the needs of a stream: an approximate place, findings, or a sensor's measurements.
        fileprivate mutating func need(_ service: ServiceTraits, isPrecise: Bool) {
            if service.hasApproximatePlace, !isPrecise {
                self.needsPlace = true
            } else if let travel = service.travel {
                self.travels.insert(travel)
            } else {
                self.needs[service.sensor] = true
                if service.sensor == .receiver, service.needsBest { self.needsBest = true }
            }
            if let ranged = service.ranged { self.ranged.insert(ranged) }
        }
    }

    /// Finds why each stream receives nothing, or how precisely it is served, and returns the needs of the app.
    mutating func lookedAt(_ terms: Terms) -> Summary {
        var summary = Summary()
        let permission = self.permission(terms)
        let readsPositions = self.readsPositions(permission, terms)
        for client in self.clients.indices {
            let role = self.clients[client].principal.role
            for stream in self.clients[client].streams.indices {
                let (traits, isOver) = self.clients[client].streams[stream].needs
                if isOver { continue }
                let reasons = self.reasons(traits, role, permission, terms)
                // A service without authorization is precise only for an app that reads positions anyway.
                let isPrecise =
                    traits.needsAuthorization ? self.accuracy.isFull && !traits.asksForReduced : readsPositions
                // For a suspended process the device measures only what would resume it.
                let isReceived = role != .app || traits.wakes || !self.lifecycle.isSuspended
                if reasons.isEmpty, isReceived { summary.need(traits, isPrecise: isPrecise) }
                self.clients[client].streams[stream].reasons = reasons
                self.clients[client].streams[stream].isPrecise = isPrecise
                if traits.isOnce { summary.isPassing = true }
            }
        }
        for traits in self.servedLeftStreams(permission, terms) {
            summary.need(traits, isPrecise: self.accuracy.isFull)
            if traits.travel == nil, self.lifecycle.isGone { summary.isPassing = true }
        }
        if self.pushExtension.needsReceiver {
            summary.needs[.receiver] = true
            summary.needsBest = true
        }
        // An app that stops a service and starts it again receives the newest finding again.
        let claimed = self.sessions.entries.compactMap { entry in
            if case .stream(let service) = entry.claim { service.traits.travel } else { nil }
        }
        self.heard.forget { claimed.contains($0) }
        summary.hasWaitingPushes = !self.pushExtension.waiting.isEmpty
        summary.asks = !self.questions.isEmpty
        summary.isMonitoring = self.registration.isMonitoring
        summary.indicators = self.indicators(terms)
        return summary
    }

    /// Whether the app reads positions and receives them.
    private func readsPositions(_ permission: Permission, _ terms: Terms) -> Bool {
        self.clients.contains { client in
            client.streams.contains { stream in
                stream.traits.needsAuthorization && stream.traits.sensor == .receiver && !stream.machine.isOver
                    && self.reasons(stream.traits, client.principal.role, permission, terms).isEmpty
            }
        }
    }

    /// Whether another check would find the same reasons for all streams.
    func isAsLookedAt(_ terms: Terms) -> Bool {
        let permission = self.permission(terms)
        return self.clients.allSatisfy { client in
            client.streams.allSatisfy { stream in
                stream.machine.isOver
                    || stream.reasons == self.reasons(stream.traits, client.principal.role, permission, terms)
            }
        }
    }

    /// The streams of an ended process that are served after its next launch.
    ///
    /// Until then they keep the receiver in use: switching it off would discard what is known about a still device.
    private func servedLeftStreams(_ permission: Permission, _ terms: Terms) -> [ServiceTraits] {
        self.sessions.leftStreams.map(\.traits).filter { traits in
            traits.launches && self.reasons(traits, .app, permission, terms).isEmpty
        }
    }

    /// Everything that people see of the app in the background.
    private func indicators(_ terms: Terms) -> [Engine.Indicator] {
        if self.sessions.entries.isEmpty, !self.sessions.hasLostAlways { return [] }
        var shown = self.sessions.liveActivities.prefix(Engine.activitiesShownMax).map {
            Engine.Indicator(bundle: self.bundle, kind: .liveActivity(title: $0))
        }
        if self.isKeptByService, !self.lifecycle.isSeen, self.showsIndicator(terms) {
            shown.insert(Engine.Indicator(bundle: self.bundle, kind: .locationInBackground), at: 0)
        }
        if self.needsOpening(terms) {
            shown.insert(Engine.Indicator(bundle: self.bundle, kind: .sharingStopped), at: 0)
        }
        return shown
    }

    /// Whether the indicator appears: with "while using" always, with Always on the app's request.
    private func showsIndicator(_ terms: Terms) -> Bool {
        let status = self.permission(terms).status
        guard status == .always else { return status == .whenInUse }
        return self.sessions.entries.contains { entry in
            switch entry.claim {
            case .backgroundSession: entry.counts
            case .stream(let service): service.traits.showsIndicator && entry.counts && self.isRead(entry)
            case .session, .liveActivity: false
            }
        }
    }
}
