internal import Hummingbird
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine

/// Timers: what came of their turns, until their requester fetches it.
extension SharingRoutes {
    func turns(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.turns, context) {
            let after = request.uri.queryParameters.get("after", as: UInt16.self) ?? 0
            guard let permit = Self.permit(request, context),
                case .turns(let turns, let next, let ended, let statement) = try await self.host.turns(
                    after: after,
                    of: permit
                )
            else { throw Failure.unknown }
            let told = turns.compactMap { record in
                record.life.history.last.map {
                    Wire.Turn(record.request.value.turn, Wire.State($0, answer: record.answer))
                }
            }
            let end = ended.map { Wire.Ended($0, statement: statement) }
            return try Self.json(.ok, Wire.Turns(turns: told, next: next, ended: end))
        }
    }
}
