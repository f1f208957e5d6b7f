internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import Synchronization
internal import WhereaboutsSharing

/// A TLS server on the loopback interface; each path shows a behaviour of servers that transports must handle.
package final class RuleServer: Sendable {
    package struct Addresses: Sendable {
        package let good: String
        /// The address at which the server speaks at most TLS 1.1.
        package let oldTLS: String
        /// The address at which the certificate names another host.
        package let anotherName: String

        package init(good: String, oldTLS: String, anotherName: String) {
            self.good = good
            self.oldTLS = oldTLS
            self.anotherName = anotherName
        }

        func url(_ path: String) -> String { self.good + path }
    }

    /// The value of the field `date` of all replies.
    package static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    /// The value of the field that names the database in all replies.
    package static let database = "00112233445566778899aabbccddeeff"

    private struct State {
        var redirected = 0
        /// The connection that waits for its second part.
        var waiting: (any Channel)?
        var channels: [any Channel] = []
        var connectionCount = 0
        var requestCount = 0
    }

    private let state = Mutex(State())
    private let handshakes = AsyncStream.makeStream(of: Void.self)

    /// Starts it.
    ///
    /// - Parameters:
    ///   - certificate: the path of a certificate for `localhost` and 127.0.0.1, PEM.
    ///   - key: the path of its key, PEM.
    /// - Returns: the server, and where it is reached.
    /// - Throws: when the files are no certificate and key, or nothing can listen.
    package static func start(
        certificate: String,
        key: String
    ) async throws -> (server: RuleServer, addresses: Addresses) {
        let server = RuleServer()
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        )
        let good = try await server.listen(tls)
        let another = try await server.listen(tls, host: "127.0.0.2")
        tls.minimumTLSVersion = .tlsv1
        tls.maximumTLSVersion = .tlsv11
        let old = try await server.listen(tls)
        let addresses = Addresses(
            good: "https://localhost:\(good)",
            oldTLS: "https://localhost:\(old)",
            anotherName: "https://127.0.0.2:\(another)"
        )
        return (server, addresses)
    }

    /// The numbers of accepted connections and of received requests.
    package var counts: (connections: Int, requests: Int) {
        self.state.withLock { ($0.connectionCount, $0.requestCount) }
    }

    /// Waits until the TLS handshake of a connection is complete.
    package func waitForHandshake() async {
        for await _ in self.handshakes.stream { return }
    }

    /// Stops the server, and closes every connection.
    package func stop() {
        for channel in self.state.withLock({ $0.channels }) { channel.close(promise: nil) }
    }

    private func listen(_ tls: TLSConfiguration, host: String = "127.0.0.1") async throws -> Int {
        let context = try NIOSSLContext(configuration: tls)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                self.state.withLock {
                    $0.channels.append(channel)
                    $0.connectionCount += 1
                }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try pipeline.addHandler(Handler(self))
                }
            }
            .bind(host: host, port: 0).get()
        self.state.withLock { $0.channels.append(channel) }
        return channel.localAddress?.port ?? 0
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: RuleServer
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []
        private var requestCount = 0

        init(_ server: RuleServer) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data) {
            case .head(let head): (self.head, self.body) = (head, [])
            case .body(let buffer): self.body += buffer.readableBytesView
            case .end: if let head = self.head { self.reply(to: head, context.channel) }
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
                self.server.handshakes.continuation.yield()
            }
            context.fireUserInboundEventTriggered(event)
        }

        private func reply(to head: HTTPRequestHead, _ channel: any Channel) {
            self.requestCount += 1
            self.server.state.withLock { $0.requestCount += 1 }
            let parts = head.uri.split(separator: "?")
            let count = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            switch parts[0] {
            case "/echo":
                let words = [
                    "\(head.method)", head.headers.first(name: "content-type") ?? "-",
                    head.headers.first(name: "authorization") ?? "-", "",
                ]
                self.send(200, Array(words.joined(separator: " ").utf8) + self.body, channel)
            case "/once" where self.requestCount > 1: channel.close(promise: nil)
            case "/once": self.send(200, [], channel)
            case "/redirection": self.send(307, [], channel, [("location", "/target")])
            case "/target":
                self.server.state.withLock { $0.redirected += 1 }
                self.send(200, [], channel)
            case "/count": self.send(200, Array("\(self.server.state.withLock { $0.redirected })".utf8), channel)
            case "/silence": break
            case "/announced": self.send(200, Array(repeating: 7, count: count), channel)
            case "/chunked":
                self.begin(200, channel)
                self.write(Array(repeating: 7, count: count), channel)
                channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
            case "/half":
                self.begin(200, channel, [("content-length", "100")])
                self.write([1, 2, 3], channel)
                channel.close(promise: nil)
            case "/none": channel.close(promise: nil)
            case "/pieces":
                self.server.state.withLock { $0.waiting = channel }
                self.begin(200, channel)
                self.write(Array("one".utf8), channel)
            case "/next":
                let waiting = self.server.state.withLock { $0.waiting.take() }
                if let waiting {
                    self.write(Array("two".utf8), waiting)
                    waiting.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
                }
                self.send(204, [], channel)
            default: self.send(404, Array("no".utf8), channel)
            }
        }

        private func begin(_ status: Int, _ channel: any Channel, _ fields: [(String, String)] = []) {
            var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
            let all = [("date", RuleServer.date), (ServerReply.databaseField, RuleServer.database)] + fields
            for (name, value) in all { head.headers.add(name: name, value: value) }
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
        }

        private func write(_ bytes: [UInt8], _ channel: any Channel) {
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
        }

        private func send(
            _ status: Int,
            _ body: [UInt8],
            _ channel: any Channel,
            _ fields: [(String, String)] = []
        ) {
            let length = status == 204 ? [] : [("content-length", "\(body.count)")]
            self.begin(status, channel, length + fields)
            if !body.isEmpty { self.write(body, channel) }
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }
    }
}
