internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// A geocoding server on the loopback interface that answers as the test says.
final class FakeNominatim: Sendable {
    /// The server's reply to a request.
    enum Behaviour: Sendable {
        case answer(status: Int, body: String)
        case silence
    }

    private let channel: any Channel
    private let recorder: Recorder

    init(on group: any EventLoopGroup, _ behaviour: Behaviour) async throws {
        let recorder = Recorder()
        self.recorder = recorder
        self.channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(behaviour: behaviour, recorder: recorder))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var address: String { "http://127.0.0.1:\(self.channel.localAddress?.port ?? 0)" }

    /// The requested paths.
    var paths: [String] { self.recorder.paths.withLock { $0 } }

    func stop() async throws { try await self.channel.close() }

    private final class Recorder: Sendable {
        let paths = Mutex<[String]>([])
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let behaviour: Behaviour
        private let recorder: Recorder

        init(behaviour: Behaviour, recorder: Recorder) {
            self.behaviour = behaviour
            self.recorder = recorder
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = self.unwrapInboundIn(data) else { return }
            self.recorder.paths.withLock { $0.append(head.uri) }
            guard case .answer(let status, let body) = self.behaviour else { return }
            let bytes = ByteBuffer(string: body)
            let headers = HTTPHeaders([
                ("content-length", "\(bytes.readableBytes)"), ("location", "http://127.0.0.1:9/"),
            ])
            let answer = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
            context.write(self.wrapOutboundOut(.head(answer)), promise: nil)
            context.write(self.wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
