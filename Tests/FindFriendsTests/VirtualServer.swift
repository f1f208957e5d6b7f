internal import CoreMetrics
internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOEmbedded
internal import SharingStoreModel
internal import WhereaboutsAPNS
internal import WhereaboutsLocationTesting
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingServer

/// The sharing server itself in virtual time: its routes and its host, with a store in memory, no socket, and the device's push service behind it.
struct VirtualServer: Sendable {
    /// A piece of a reply.
    enum Piece: Sendable {
        /// The head's status.
        case status(Int)
        /// Some of the body.
        case bytes([UInt8])
    }

    static let settings = Result { try ServerSettings(server: "https://sharing.example") }

    private let host: SharingHost
    private let responder: RouterResponder<ServerContext>
    private let logger = Logger(label: "server") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a server; its clocks are those of the code that creates it.
    init() {
        let metrics = ServerMetrics(factory: NOOPMetricsHandler.instance)
        let (store, bus) = (ModelStore(), InProcessBus())
        self.host = SharingHost(
            store: store,
            bus: bus,
            push: DevicePushes(),
            policy: SharingPolicy(),
            logger: self.logger,
            metrics: metrics,
            now: { .now }
        )
        let routes = SharingRoutes(
            host: self.host,
            store: store,
            bus: bus,
            streams: EventStreams(max: 100, metrics: metrics),
            connections: Connections(max: 100, metrics: metrics),
            metrics: metrics
        )
        self.responder = routes.router.buildResponder()
    }

    /// Sends pushes and keeps deadlines.
    func run() async throws { try await self.host.run() }

    /// Replies to a request, in pieces.
    func reply(to request: ServerRequest, _ send: @escaping @Sendable (Piece) throws -> Void) async throws {
        var fields = HTTPFields()
        fields[.authorization] = request.authorization
        let head = HTTPRequest(
            method: request.body == nil ? .get : .post,
            scheme: "https",
            authority: nil,
            path: String(request.url.dropFirst(try Self.settings.get().server.count)),
            headerFields: fields
        )
        let response = try await self.responder.respond(
            to: Hummingbird.Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body ?? []))),
            context: ServerContext(
                source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: self.logger)
            )
        )
        try send(.status(Int(response.status.code)))
        try await response.body.write(BodyWriter(send: send))
    }
}

/// The server's way to the device.
private struct DevicePushes: PushSender {
    func send(_ push: RequestPush, payload: [UInt8]) async throws(PushRejection) {
        guard case .until(let seconds) = push.expiration else { throw .permanent("a request's push expires") }
        let outcome: PushOutcome
        do {
            outcome = try VirtualNetwork.push(
                Data(payload),
                to: Data(push.token.bytes),
                priority: push.priority == .immediate ? .immediate : .considerate,
                expires: Date(timeIntervalSince1970: Double(seconds))
            )
        } catch {
            throw .permanent("\(error)")
        }
        if outcome == .unregistered { throw .unregistered }
    }
}

/// The body of a reply, on its way over the virtual network.
private struct BodyWriter: ResponseBodyWriter {
    let send: @Sendable (VirtualServer.Piece) throws -> Void

    func write(_ buffer: ByteBuffer) async throws { try self.send(.bytes(Array(buffer.readableBytesView))) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
