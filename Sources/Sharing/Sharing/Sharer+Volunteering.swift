internal import Foundation
internal import WhereaboutsJSONReading
public import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A volunteer's device: enrols, receives alerts to medical emergencies, and answers them.
extension Sharer {
    /// Enrols the person as a volunteer, or changes the terms; the device must be registered for location pushes.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses; the terms are stored only if it accepts them.
    public func volunteer(on terms: VolunteerTerms) async throws {
        let before = try self.profile.volunteerTerms()
        let issued = try self.profile.volunteerFile.replace(terms, now: .now)
        do {
            try self.checkResponders(try await self.enrol(terms, issued: issued))
        } catch {
            _ = try? self.profile.volunteerFile.replace(before, now: .now)
            throw error
        }
    }

    /// Sends the stored terms again, because the server has another database; nil if the person is not a volunteer.
    func enrolAgain() async throws -> ServerConnection.Response? {
        guard let terms = try self.profile.volunteerTerms() else { return nil }
        return try await self.enrol(terms, issued: self.profile.volunteerFile.replace(terms, now: .now))
    }

    private func enrol(_ terms: VolunteerTerms, issued: WallTime) async throws -> ServerConnection.Response {
        let enrolment = terms.enrolment(of: self.profile.identity.publicIdentity, issued: issued)
        return try await self.server.post("/v1/responders", self.profile.identity.sign(enrolment).bytes)
    }

    /// Leaves the volunteers: on this device at once, then on the server, which forgets the person.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses; this device answers no alerts anyway.
    public func leaveVolunteers() async throws {
        let issued = try self.profile.volunteerFile.replace(nil, now: .now)
        // The server sends no end of an alert whose volunteer left.
        for alert in self.profile.alerts() { try self.profile.alertFiles.change(alert.id) { $0.ended(.unknown) } }
        let departure = Departure(person: self.profile.identity.publicIdentity, issued: issued)
        let response = try await self.server.post(
            "/v1/responders/departures",
            self.profile.identity.sign(departure).bytes
        )
        try self.checkResponders(response)
    }

    private func checkResponders(_ response: ServerConnection.Response) throws {
        guard (200..<300).contains(response.status) else { throw self.server.rejected(response) }
    }

    /// Receives an alert in a location push, or the end of an alert.
    ///
    /// An extension calls this before ``receive(pushPayload:pushAge:)``. If the alert's state is `locating`, answer it with
    /// ``respond(to:measure:)``; if it ended, notify the person who was asked.
    ///
    /// - Parameter pushPayload: the payload that the extension received.
    /// - Returns: the alert; nil if the push carries no alert.
    /// - Throws: ``SharingError`` if the alert must not be answered: it is forged, malformed, over or known, or the person does
    ///   not accept its dispatcher.
    public func receiveAlert(pushPayload: [String: Any]) throws -> EmergencyAlert? {
        try self.receiveAlert(pushPayload: pushPayload, now: .now)
    }

    func receiveAlert(pushPayload: [String: Any], now: WallTime) throws -> EmergencyAlert? {
        guard
            let (notice, key) = try self.profile.deviceFile.notice(
                in: pushPayload,
                isVolunteer: self.profile.volunteerFile.exists,
                self.sealing,
                now: now
            )
        else { return nil }
        switch notice {
        case .ended(let id, let end):
            return try self.profile.alertFiles.change(id) { $0.ended(EmergencyAlert.End(end)) }
        case .alert(let signedAlert, let signedOpening):
            let (sealed, opening) = (try signedAlert.verified().value, try signedOpening.verified().value)
            guard !self.profile.deviceFile.isRemoved, let terms = try self.profile.volunteerTerms() else {
                throw SharingError(.notForUs, "an alert came, but the person of this device is not a volunteer")
            }
            guard terms.dispatchers.contains(opening.dispatcher), opening.dispatcher == sealed.dispatcher,
                opening.incident.id == sealed.incident
            else {
                throw SharingError(
                    .notForUs,
                    "an alert came from a dispatcher that the person does not accept; `whereabouts volunteer` names the accepted ones"
                )
            }
            let place = try SealedPlace.open(sealed, with: key, self.sealing)
            let alert = EmergencyAlert(id: sealed.alert, role: sealed.role, of: opening, at: place)
            guard now < alert.expires else {
                throw SharingError(.replayed, "the alert \(alert.id) is over: its incident is older than an hour")
            }
            guard try self.profile.alertFiles.record(alert, now: now) else {
                throw SharingError(.replayed, "the alert \(alert.id) was received before; there is nothing left to do")
            }
            return alert
        }
    }

