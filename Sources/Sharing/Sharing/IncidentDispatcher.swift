internal import Foundation
internal import WhereaboutsGeodesy
internal import WhereaboutsJSONReading
package import WhereaboutsSharingEngine
package import WhereaboutsVocabulary

/// A dispatcher's side: opens an incident, seals its position for the alerted phones, and follows its states.
package struct IncidentDispatcher: Sendable {
    package let profile: SharingProfile
    private let server: ServerConnection
    private let sealing: any Sealing

    /// Creates a dispatcher with the identity of a profile, which the server's configuration must name.
    package init(
        profile: SharingProfile,
        sealing: any Sealing = HPKESealing(),
        transport: (any ServerTransport)? = nil
    ) throws {
        self.profile = profile
        self.server = try ServerConnection(settings: profile.settings, transport: transport)
        self.sealing = sealing
    }

    /// Opens an incident, and stores its key and its place until it ends.
    ///
    /// - Parameters:
    ///   - place: where help is needed; the server learns only the cell of 1 km.
    ///   - priority: the urgency.
    ///   - responders: how many people must come, 1 to 10.
    ///   - needsAED: whether one more person must fetch a defibrillator.
    ///   - suite: the algorithms that seal the positions of the people who come.
    /// - Returns: the incident.
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses.
    package func open(
        at place: PatientPlace,
        priority: Incident.Priority,
        responders: Int,
        needsAED: Bool,
        suite: Suite = .xWing
    ) async throws -> OpenIncident {
        var generator = SystemRandomNumberGenerator()
        let key = try self.sealing.makeKey(suite: suite)
        let incident = Incident(
            id: IncidentID(using: &generator),
            cell: Volunteer.grid.cell(containing: place.point),
            priority: priority,
            responders: responders,
            needsAED: needsAED,
            signed: .now
        )
        guard let incident else {
            throw SharingError(.badText, "an incident needs 1 to \(Incident.respondersMax) people, got \(responders)")
        }
        let opening = IncidentOpening(
            incident: incident,
            dispatcher: self.profile.identity.publicIdentity,
            suite: key.suite,
            publicKey: key.publicKey
        )
        let open = OpenIncident(opening: try self.profile.identity.sign(opening), key: key, place: place)
        // Store the key first: otherwise nobody could open the positions of the people who come.
        try self.profile.keep(open)
        let response = try await self.server.post("/v1/incidents", open.opening.bytes)
        guard (200..<300).contains(response.status) else {
            self.profile.dropIncident(open.id)
            throw self.server.rejected(response)
        }
        return open
    }

    /// Ends an incident and deletes it from the profile; every alerted person is notified.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses.
    package func end(_ incident: IncidentID, isFalseAlarm: Bool) async throws {
        let closing = IncidentClosing(
            incident: incident,
            dispatcher: self.profile.identity.publicIdentity,
            reason: isFalseAlarm ? .falseAlarm : .stoodDown
        )
        let response = try await self.server.post(
            "/v1/incidents/\(incident)/end",
            self.profile.identity.sign(closing).bytes
        )
        let isEnded = (200..<300).contains(response.status)
        // With 404 the server has lost the incident, or it ended a while ago.
        if isEnded || response.status == 404 { self.profile.dropIncident(incident) }
        guard isEnded else { throw self.server.rejected(response) }
    }

    /// Seals the position for each chosen volunteer and reports each change, until the incident ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - incident: the incident.
    ///   - explain: receives the reason, for a person who waits, when the server cannot be reached.
    ///   - tell: receives each change; the last one is the end, or a failure.
    /// - Throws: what `tell` throws.
    package func follow(
        _ incident: OpenIncident,
        explain: @escaping @Sendable (String) -> Void,
        _ tell: (IncidentUpdate) throws -> Void
    ) async throws {
        let permit = try self.profile.identity.sign(IncidentsPermit(dispatcher: incident.opening.value.dispatcher))
        let authorization = "Whereabouts \(Base64URL.text(of: permit.bytes))"
        let reaching = Reaching(self.server.server, explain: explain)
        var inputs = MachineInputs<IncidentWatching.Input>()
        let feed = inputs.feed
        var failure: (any Error)?
        await withDiscardingTaskGroup { group in
            var (watching, effects) = IncidentWatching.began(incident.opening.value, now: inputs.clock.now)
            do {
                while true {
                    for effect in effects {
                        switch effect {
                        case .watch:
                            group.addTask { feed(await self.events(of: incident, authorization, feed, reaching)) }
                        case .seal(let alert, let role, let key):
                            group.addTask {
                                do {
                                    try await self.seal(incident, alert, role, key)
                                } catch {
                                    explain("the position could not be sealed for \(alert): \(error)")
                                    feed(.sealingFailed(alert))
                                }
                            }
                        case .show(let update): try tell(update)
                        case .end(let update):
                            if case .ended = update { self.profile.dropIncident(incident.id) }
                            try tell(update)
                        }
                    }
                    guard let deadline = watching.deadline,
                        let input = await inputs.next(deadline: deadline, timer: .deadlineReached, in: &group)
                    else { break }
                    effects = watching.handle(input, now: inputs.clock.now.monotonic)
                }
            } catch {
                failure = error
            }
            group.cancelAll()
        }
        if let failure { throw failure }
    }

    private func events(
        of incident: OpenIncident,
        _ authorization: String,
        _ feed: @Sendable (IncidentWatching.Input) -> Void,
        _ reaching: Reaching
    ) async -> IncidentWatching.Input {
        do {
            // A stream does not say which incidents the server has lost, but the first message again does.
            let known = try await self.server.post("/v1/incidents", incident.opening.bytes)
            switch known.status {
            case 200..<300, 409: break
            case 429, 500..<600: return .streamLost
            default:
                return .streamRefused(
                    "The server does not have the incident (\(self.server.rejected(known).message)). Open another one with "
                        + "`whereabouts dispatch --at …`."
                )
            }
            let status = try await self.server.events("/v1/incidents/events", authorization: authorization) { json in
                reaching.reached()
                let event = try JSONReader().decode(Wire.IncidentEvent.self, from: Data(json)).event
                guard let event, event.incident == incident.id else { return }
                feed(.event(event, fix: self.fix(of: event, incident)))
            }
            return switch status {
            case 200, 503: .streamLost
            default:
                .streamRefused(
                    "The server does not show the incident (status \(status)); its configuration must name your identity."
                )
            }
        } catch {
            self.server.streamFailed(error, reaching)
            return .streamLost
        }
    }

    /// Opens the position of a person who comes; a malformed one is none.
    private func fix(of event: IncidentEvent, _ incident: OpenIncident) -> SharedFix? {
        guard case .alert(let alert) = event.subject, let sealed = alert.position else { return nil }
        return try? SealedPlace.open(sealed, of: alert.id, incident.id, with: incident.key, self.sealing)
    }

    private func seal(_ incident: OpenIncident, _ alert: AlertID, _ role: Responder.Role, _ key: [UInt8]) async throws {
        let sealed = try SealedPlace.seal(incident.place, for: alert, of: incident.id, to: key, self.sealing)
        let message = SealedAlert(
            alert: alert,
            incident: incident.id,
            dispatcher: incident.opening.value.dispatcher,
            role: role,
            sealed: sealed
        )
        guard let message else { return }
        let response = try await self.server.post("/v1/alerts/\(alert)", self.profile.identity.sign(message).bytes)
        // 404 and 409: the alert ended meanwhile, or has its position.
        guard (200..<300).contains(response.status) || response.status == 404 || response.status == 409 else {
            throw self.server.rejected(response)
        }
    }
}

