internal import Hummingbird
internal import NIOCore
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Followings: sealed updates in, the newest one out, until somebody's signed end.
extension SharingRoutes {
    func update(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.update, context) {
            let (update, bytes): (Verified<SealedUpdate>, [UInt8]) = try await self.verified(request)
            guard update.value.request.description == context.parameters.get("id") else { throw Failure.unknown }
            switch try await self.host.update(update, bytes: bytes) {
            case .taken(let isWatched): return try Self.json(.ok, Wire.UpdateTaken(isWatched: isWatched))
            case .decided(.close(let reason, let statement)):
                let ended = Wire.Ended(reason, statement: statement)
                return try Self.json(.ok, Wire.UpdateTaken(isWatched: false, ended: ended))
            case .decided(.tooMany):
                throw Failure(.tooManyRequests, .count, "as many follow this sharer as may at a time; end one of them")
            case .decided(.full): throw Failure.full
            // Nothing is to begin once a transaction has decided.
            case .decided(.unknown), .decided(.begin), .decided(.show): throw Failure.unknown
            case .tooSoon(let until):
                throw Failure(
                    .tooManyRequests,
                    .tooSoon,
                    "the updates come too fast; send the next one later",
                    until: until
                )
            }
        }
    }

    func end(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.end, context) {
            let (end, bytes): (Verified<FollowingEnd>, [UInt8]) = try await self.verified(request)
            guard end.value.request.description == context.parameters.get("id") else { throw Failure.unknown }
            switch try await self.host.end(end, bytes: bytes) {
            case .confirm: return Response(status: .noContent)
            case .unknown: throw Failure.unknown
            case .full: throw Failure.full
            }
        }
    }

    func updates(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.stream, context) {
            guard let permit = Self.permit(request, context), try await self.host.look(at: permit).0 != .unknown else {
                throw Failure.unknown
            }
            let id = permit.value.request
            return try await self.stream(of: permit.value, context) { writer, place in
                try await self.host.followerCame(to: id)
                do {
                    try await self.show(permit, to: &writer, place)
                } catch {
                    await self.host.followerLeft(id)
                    throw error
                }
                await self.host.followerLeft(id)
            }
        }
    }

    private func show(
        _ permit: Verified<ReadPermit>,
        to writer: inout any ResponseBodyWriter,
        _ place: EventStreams.Place
    ) async throws {
        var feed = FollowingFeed()
        try await self.stream(permit.value.request, to: &writer, place) {
            let (standing, newest) = try await self.host.look(at: permit)
            switch feed.looked(at: standing, newest) {
            // A comment, so that a dead connection is noticed.
            case .tell(nil): return (ByteBuffer(string: ":\n\n"), isLast: false)
            case .tell(let update?): return (try Self.event(Wire.Followed(update: update)), isLast: false)
            case .finish(let reason, let statement):
                return (try Self.event(Wire.Followed(ended: Wire.Ended(reason, statement: statement))), isLast: true)
            case .close: return (ByteBuffer(string: ":\n\n"), isLast: true)
            }
        }
    }

    private static func event(_ followed: Wire.Followed) throws -> ByteBuffer {
        var text = ByteBuffer(string: "data: ")
        text.writeBytes(try self.encode(followed))
        text.writeString("\n\n")
        return text
    }
}
