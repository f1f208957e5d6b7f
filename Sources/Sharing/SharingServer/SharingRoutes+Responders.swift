internal import Hummingbird
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The routes of volunteers and dispatchers.
extension SharingRoutes {
    private typealias Statement = RespondersCore.Statement

    func addResponders(to router: Router<ServerContext>) {
        router.post("v1/responders") { await self.respond(.enrolment, $0, $1, Statement.enrol) }
        router.post("v1/responders/departures") { await self.respond(.departure, $0, $1, Statement.leave) }
        router.post("v1/incidents") { await self.respond(.incident, $0, $1, Statement.open) }
        router.post("v1/incidents/:id/end") {
            await self.respond(.incidentEnd, $0, $1, about: \.incident.description, Statement.close)
        }
        router.post("v1/alerts/:id") { await self.respond(.alert, $0, $1, about: \.alert.description, Statement.seal) }
        router.post("v1/alerts/:id/response") {
            await self.respond(.response, $0, $1, about: \.alert.description, Statement.answer)
        }
        router.get("v1/incidents/events") { await self.incidents($0, $1) }
    }

    /// Feeds a signed message; if the path names an incident or an alert, the message must be about it.
    private func respond<Value: Signable>(
        _ subject: ServerMetrics.Subject,
        _ request: Hummingbird.Request,
        _ context: ServerContext,
        about subjectID: KeyPath<Value, String>? = nil,
        _ statement: (Verified<Value>) -> Statement
    ) async -> Response {
        await self.reply(subject, context) {
            let (signed, _): (Verified<Value>, [UInt8]) = try await self.verified(request)
            if let subjectID, signed.value[keyPath: subjectID] != context.parameters.get("id") {
                throw Failure.refused(.unknownAlert)
            }
            let reply = await self.host.reply(to: statement(signed), from: context.address)
            return try self.response(to: reply, context)
        }
    }

    private func incidents(_ request: Hummingbird.Request, _ context: ServerContext) async -> Response {
        await self.reply(.incidentStream, context) {
            guard let permit: Verified<IncidentsPermit> = Self.bearer(request) else {
                throw Failure.refused(.unknownDispatcher)
            }
            let (reply, stream) = await self.host.open(permit)
            return try self.response(to: reply, stream, context)
        }
    }

    static func response(to reply: RespondersCore.Reply) throws -> Response {
        switch reply {
        case .confirm: return Response(status: .noContent)
        case .over(let end): return try self.json(.ok, Wire.AlertOver(end))
        case .refuse(let refusal): throw Failure.refused(refusal)
        case .noDevice:
            throw Failure(
                .forbidden,
                .rule("\(Refusal.unknownDevice)"),
                "You have no device registered here. Open the app once, then enrol again."
            )
        case .notOffered:
            throw Failure(
                .notFound,
                .unknown,
                "This server alerts no responders: its configuration names no dispatchers."
            )
        }
    }
}

extension SharingRoutes.Failure {
    static func refused(_ refusal: Dispatch.Refusal) -> Self {
        let reason = ServerMetrics.Reason.rule("\(refusal)")
        return switch refusal {
        case .outsideArea: Self(.forbidden, reason, "The incident is outside the dispatcher's area.")
        case .stale:
            Self(
                .forbidden,
                reason,
                "The date of the message differs by more than two minutes from the server's. Set the clock and sign again."
            )
        case .replayed: Self(.conflict, reason, "An earlier message with this ID or number was accepted.")
        case .outdated: Self(.conflict, reason, "The server has a later enrolment or departure of this person.")
        case .outOfOrder: Self(.conflict, reason, "The message does not fit the state of the alert.")
        case .full: Self.full
        case .unknownIncident:
            Self(.notFound, reason, "This dispatcher has no such incident, or it ended.")
        case .unknownAlert: Self(.notFound, reason, "There is no such alert, or it ended.")
        case .unknownVolunteer: Self(.notFound, reason, "This person is not enrolled as a volunteer here.")
        case .tooLong: Self(.contentTooLarge, reason, "The sealed position is too long.")
        case .unknownDispatcher:
            Self(.forbidden, reason, "The server's configuration names no dispatcher with this key.")
        }
    }
}
