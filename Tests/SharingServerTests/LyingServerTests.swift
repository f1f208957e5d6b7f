internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import Testing
internal import WhereaboutsSharing

/// A server with a trusted certificate, and false replies.
private final class LyingServer: Sendable {
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        let server: LyingServer

        init(_ server: LyingServer) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = Self.unwrapInboundIn(data) else { return }
            self.server.requests.withLock { $0 += 1 }
            var head = HTTPResponseHead(version: .http1_1, status: .temporaryRedirect)
            head.headers.add(name: "location", value: self.server.location)
            head.headers.add(name: "content-length", value: "0")
            context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private let location: String
    private let requests = Mutex(0)
    private let channel = Mutex<(any Channel)?>(nil)

    /// Creates a server that redirects all requests.
    init(location: String) {
        self.location = location
    }

    var requestCount: Int { self.requests.withLock { $0 } }

    func start(_ town: Town, _ change: (inout TLSConfiguration) -> Void = { _ in }) async throws -> Int {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(town.path("tls.pem")).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: town.path("tls.key"), format: .pem))
        )
        change(&tls)
        let context = try NIOSSLContext(configuration: tls)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(Handler(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.channel.withLock { $0 = channel }
        return try #require(channel.localAddress?.port)
    }

    func stop() {
        self.channel.withLock { $0 }?.close(promise: nil)
    }
}

/// A sharer and a requester at a lying server.
struct LyingServerTests {
    /// Goal: a signed message is posted only to the chosen server.
    @Test func noRedirectionIsFollowed() async throws {
        let town = try Town()
        let elsewhere = LyingServer(location: "https://localhost:1/")
        defer { elsewhere.stop() }
        let target = try await elsewhere.start(town)
        let server = LyingServer(location: "https://localhost:\(target)/router/admin?reboot=1")
        defer { server.stop() }
        let port = try await server.start(town)
        let sharer = try Sharer(profile: town.profile("sharer", port: port))
        await #expect(throws: SharingError(.refused, "")) {
            try await sharer.register(deviceToken: Town.token, topic: Town.topic)
        }
        let requester = try Requester(profile: town.profile("requester", port: port))
        let grant = try sharer.approve(
            requester: requester.profile.identity.publicIdentity,
            precision: .full,
            for: .seconds(60)
        )
        #expect(await requester.updates(grant, deadline: .seconds(5)).map(\.state.kind) == [.failed])
        // The list of devices, the registration, the request.
        #expect(server.requestCount == 3 && elsewhere.requestCount == 0)
    }

    @Test func aServerThatSpeaksOldTLSAloneIsNotSpokenTo() async throws {
        let town = try Town()
        let server = LyingServer(location: "https://localhost:1/")
        defer { server.stop() }
        let port = try await server.start(town) {
            $0.minimumTLSVersion = .tlsv1
            $0.maximumTLSVersion = .tlsv11
        }
        let requester = try Requester(profile: town.profile("requester", port: port))
        let grant = try Sharer(profile: town.profile("sharer", port: port)).approve(
            requester: requester.profile.identity.publicIdentity,
            precision: .full,
            for: .seconds(60)
        )
        #expect(await requester.updates(grant, deadline: .seconds(1)).count == 1)
        #expect(server.requestCount == 0)
    }
}
