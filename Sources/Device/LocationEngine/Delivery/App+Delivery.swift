internal import WhereaboutsVocabulary

/// Sends the clients of one app the changes that concern them.
extension App {
    /// The outcome of giving the supply to an app's streams.
    struct OnGiven {
        /// The process was suspended and has resumed.
        var hasResumed = false
        /// A stream ended with its element.
        var hasEnded = false
        /// A significant change or a visit was delivered, which must be saved.
        var hasHeard = false
    }

    /// Delivers the newest measurements (``Supply``) to the app's streams; with one changed sensor, only to the streams
    /// of that sensor.
    ///
    /// A suspended app is only resumed; the next call delivers to it.
    mutating func give(
        _ supply: Supply,
        of sensor: Sensor? = nil,
        _ policy: Policy,
        _ effects: inout [Engine.Effect],
        now: EngineInstant
    ) -> OnGiven {
        var result = OnGiven()
        // All streams of one kind receive the same significant change or visit.
        let before = self.heard
        for client in self.clients.indices {
            for stream in self.clients[client].streams.indices
            where !self.clients[client].streams[stream].machine.isOver
                && (sensor == nil || self.clients[client].streams[stream].traits.sensor == sensor)
            {
                // The caller first sends a resumed app the changes that the app missed.
                if result.hasResumed { return result }
                self.give(supply, to: stream, of: client, after: before, policy, &effects, &result, now: now)
            }
        }
        return result
    }

    /// Gives a stream its part of the supply.
    private mutating func give(
        _ supply: Supply,
        to number: Int,
        of client: Int,
        after before: DeliveredTravel,
        _ policy: Policy,
        _ effects: inout [Engine.Effect],
        _ result: inout OnGiven,
        now: EngineInstant
    ) {
        let traits = self.clients[client].streams[number].traits
        let offer = supply.offer(
            traits,
            self.clients[client].streams[number].reasons,
            isPrecise: self.clients[client].streams[number].isPrecise,
            mayPause: self.clients[client].streams[number].mayPause(policy, now: now),
            policy
        )
        // Change a copy: an element that does not wake a suspended process is not delivered, and is offered again.
        var machine = self.clients[client].streams[number].machine
        let wasServed = machine.isServed
        let isApp = self.clients[client].principal.role == .app
        if isApp, traits.travel != nil, let element = offer.element, before.holds(element, policy.travel),
            !(self.clients[client].streams[number].repeatsItself && machine.isFresh)
        {
            return
        }
        guard case .send(let update) = machine.offered(offer, to: traits) else { return }
        let principal = self.clients[client].principal
        if principal.role == .app {
            if update.element != nil, traits.wakes {
                if self.lifecycle.woken(runtime: policy.backgroundRuntime, now: now) {
                    effects += [.process(.thaw(self.bundle)), .note(.appResumed(self.bundle))]
                    result.hasResumed = true
                    return
                }
            } else if self.lifecycle.isSuspended {
                return
            }
        }
        self.clients[client].streams[number].machine = machine
        if machine.isOver { result.hasEnded = true }
        if isApp, traits.travel != nil, let element = update.element {
            self.heard.told(element)
            result.hasHeard = true
        }
        effects.append(
            .tell(self.clients[client].id, .update(update, stream: self.clients[client].streams[number].id))
        )
        if update.tellsPlace, !wasServed { effects.append(.note(.locationServed(self.bundle, principal.role))) }
    }

    /// Whether all streams that need the receiver know that the device is still; `still` has one bit for each
    /// configuration.
    func isPaused(still: UInt8) -> Bool {
        guard !self.pushExtension.needsReceiver else { return false }
        // A stream of an ended process launches the app when the device moves.
        let left = self.sessions.leftStreams.map(\.traits).filter { $0.launches && $0.sensor == .receiver }
        guard left.allSatisfy({ $0.pausing.map { still & 1 << $0.rawValue != 0 } ?? false }) else { return false }
        var hasPaused = !left.isEmpty
        for client in self.clients {
            for stream in client.streams
            where stream.traits.sensor == .receiver && !stream.machine.isOver && stream.reasons.isEmpty
                && stream.isPrecise
            {
                guard stream.machine.isPaused, let configuration = stream.traits.pausing,
                    still & 1 << configuration.rawValue != 0
                else { return false }
                hasPaused = true
            }
        }
        return hasPaused
    }

    /// Sends each client the values of its synchronous members and the state of its sessions.
    ///
    /// A suspended process receives them when it resumes. It resumes at once if what it may have reported about sharing is no
    /// longer true.
    ///
    /// - Returns: whether its processes were suspended and must be resumed.
    mutating func tellPermission(
        _ terms: Terms,
        _ policy: Policy,
        _ effects: inout [Engine.Effect],
        now: EngineInstant
    ) -> Bool {
        var hasResumed = false
        if self.lifecycle.isSuspended, self.isAlwaysNews(terms) {
            hasResumed = self.lifecycle.woken(runtime: policy.backgroundRuntime, now: now)
            effects += [.process(.thaw(self.bundle)), .note(.appResumed(self.bundle))]
        }
        for client in self.clients.indices {
            if self.clients[client].principal.role == .app, self.lifecycle.isSuspended { continue }
            self.tellPermission(of: client, terms, policy, &effects)
        }
        return hasResumed
    }

    /// Whether a session holder's last information about Always is out of date.
    ///
    /// Otherwise an app would not resume sharing after a refusal is withdrawn, and requests to a sharing app could stay unanswered.
    private func isAlwaysNews(_ terms: Terms) -> Bool {
        self.clients.contains { client in
            guard client.principal.role == .app else { return false }
            return client.sessions.contains { session in
                guard session.requirement == .always, let told = session.told else { return false }
                let diagnostics = self.diagnostics(of: session, client, terms)
                return told.refuses ? diagnostics.isEmpty : diagnostics.refuses && self.registration.isMonitoring
            }
        }
    }

    private mutating func tellPermission(
        of client: Int,
        _ terms: Terms,
        _ policy: Policy,
        _ effects: inout [Engine.Effect]
    ) {
        let id = self.clients[client].id
        let state = self.clientState(terms, policy)
        if self.clients[client].told != state {
            self.clients[client].told = state
            effects.append(.tell(id, .state(state)))
        }
        for session in self.clients[client].sessions.indices {
            let held = self.clients[client].sessions[session]
            let diagnostics = self.diagnostics(of: held, self.clients[client], terms)
            if held.told != diagnostics {
                self.clients[client].sessions[session].told = diagnostics
                effects.append(.tell(id, .diagnostics(diagnostics, session: held.id)))
            }
        }
    }
}

extension SessionDiagnostics {
    /// Whether a person or the device's owner refused.
    fileprivate var refuses: Bool {
        !self.isDisjoint(with: [.authorizationDenied, .alwaysAuthorizationDenied, .authorizationRestricted])
    }
}
