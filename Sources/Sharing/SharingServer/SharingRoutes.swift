internal import Foundation
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The HTTP API, version 1: signed bytes in, JSON and server-sent events out.
struct SharingRoutes: Sendable {
    /// The largest body.
    ///
    /// Source: our choice; twice ``Request/longestByteCount`` and ``SealedAnswer/longestByteCount``, the longest that clients send, and room
    /// for fields of later versions.
    static let bodyByteCountMax = 4096
    let host: SharingHost
    let store: any Store
    let bus: any Bus
    let streams: EventStreams
    let connections: Connections
    let metrics: ServerMetrics
    let health: StoreHealth
    /// The name of the database; another one at each start.
    let database = Self.drawnDatabase().description

    var router: Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.add(middleware: ViewerMiddleware())
        router.post("v1/devices") { request, context in try await self.register(request, context) }
        router.get("v1/devices") { request, context in try await self.devices(request, context) }
        router.post("v1/devices/removals") { request, context in try await self.remove(request, context) }
        router.post("v1/revocations") { request, context in try await self.revoke(request, context) }
        router.post("v1/links") { request, context in try await self.postLink(request, context) }
        router.get("v1/links/:id") { request, context in try await self.link(request, context) }
        router.post("v1/requests") { request, context in try await self.ask(request, context) }
        router.post("v1/requests/:id/progress") { request, context in try await self.progress(request, context) }
        router.post("v1/requests/:id/answer") { request, context in try await self.answer(request, context) }
        router.get("v1/requests/:id/events") { request, context in try await self.events(request, context) }
        router.post("v1/requests/:id/updates") { request, context in try await self.update(request, context) }
        router.get("v1/requests/:id/updates") { request, context in try await self.updates(request, context) }
        router.post("v1/requests/:id/end") { request, context in try await self.end(request, context) }
        router.get("v1/requests/:id/turns") { request, context in try await self.turns(request, context) }
        return router
    }

    private func revoke(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.revocation, context) {
            switch try await self.host.revoke(self.verified(request).verified, from: context.address) {
            case .decided(.confirm): return Response(status: .noContent)
            case .decided(.refuse):
                throw Failure(
                    .tooManyRequests,
                    .count,
                    "as many grants are revoked as are kept for one sharer; wait until some of them end"
                )
            case .decided(.refuseEnd):
                throw Failure(
                    .badRequest,
                    .end,
                    "the grant ends more than ten years ahead: nobody is let in under it, so that there is nothing to revoke"
                )
            case .decided(.full): throw Failure.full
            case .tooSoon(let until): throw Failure.address(until)
            }
        }
    }

    private func ask(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.request, context) {
            let signed = try await self.read(request, Signed<WhereaboutsSharingEngine.Request>.init(postedBytes:))
            let arrived = ContinuousClock.now
            switch try await self.host.admit(signed) {
            case .accept, .acceptAgain: return try Self.json(.accepted, Wire.Accepted(id: signed.value.id))
            // One answer for every reason but one, and one delay: a stranger must not learn who exists or revoked a grant.
            case .refuse(let refusal):
                await Self.waitToRefuse(since: arrived)
                throw refusal == .unknownDevice ? Failure.unregistered : Failure.refused
            case nil:
                await Self.waitToRefuse(since: arrived)
                throw Failure.refused
            case .tooSoon(let until):
                throw Failure(
                    .tooManyRequests,
                    nil,
                    "Too soon. The grant or the server's limits allow the next request later.",
                    until: until
                )
            case .conflict: throw Failure.conflict
            case .full: throw Failure.full
            }
        }
    }

    /// Waits until a refusal is reported.
    private static func waitToRefuse(since arrived: ContinuousClock.Instant) async {
        let moment = Refusal.moment(after: ContinuousClock.now - arrived)
        try? await Task.sleep(until: arrived.advanced(by: moment), clock: .continuous)
    }

    private func progress(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.progress, context) {
            let report: Verified<DeviceReport> = try await self.verified(request).verified
            guard report.value.request.description == context.parameters.get("id") else { throw Failure.unknown }
            switch try await self.host.report(report) {
            case .confirm: return Response(status: .noContent)
            case .over(let state): return try Self.json(.ok, Wire.Over(state: state))
            case .unknown: throw Failure.unknown
            }
        }
    }

    private func answer(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.answer, context) {
            let (answer, bytes): (Verified<SealedAnswer>, [UInt8]) = try await self.verified(request)
            guard answer.value.request.description == context.parameters.get("id"),
                case .deliver(let state, let pending) = try await self.host.answer(answer, bytes: bytes)
            else { throw Failure.unknown }
            return try Self.json(.ok, Wire.Delivery(state: state, pending: pending.map(\.bytes)))
        }
    }

    private func events(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.stream, context) {
            guard let permit = Self.permit(request, context), try await self.host.mayRead(permit) else {
                throw Failure.unknown
            }
            return try await self.stream(of: permit.value, context) { writer, place in
                var feed = StateFeed()
                let id = permit.value.request
                try await self.stream(id, to: &writer, place) {
                    switch feed.looked(at: try await self.store.read { try $0.request(id) }) {
                    case .tell(let events): (try Self.text(of: events), isLast: false)
                    case .finish(let events): (try Self.text(of: events), isLast: true)
                    }
                }
            }
        }
    }

    private static func drawnDatabase() -> DatabaseID {
        var generator = SystemRandomNumberGenerator()
        return DatabaseID(using: &generator)
    }

    /// Reads the statement of anyone who wants to read a request's events or a following's updates.
    static func permit(_ request: Hummingbird.Request, _ context: ServerContext) -> Verified<ReadPermit>? {
        guard let permit: Verified<ReadPermit> = self.bearer(request),
            permit.value.request.description == context.parameters.get("id")
        else { return nil }
        return permit
    }

    /// Reads the statement in the field `authorization`.
    static func bearer<Value: Signable>(_ request: Hummingbird.Request) -> Verified<Value>? {
        let words = request.headers[.authorization]?.split(separator: " ") ?? []
        guard words.count == 2, words[0] == "Whereabouts", let bytes = Base64URL.bytes(of: words[1]) else { return nil }
        return try? Signed<Value>(bytes: bytes).verified()
    }

    /// A reply that goes on until `body` returns.
    func stream(
        of permit: ReadPermit,
        _ context: ServerContext,
        _ body: @escaping @Sendable (inout any ResponseBodyWriter, EventStreams.Place) async throws -> Void
    ) async throws -> Response {
        guard let (sharer, trust) = try await self.host.watched(permit.request) else { throw Failure.unknown }
        // Lives as long as the body, which ends with the connection at the latest.
        let place = self.streams.place(of: permit.requester, about: sharer, trust, from: context.address)
        guard let place else {
            throw Failure(
                .serviceUnavailable,
                nil,
                "as many event streams are open as may be; try again in a second"
            )
        }
        self.connections.showed(trust, context.channel)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await body(&writer, place)
                try await writer.finish(nil)
                withExtendedLifetime(place) {}
            }
        )
    }

    /// Looks at once, whenever something may have changed about a request, and every few seconds, and writes what is new, until the last of it
    /// or until the stream has to make room.
    func stream(
        _ id: WhereaboutsSharingEngine.RequestID,
        to writer: inout any ResponseBodyWriter,
        _ place: EventStreams.Place,
        _ look: () async throws -> (text: ByteBuffer, isLast: Bool)
    ) async throws {
        let (wakeups, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let published = self.bus.subscribe(to: id)
        continuation.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for await _ in published { continuation.yield() }
            }
            group.addTask {
                // A bus may lose a wake-up; a poll then finds what it was about.
                while (try? await Task.sleep(for: StateFeed.pollInterval)) != nil { continuation.yield() }
            }
            group.addTask {
                // A stream that waits must not hold up the end of the server; clients come back to another one.
                try? await gracefulShutdown()
                continuation.finish()
            }
            group.addTask {
                for await _ in place.lasting {}
                continuation.finish()
            }
            for await _ in wakeups {
                let (text, isLast) = try await look()
                try await writer.write(text)
                if isLast { return }
            }
        }
    }

    /// The events as server-sent ones; a comment when there are none, so that a dead connection is noticed.
    private static func text(of events: [StateFeed.Event]) throws -> ByteBuffer {
        guard !events.isEmpty else { return ByteBuffer(string: ":\n\n") }
        var text = ByteBuffer()
        for event in events {
            text.writeString("data: ")
            text.writeBytes(try self.encode(Wire.State(event.state, answer: event.answer)))
            text.writeString("\n\n")
        }
        return text
    }
}
