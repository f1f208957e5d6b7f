internal import CoreMetrics
internal import Hummingbird
internal import Logging
package import NIOCore
package import WhereaboutsSharing
package import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The sharing server without a listener, for tests that deliver requests and pushes themselves.
package struct SocketlessServer: Sendable {
    /// A piece of a reply.
    package enum Piece: Sendable {
        /// The head: its status, and the field that names the database.
        case head(status: Int, database: String?)
        case bytes([UInt8])
    }

    private let host: SharingHost
    private let responder: RouterResponder<ServerContext>
    private let logger = Logger(label: "server") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a server with the system's clock.
    package init(
        store: any Store,
        responders: (any ResponderStore)? = nil,
        dispatchers: [PublicIdentity: Dispatcher] = [:],
        push: any PushSender
    ) {
        let metrics = ServerMetrics(factory: NOOPMetricsHandler.instance)
        let health = StoreHealth(self.logger)
        self.host = SharingHost(
            store: store,
            responders: responders,
            dispatchers: dispatchers,
            push: push,
            policy: SharingPolicy(),
            streamsMax: 100,
            logger: self.logger,
            metrics: metrics,
            health: health,
            now: { .now }
        )
        let routes = SharingRoutes(
            host: self.host,
            connections: Connections(max: 100, metrics: metrics),
            metrics: metrics,
            logger: self.logger,
            database: CurrentDatabaseID(CurrentDatabaseID.drawn())
        )
        self.responder = routes.router.buildResponder()
    }

    /// Sends pushes and handles deadlines.
    package func run() async throws { try await self.host.run() }

    /// Replies to a request, in pieces.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - path: the path of its URL, with the query.
    ///   - channel: the connection on which the request arrived.
    ///   - send: gets the pieces.
    /// - Throws: an error of a route, or of `send`.
    package func reply(
        to request: ServerRequest,
        path: String,
        on channel: any Channel,
        _ send: @escaping @Sendable (Piece) throws -> Void
    ) async throws {
        var fields = HTTPFields()
        fields[.authorization] = request.authorization
        let head = HTTPRequest(
            method: request.body == nil ? .get : .post,
            scheme: "https",
            authority: nil,
            path: path,
            headerFields: fields
        )
        let response = try await self.responder.respond(
            to: Hummingbird.Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body ?? []))),
            context: ServerContext(source: ApplicationRequestContextSource(channel: channel, logger: self.logger))
        )
        let database = HTTPFields.Element.Name(ServerReply.databaseField).flatMap { response.headers[$0] }
        try send(.head(status: Int(response.status.code), database: database))
        try await response.body.write(BodyWriter(send: send))
    }
}

/// Passes the body of a reply to the test.
private struct BodyWriter: ResponseBodyWriter {
    let send: @Sendable (SocketlessServer.Piece) throws -> Void

    func write(_ buffer: ByteBuffer) async throws { try self.send(.bytes(Array(buffer.readableBytesView))) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
