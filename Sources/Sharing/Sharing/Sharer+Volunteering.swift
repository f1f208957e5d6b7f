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
            try self.server.accepted(await self.messages.enrol(terms, issued: issued))
        } catch {
            _ = try? self.profile.volunteerFile.replace(before, now: .now)
            throw error
        }
    }

    /// Leaves the volunteers: on this device at once, then on the server, which forgets the person.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses; this device answers no alerts anyway.
    public func leaveVolunteers() async throws {
        let issued = try self.profile.volunteerFile.replace(nil, now: .now)
        // The server sends no end of an alert whose volunteer left.
        for alert in self.profile.alerts() { try self.profile.alertFiles.change(alert.id) { $0.ended(.unknown) } }
        let departure = Departure(person: self.profile.identity.publicIdentity, issued: issued)
        try self.server.accepted(await self.messages.send("/v1/responders/departures", departure))
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
        try self.alertAnswering.receive(pushPayload: pushPayload, now: .now)
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
        try await self.alertAnswering.respond(to: alert, measure: measure)
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
        try await self.alertAnswering.answer(alert) { try $0.accepted(at: fix, now: .now) }
    }

    /// Refuses an alert.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func refuse(_ alert: AlertID) async throws -> EmergencyAlert {
        try await self.alertAnswering.answer(alert) { try $0.refused(now: .now) }
    }

    /// Shows the dispatcher where the person is on the way; an app calls it with each new position until the arrival.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func move(toward alert: AlertID, at fix: SharedFix? = nil) async throws -> EmergencyAlert {
        try await self.alertAnswering.answer(alert) { try $0.moved(to: fix, now: .now) }
    }

    /// Reports that the person is with the patient.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func arrive(at alert: AlertID) async throws -> EmergencyAlert {
        try await self.alertAnswering.answer(alert) { try $0.arrived(now: .now) }
    }

    /// Reports that a person who accepted does not come.
    ///
    /// - Returns: the alert.
    /// - Throws: ``SharingError`` as ``accept(_:at:)`` does.
    @discardableResult
    public func withdraw(from alert: AlertID) async throws -> EmergencyAlert {
        try await self.alertAnswering.answer(alert) { try $0.withdrawn(now: .now) }
    }

    /// Sends the answers to alerts that the server has not confirmed; an app calls it at every launch.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached.
    public func sendAlertAnswers() async throws {
        for alert in self.profile.alerts() where !alert.outgoing.isEmpty {
            try await self.alertAnswering.send(to: alert.id)
        }
    }

    var alertAnswering: AlertAnswering {
        AlertAnswering(
            server: self.server,
            identity: self.profile.identity,
            sealing: self.sealing,
            device: self.profile.deviceFile,
            volunteer: self.profile.volunteerFile,
            files: self.profile.alertFiles
        )
    }
}