    /// Answers an alert with the travel time; if the phone is out of the person's reach or has no position, with that.
    ///
    /// - Parameters:
    ///   - alert: the alert that the push carried.
    ///   - measure: gets a fix within 15 s; if it throws, there is none.
    /// - Returns: the alert; if its state is `asking`, notify the person at once.
    /// - Throws: ``SharingError`` when the answer cannot be stored. If it cannot be sent, the app sends it later.
    public func respond(
        to alert: EmergencyAlert,
        measure: @escaping @Sendable () async throws -> SharedFix
    ) async throws -> EmergencyAlert {
        self.server.connect()
        let fix = await Self.measured(measure, within: EmergencyAlert.measuring)
        let reach = try self.profile.volunteerTerms()?.reach ?? 0
        let changed = try self.profile.alertFiles.change(alert.id) { _ = $0.located(fix, reach: reach, now: .now) }
        return (try? await self.sendAnswers(to: alert.id)) ?? changed
    }

    private static func measured(
        _ measure: @escaping @Sendable () async throws -> SharedFix,
        within patience: Duration
    ) async -> SharedFix? {
        await withTaskGroup(of: SharedFix?.self) { group in
            group.addTask { try? await measure() }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Accepts an alert: the person comes, and the dispatcher receives the position if the person is chosen.
    ///
    /// - Parameters:
    ///   - alert: the alert's ID.
    ///   - fix: the present position; if not given, the one of the travel time.
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` when the person is not asked any more. With the code `network` the answer is stored, and
    ///   ``sendAlertAnswers()`` sends it.
    @discardableResult
    public func accept(_ alert: AlertID, at fix: SharedFix? = nil) async throws -> EmergencyAlert {
        try await self.answer(alert) { try $0.accepted(at: fix, now: .now) }
    }

    /// Refuses an alert.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func refuse(_ alert: AlertID) async throws -> EmergencyAlert {
        try await self.answer(alert) { try $0.refused(now: .now) }
    }

    /// Shows the dispatcher where the person is on the way; an app calls it with each new position until the arrival.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func move(toward alert: AlertID, at fix: SharedFix? = nil) async throws -> EmergencyAlert {
        try await self.answer(alert) { try $0.moved(to: fix, now: .now) }
    }

    /// Reports that the person is with the patient.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func arrive(at alert: AlertID) async throws -> EmergencyAlert {
        try await self.answer(alert) { try $0.arrived(now: .now) }
    }

    /// Reports that a person who accepted does not come.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func withdraw(from alert: AlertID) async throws -> EmergencyAlert {
        try await self.answer(alert) { try $0.withdrawn(now: .now) }
    }

    private func answer(
        _ id: AlertID,
        _ body: (inout EmergencyAlert) throws -> Void
    ) async throws -> EmergencyAlert {
        try self.profile.alertFiles.change(id, body)
        return try await self.sendAnswers(to: id)
    }

    /// Sends the answers to alerts that the server has not confirmed; an app calls it at every launch.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached.
    public func sendAlertAnswers() async throws {
        for alert in self.profile.alerts() where !alert.outgoing.isEmpty { try await self.sendAnswers(to: alert.id) }
    }

    /// Sends the waiting answers to an alert, in their order.
    @discardableResult
    private func sendAnswers(to id: AlertID) async throws -> EmergencyAlert {
        var alert = try self.profile.alertFiles.change(id) { _ in }
        while let next = alert.outgoing.first {
            let reply = ResponderReply(
                alert: id,
                person: self.profile.identity.publicIdentity,
                number: next.number,
                answer: try self.sealed(next.reply, for: alert)
            )
            let bytes = try self.profile.identity.sign(reply).bytes
            let response = try await self.server.post("/v1/alerts/\(id)/response", bytes)
            switch response.status {
            case 200:
                let over = try JSONReader().decode(Wire.AlertOver.self, from: Data(response.body))
                let end = Responder.End(number: over.ended).map { EmergencyAlert.End($0) } ?? .unknown
                alert = try self.profile.alertFiles.change(id) { $0.ended(end) }
            case 404: alert = try self.profile.alertFiles.change(id) { $0.ended(.unknown) }
            // The server has this answer or a later one, and refuses a copy.
            case 201..<300, 409: alert = try self.profile.alertFiles.change(id) { $0.confirmed(next.number) }
            default: throw self.server.rejected(response)
            }
        }
        return alert
    }

    private func sealed(_ reply: EmergencyAlert.Reply, for alert: EmergencyAlert) throws -> Responder.Answer {
        switch reply {
        case .band(let band): .band(band)
        case .outOfRange: .outOfRange
        case .refused: .refused
        case .accepted(let fix): .accepted(sealed: try SealedPlace.seal(fix, for: alert, self.sealing))
        case .enRoute(let fix): .enRoute(sealed: try SealedPlace.seal(fix, for: alert, self.sealing))
        case .arrived: .arrived
        case .withdrawn: .withdrawn
        }
    }
}