/// An incident that a dispatcher opened, with the secrets that its profile stores.
package struct OpenIncident: Sendable, Hashable {
    package let opening: Signed<IncidentOpening>
    /// The key that opens the positions of the people who come.
    let key: RequestKey
    package let place: PatientPlace

    package var id: IncidentID { self.opening.value.incident.id }
    /// When the incident ends by itself.
    package var expires: WallTime { self.opening.value.incident.signed.advanced(by: DispatchPolicy().lifetime) }

    init(opening: Signed<IncidentOpening>, key: RequestKey, place: PatientPlace) {
        self.opening = opening
        self.key = key
        self.place = place
    }

    /// The opening and the secret key, each after its count, and the place.
    fileprivate var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.counted(self.opening.bytes)
        writer.counted(self.key.secret)
        self.place.write(to: &writer)
        return writer.bytes
    }

    /// Reads ``bytes``.
    fileprivate init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the file of an incident")
        self.opening = try Signed<IncidentOpening>(bytes: reader.counted())
        let value = self.opening.value
        self.key = RequestKey(suite: value.suite, publicKey: value.publicKey, secret: try reader.counted())
        self.place = try PatientPlace(from: &reader)
        try reader.end()
    }
}

/// The incidents that the person of this profile opened as a dispatcher.
extension SharingProfile {
    private var incidentsDirectory: String { self.path + "/incidents" }

    /// The incidents that may still be open, the newest first; those whose time is over are deleted.
    package func openIncidents() -> [OpenIncident] { self.openIncidents(now: .now) }

    func openIncidents(now: WallTime) -> [OpenIncident] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.incidentsDirectory)) ?? []
        let all = names.compactMap { name -> OpenIncident? in
            guard IncidentID(name) != nil,
                let bytes = FileManager.default.contents(atPath: "\(self.incidentsDirectory)/\(name)"),
                let incident = try? OpenIncident(bytes: [UInt8](bytes))
            else { return nil }
            guard now < incident.expires else {
                self.dropIncident(incident.id)
                return nil
            }
            return incident
        }
        return all.sorted { ($0.expires, "\($0.id)") > ($1.expires, "\($1.id)") }
    }

    fileprivate func keep(_ incident: OpenIncident) throws {
        try ProfileFile.makeDirectory(self.incidentsDirectory)
        try ProfileFile.replace("\(self.incidentsDirectory)/\(incident.id)", incident.bytes)
    }

    fileprivate func dropIncident(_ id: IncidentID) {
        try? FileManager.default.removeItem(atPath: "\(self.incidentsDirectory)/\(id)")
    }
}
