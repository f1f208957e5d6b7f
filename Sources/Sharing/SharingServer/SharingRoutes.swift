internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The HTTP API, version 1: signed bytes in, JSON and server-sent events out.
struct SharingRoutes: Sendable {
    /// The largest body.
    ///
    /// Source: our choice; twice ``Request/longestByteCount`` and ``SealedAnswer/longestByteCount``, the longest messages of clients, and
    /// room for fields of later versions.
    static let bodyByteCountMax = 4096
    let host: SharingHost
    let connections: Connections
    let metrics: ServerMetrics
    let logger: Logger
    let database: CurrentDatabaseID
    /// The street maps that the page of a link offers.
    var tiles: TileService?

    var router: Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.add(middleware: ViewerMiddleware(tiles: self.tiles))
        router.post("v1/devices") { await self.state(.registration, $0, $1, Statement.register) }
        router.get("v1/devices") { await self.devices($0, $1) }
        router.post("v1/devices/removals") { await self.state(.removal, $0, $1, Statement.remove) }
        router.post("v1/revocations") { await self.state(.revocation, $0, $1, Statement.revoke) }
        router.post("v1/links") { await self.state(.link, $0, $1, Statement.post) }
        router.get("v1/links/:id") { await self.link($0, $1) }
        router.post("v1/requests") { await self.ask($0, $1) }
        router.post("v1/requests/:id/progress") {
            await self.state(.progress, $0, $1, about: \.request, Statement.report)
        }
        router.post("v1/requests/:id/answer") {
            await self.state(.answer, $0, $1, about: \.request, Statement.answer(_:bytes:))
        }
        router.get("v1/requests/:id/events") { await self.open(.states, $0, $1) }
        router.post("v1/requests/:id/updates") { await self.update($0, $1) }
        router.get("v1/requests/:id/updates") { await self.open(.updates, $0, $1) }
        router.post("v1/requests/:id/end") {
            await self.state(.end, $0, $1, about: \.request, Statement.end(_:bytes:))
        }
        router.get("v1/requests/:id/occurrences") { await self.occurrences($0, $1) }
        self.addResponders(to: router)
        return router
    }

    private typealias Statement = SharingCore.Statement

    private func state<Value: Signable>(
        _ subject: ServerMetrics.Subject,
        _ request: Hummingbird.Request,
        _ context: ServerContext,
        about subjectID: KeyPath<Value, WhereaboutsSharingEngine.RequestID>? = nil,
        _ statement: (Verified<Value>) -> Statement
    ) async -> Response {
        await self.state(subject, request, context, about: subjectID) { signed, _ in statement(signed) }
    }

    /// Feeds a signed message; if the path names a request, the message must be about that request.
    private func state<Value: Signable>(
        _ subject: ServerMetrics.Subject,
        _ request: Hummingbird.Request,
        _ context: ServerContext,
        about subjectID: KeyPath<Value, WhereaboutsSharingEngine.RequestID>?,
        _ statement: (Verified<Value>, [UInt8]) -> Statement
    ) async -> Response {
        await self.reply(subject, context) {
            let (signed, bytes): (Verified<Value>, [UInt8]) = try await self.verified(request)
            if let subjectID, signed.value[keyPath: subjectID].description != context.parameters.get("id") {
                throw Failure.unknown
            }
            return try self.response(
                to: await self.host.reply(to: statement(signed, bytes), from: context.address),
                context
            )
        }
    }

    private func ask(_ request: Hummingbird.Request, _ context: ServerContext) async -> Response {
        await self.reply(.request, context) {
            let signed = try await self.read(request, Signed<WhereaboutsSharingEngine.Request>.init(postedBytes:))
            let arrived = ContinuousClock.now
            do {
                guard let verified = try? signed.verified() else { throw Failure.refused(.signature) }
                let reply = await self.host.reply(to: .request(verified), from: context.address)
                if case .requested(.accept, _) = reply {
                    self.metrics.took(.request)
                    self.logger.info("request accepted", metadata: ["request": "\(signed.value.id)"])
                }
                return try self.response(to: reply, context)
            } catch let failure as Failure {
                self.logger.info(
                    "request refused",
                    metadata: ["request": "\(signed.value.id)", "reason": "\(failure.reason.text)"]
                )
                // Delay every reason equally, so that the time does not show a stranger who exists or revoked a grant.
                if failure.status == .forbidden { await Self.waitToRefuse(since: arrived) }
                throw failure
            }
        }
    }

    /// Waits until a refusal is reported.
    private static func waitToRefuse(since arrived: ContinuousClock.Instant) async {
        let moment = Refusal.moment(after: ContinuousClock.now - arrived)
        try? await Task.sleep(until: arrived.advanced(by: moment), clock: .continuous)
    }

    private func devices(_ request: Hummingbird.Request, _ context: ServerContext) async -> Response {
        await self.reply(.devices, context) {
            guard let permit: Verified<DevicesPermit> = Self.bearer(request) else { throw Failure.noDevice }
            return try self.response(to: await self.host.reply(to: .devices(permit), from: context.address), context)
        }
    }

    private func link(_ request: Hummingbird.Request, _ context: ServerContext) async -> Response {
        await self.reply(.linkRead, context) {
            let link = context.parameters.get("id").flatMap { LinkAddress($0) }
            var response = try self.response(to: await self.host.reply(to: .link(link), from: context.address), context)
            // Send the address in a field, not in the page: `whereabouts verify-viewer` compares the page's hash.
            if let field = HTTPFields.Element.Name("whereabouts-tiles") { response.headers[field] = self.tiles?.form }
            return response
        }
    }

    private func occurrences(_ request: Hummingbird.Request, _ context: ServerContext) async -> Response {
        await self.reply(.occurrences, context) {
            guard let permit = Self.permit(request, context) else { throw Failure.unknown }
            let after = request.uri.queryParameters.get("after", as: UInt16.self) ?? 0
            let question = SharingCore.Question.occurrences(permit, after: after)
            return try self.response(to: await self.host.reply(to: question, from: context.address), context)
        }
    }

    private func update(_ request: Hummingbird.Request, _ context: ServerContext) async -> Response {
        await self.reply(.update, context) {
            let (update, bytes): (Verified<SealedUpdate>, [UInt8]) = try await self.verified(request)
            guard update.value.request.description == context.parameters.get("id") else { throw Failure.unknown }
            let question = SharingCore.Question.update(update, bytes: bytes)
            return try self.response(to: await self.host.reply(to: question, from: context.address), context)
        }
    }

    /// Opens an event stream; the body ends after the last message, or when the stream is closed to make room.
    private func open(
        _ kind: EventStreams.Kind,
        _ request: Hummingbird.Request,
        _ context: ServerContext
    ) async -> Response {
        await self.reply(.stream, context) {
            guard let permit = Self.permit(request, context) else { throw Failure.unknown }
            let (reply, stream) = await self.host.open(kind, permit, from: context.address)
            return try self.response(to: reply, stream, context)
        }
    }

    /// Writes the messages of an open stream.
    func response(
        to reply: SharingCore.Reply,
        _ stream: SharingHost.Stream,
        _ context: ServerContext
    ) throws -> Response {
        guard case .opened = reply else { return try self.response(to: reply, context) }
        self.connections.showed(reply.trust, context.channel)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [host = self.host] writer in
                defer { stream.end() }
                // A waiting stream must not delay the shutdown of the server; clients reconnect to another server.
                try await withGracefulShutdownHandler {
                    for await message in stream.messages {
                        try await writer.write(Self.text(of: message))
                        await host.told(stream)
                    }
                } onGracefulShutdown: {
                    stream.end()
                }
                try await writer.finish(nil)
            }
        )
    }

    /// Reads and verifies the permit to read the events of a request or the updates of a live share.
    static func permit(_ request: Hummingbird.Request, _ context: ServerContext) -> Verified<ReadPermit>? {
        guard let permit: Verified<ReadPermit> = self.bearer(request),
            permit.value.request.description == context.parameters.get("id")
        else { return nil }
        return permit
    }

    /// Reads the signed message in the field `authorization`.
    static func bearer<Value: Signable>(_ request: Hummingbird.Request) -> Verified<Value>? {
        let words = request.headers[.authorization]?.split(separator: " ") ?? []
        guard words.count == 2, words[0] == "Whereabouts", let bytes = Base64URL.bytes(of: words[1]) else { return nil }
        return try? Signed<Value>(bytes: bytes).verified()
    }
}
