internal import FakeAPNS
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Tests for servers that cannot be reached: the caller and the log quickly receive the reason, in our words.
@Suite(.timeLimit(.minutes(2))) struct UnreachableTests {
    private static let group = MultiThreadedEventLoopGroup.singleton

    /// The lines of a log.
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.lines.all.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }

    /// The error of a push to this address, and the log lines.
    private typealias Failure = (error: APNSError, log: [String])

    private func failure(host: String = "localhost", port: Int, roots: String?) async throws -> Failure {
        var configuration = APNSClient.Configuration(
            endpoint: Endpoint(host: host, port: port),
            keys: [Sender.key],
            trustRoots: roots.map { .file($0) }
        )
        configuration.timeout = .seconds(20)
        let lines = Lines()
        let logger = Logger(label: "test") { _ in Recorder(lines: lines) }
        let client = try APNSClient(configuration: configuration, logger: logger)
        let result = await client.send(try Sender.push())
        await client.shutdown()
        let error = #expect(throws: APNSError.self) { try result.get() }
        return (try #require(error), lines.all.withLock { $0 })
    }

    private func expectWords(_ found: Failure, _ words: String) {
        #expect(found.error.code == .cannotConnect && !found.error.mayHaveBeenAccepted)
        #expect(found.error.message.contains(words), "\(found.error.message)")
        #expect(found.log.contains { $0.contains(words) })
        for line in found.log {
            // The log contains neither a library's message nor a device token.
            #expect(!line.contains("NIO") && !line.contains("Error(") && !line.contains("0102ff"), "\(line)")
        }
    }

    /// Listens, and sends this text to each client.
    private func withListener(says text: String, _ body: (Int) async throws -> Void) async throws {
        let listener = try await ServerBootstrap(group: Self.group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Parrot(text: text))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(try #require(listener.localAddress?.port))
        try await listener.close()
    }

    private final class Parrot: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let text: String

        init(text: String) {
            self.text = text
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: self.text)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    @Test func nobodyThere() async throws {
        let listener = try await ServerBootstrap(group: Self.group).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        try await listener.close()
        self.expectWords(try await self.failure(port: port, roots: nil), "nothing listens there")
    }

    @Test func aCertificateOfAnUnknownAuthority() async throws {
        let server = try await FakeAPNS.start()
        self.expectWords(try await self.failure(port: server.port, roots: nil), "no trusted issuer")
        let other = try await FakeAPNS.start()
        let found = try await self.failure(port: server.port, roots: other.authorityPath)
        self.expectWords(found, "no trusted issuer")
        #expect(found.error.remedy == .changeConfiguration, "it is not to be sent again until then")
        #expect(server.requests.isEmpty)
        try await server.stop()
        try await other.stop()
    }

    @Test func noTLSThere() async throws {
        try await self.withListener(says: "SSH-2.0\r\n") { port in
            self.expectWords(try await self.failure(port: port, roots: nil), "does not use TLS")
        }
    }

    @Test func aNameOfNobody() async throws {
        let found = try await self.failure(host: "nobody.invalid", port: 443, roots: nil)
        self.expectWords(found, "its host name cannot be resolved")
    }

    // MARK: Proxies

    @Test func aProxyLetsThrough() async throws {
        let proxy = try await FakeProxy.start()
        try await Sender.run(configure: {
            $0.proxy = Proxy(host: "127.0.0.1", port: proxy.port, user: "u", password: "p")
        }) { client, server in
            _ = try await client.send(Sender.push()).get()
            #expect(
                proxy.requests == [
                    "CONNECT localhost:\(server.port) HTTP/1.1\r\nhost: localhost:\(server.port)\r\n"
                        + "proxy-authorization: Basic dTpw\r\n\r\n"
                ]
            )
            #expect(server.requests.count == 1)
        }
        try await proxy.stop()
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Who are you\r\n\r\n", "refused to connect (status 407)"),
        ("SSH-2.0 200 OK\r\n\r\n", "refused to connect (status 0)"),
        (String(repeating: "x", count: 9000), "ended before a reply"),
    ]) func aProxyThatDoesNot(answer: String, words: String) async throws {
        try await self.withListener(says: answer) { port in
            var configuration = APNSClient.Configuration(endpoint: .apple(.production), keys: [Sender.key])
            configuration.proxy = Proxy(host: "127.0.0.1", port: port)
            let client = try APNSClient(configuration: configuration, logger: Sender.logger)
            let error = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            await client.shutdown()
        }
    }
}
