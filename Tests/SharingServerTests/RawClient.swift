internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A connection from any address, which sends any bytes; all of 127.0.0.0/8 is this machine.
final class RawClient: Sendable {
    private final class Reader: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let text: AsyncStream<String>.Continuation

        init(_ text: AsyncStream<String>.Continuation) { self.text = text }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text.yield(String(buffer: Self.unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) { self.text.finish() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.text.finish()
            context.close(promise: nil)
        }
    }

    private let channel: any Channel
    private let text: AsyncStream<String>

    init(_ town: Town, port: Int, from address: String, tls version: TLSVersion = .tlsv13) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(town.path("ca.pem")))
        tls.minimumTLSVersion = .tlsv1
        tls.maximumTLSVersion = version
        let context = try NIOSSLContext(configuration: tls)
        let (text, continuation) = AsyncStream.makeStream(of: String.self)
        self.text = text
        self.channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandlers(handler, Reader(continuation))
                }
            }
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Posts a signed message and returns the status; nil if the server closed the connection.
    func post(_ path: String, _ body: [UInt8]) async throws -> String? {
        var request = ByteBuffer(
            string: "POST \(path) HTTP/1.1\r\nhost: localhost\r\ncontent-length: \(body.count)\r\n\r\n"
        )
        request.writeBytes(body)
        return try await self.status(of: request)
    }

    /// Opens a stream and returns the status; nil if the server closed the connection.
    func get(_ path: String, authorization: String) async throws -> String? {
        let head = "GET \(path) HTTP/1.1\r\nhost: localhost\r\nauthorization: \(authorization)\r\n\r\n"
        return try await self.status(of: ByteBuffer(string: head))
    }

    /// Gets a document and returns the whole reply.
    func document(_ path: String) async -> String {
        self.channel.writeAndFlush(
            ByteBuffer(string: "GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n"),
            promise: nil
        )
        var reply = ""
        for await text in self.text {
            reply += text
            if reply.hasSuffix("</html>\n") { break }
        }
        return reply
    }

    /// Returns when the server has closed the connection, or has ended the body of its reply.
    func ended() async {
        for await text in self.text where text.contains("0\r\n\r\n") { return }
    }

    func close() { self.channel.close(promise: nil) }

    private func status(of request: ByteBuffer) async throws -> String? {
        self.channel.writeAndFlush(request, promise: nil)
        for await text in self.text where text.hasPrefix("HTTP/1.1 ") {
            return text.split(separator: " ").dropFirst().first.map(String.init)
        }
        return nil
    }
}
