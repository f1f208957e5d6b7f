internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Receives alerts to medical emergencies on a volunteer's device, and sends the answers.
struct AlertAnswering: Sendable {
    let server: ServerConnection
    let identity: Identity
    let sealing: any Sealing
    let device: DeviceFile
    let volunteer: VolunteerFile
    let files: AlertFiles

    func receive(pushPayload: [String: Any], now: WallTime) throws -> EmergencyAlert? {
        guard
            let (notice, key) = try self.device.notice(
                in: pushPayload,
                isVolunteer: self.volunteer.exists,
                self.sealing,
                now: now
            )
        else { return nil }
        switch notice {
        case .ended(let id, let end):
            return try self.files.change(id) { $0.ended(EmergencyAlert.End(end)) }
        case .alert(let signedAlert, let signedOpening):
            let (sealed, opening) = (try signedAlert.verified().value, try signedOpening.verified().value)
            guard !self.device.isRemoved, let terms = try self.volunteer.terms() else {
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
            guard try self.files.record(alert, now: now) else {
                throw SharingError(.replayed, "the alert \(alert.id) was received before; there is nothing left to do")
            }
            return alert
        }
    }

    func respond(
        to alert: EmergencyAlert,
        measure: @escaping @Sendable () async throws -> SharedFix
    ) async throws -> EmergencyAlert {
        self.server.connect()
        let fix = await Self.measured(measure, within: EmergencyAlert.measuring)
        let reach = try self.volunteer.terms()?.reach ?? 0
        let changed = try self.files.change(alert.id) { _ = $0.located(fix, reach: reach, now: .now) }
        return (try? await self.send(to: alert.id)) ?? changed
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

    /// Stores an answer, then sends every answer that the server has not confirmed.
    func answer(_ id: AlertID, _ body: (inout EmergencyAlert) throws -> Void) async throws -> EmergencyAlert {
        try self.files.change(id, body)
        return try await self.send(to: id)
    }

    /// Sends the waiting answers to an alert, in their order.
    @discardableResult
    func send(to id: AlertID) async throws -> EmergencyAlert {
        var alert = try self.files.change(id) { _ in }
        while let next = alert.outgoing.first {
            let reply = ResponderReply(
                alert: id,
                person: self.identity.publicIdentity,
                number: next.number,
                answer: try self.sealed(next.reply, for: alert)
            )
            let bytes = try self.identity.sign(reply).bytes
            let response = try await self.server.post("/v1/alerts/\(id)/response", bytes)
            switch response.status {
            case 200:
                let over = try JSONReader().decode(Wire.AlertOver.self, from: Data(response.body))
                let end = Responder.End(number: over.ended).map { EmergencyAlert.End($0) } ?? .unknown
                alert = try self.files.change(id) { $0.ended(end) }
            case 404: alert = try self.files.change(id) { $0.ended(.unknown) }
            // The server has this answer or a later one, and refuses a copy.
            case 201..<300, 409: alert = try self.files.change(id) { $0.confirmed(next.number) }
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
