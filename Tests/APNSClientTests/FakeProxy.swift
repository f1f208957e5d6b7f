internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A proxy that connects to every address it is asked for.
final class FakeProxy: Sendable {
    private let state = Mutex<(requests: [String], listener: (any Channel)?)>(([], nil))

    static func start() async throws -> FakeProxy {
        let proxy = FakeProxy()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Door(proxy: proxy))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        proxy.state.withLock { $0.listener = listener }
        return proxy
    }

    var port: Int { self.state.withLock { $0.listener?.localAddress?.port } ?? 0 }
    var requests: [String] { self.state.withLock { $0.requests } }

    func stop() async throws {
        try await self.state.withLock { $0.listener }?.close()
    }

    private func asked(_ request: String) {
        self.state.withLock { $0.requests.append(request) }
    }

    /// Passes incoming bytes to the other side.
    private final class Pipe: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let other: any Channel

        init(to other: any Channel) {
            self.other = other
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.other.writeAndFlush(Self.unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.other.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    /// Reads the CONNECT request, connects, and removes itself from the pipeline.
    private final class Door: ChannelInboundHandler, RemovableChannelHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let proxy: FakeProxy

        init(proxy: FakeProxy) {
            self.proxy = proxy
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let request = String(buffer: Self.unwrapInboundIn(data))
            self.proxy.asked(request)
            let words = request.split(separator: " ")
            let address = (words.count > 1 ? words[1] : "").split(separator: ":")
            guard address.count == 2, let port = Int(address[1]) else { return context.close(promise: nil) }
            let channel = context.channel
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { server in
                    server.eventLoop.makeCompletedFuture {
                        try server.pipeline.syncOperations.addHandler(Pipe(to: channel))
                    }
                }
                .connect(host: String(address[0]), port: port)
                .flatMap { server in
                    channel.pipeline.addHandler(Pipe(to: server)).flatMap {
                        channel.pipeline.removeHandler(self)
                    }
                }
                .flatMap { channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connected\r\n\r\n")) }
                .whenFailure { _ in channel.close(promise: nil) }
        }
    }
}
