internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// An unknown client of the sharing server: one connection, from an address of its choice, that sends any request.
final class StrangerClient: Sendable {
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let replies = Mutex<[EventLoopPromise<UInt>]>([])

        func expect(_ reply: EventLoopPromise<UInt>) {
            self.replies.withLock { $0.append(reply) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = Self.unwrapInboundIn(data) else { return }
            let reply = self.replies.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            reply?.succeed(head.status.code)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.fail(ChannelError.eof)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.fail(error)
            context.close(promise: nil)
        }

        private func fail(_ error: any Error) {
            let replies = self.replies.withLock { replies in
                defer { replies = [] }
                return replies
            }
            for reply in replies { reply.fail(error) }
        }
    }

    private let channel: any Channel
    private let handler: NIOLoopBound<Handler>

    private init(_ channel: any Channel, _ handler: NIOLoopBound<Handler>) {
        self.channel = channel
        self.handler = handler
    }

    /// Connects.
    static func open(port: Int, from address: String) async throws -> StrangerClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let context = try NIOSSLContext(configuration: tls)
        let bootstrap = ClientBootstrap(group: Strangers.group.next())
            .connectTimeout(.seconds(5))
            .bind(to: try SocketAddress(ipAddress: address, port: 0))
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
        let handler = try await channel.eventLoop.submit {
            let handler = Handler()
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(handler)
            return NIOLoopBound(handler, eventLoop: channel.eventLoop)
        }.get()
        return StrangerClient(channel, handler)
    }

    /// Posts bytes, and returns the status; nil if the server closed the connection.
    func post(_ path: String, _ bytes: [UInt8]) async -> UInt? {
        await self.send(.POST, path, bytes, ("content-length", "\(bytes.count)"))
    }

    /// Opens a stream of events, which lasts until one side closes it, and returns the status.
    func get(_ path: String, authorization: String) async -> UInt? {
        await self.send(.GET, path, [], ("authorization", authorization))
    }

    /// Whether the server has not closed the connection.
    var isOpen: Bool { self.channel.isActive }

    private func send(
        _ method: HTTPMethod,
        _ path: String,
        _ bytes: [UInt8],
        _ header: (name: String, value: String)
    ) async -> UInt? {
        let reply = self.channel.eventLoop.makePromise(of: UInt.self)
        let late = self.channel.eventLoop.scheduleTask(in: .seconds(10)) { reply.fail(ChannelError.eof) }
        defer { late.cancel() }
        self.channel.eventLoop.execute { [channel, handler] in
            guard channel.isActive else { return reply.fail(ChannelError.eof) }
            handler.value.expect(reply)
            var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
            head.headers.add(name: "host", value: "localhost")
            head.headers.add(name: header.name, value: header.value)
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        }
        return try? await reply.futureResult.get()
    }

    func close() {
        self.channel.close(promise: nil)
    }
}

/// A registration with any topic, which our initialisers do not allow.
struct LooseRegistration: Signable {
    static var domain: String { "whereabouts/registration/v1" }

    let signer: PublicIdentity
    private let topic: String

    init(signer: PublicIdentity, topic: String) {
        self.signer = signer
        self.topic = topic
    }

    init(from reader: inout ByteReader) throws {
        throw reader.error("nobody reads it")
    }

    func write(to writer: inout ByteWriter) {
        writer.fixed(self.signer.bytes)
        let now = WallTime.now.milliseconds
        writer.integer(now)
        writer.fixed(Array(1...16))
        writer.integer(now)
        // The base point of X25519: a key that a push can be sealed to.
        writer.fixed([9] + Array(repeating: 0, count: RegisteredDevice.pushKeyByteCount - 1))
        writer.fixed(Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount))
        writer.counted([7])
        writer.counted(Array(self.topic.utf8))
    }
}
