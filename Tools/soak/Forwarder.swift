internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Forwards connections from providers to the gateway, and can cut them at any moment.
final class Forwarder: Sendable {
    private struct State {
        var listener: (any Channel)?
        var connections: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// Listens, and forwards each incoming connection to a port of this machine.
    static func start(to port: Int) async throws -> Forwarder {
        let forwarder = Forwarder()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Read nothing until the other side is connected.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { near in
                ClientBootstrap(group: near.eventLoop)
                    .channelInitializer { far in
                        far.eventLoop.makeCompletedFuture { try far.pipeline.syncOperations.addHandler(Pipe(to: near)) }
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { near.pipeline.addHandler(Pipe(to: $0)) }
                    .flatMap {
                        forwarder.opened(near)
                        return near.setOption(.autoRead, value: true)
                    }
                    // The gateway is not running now.
                    .flatMapError { _ in near.close() }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        forwarder.state.withLock { $0.listener = listener }
        return forwarder
    }

    var port: Int { self.state.withLock { $0.listener?.localAddress?.port } ?? 0 }

    /// Cuts all connections, and drops the data under way.
    func cut() {
        for connection in self.state.withLock({ $0.connections }).values { connection.close(promise: nil) }
    }

    func stop() async throws {
        self.cut()
        try await self.state.withLock { $0.listener }?.close()
    }

    private func opened(_ connection: any Channel) {
        let id = ObjectIdentifier(connection)
        self.state.withLock { $0.connections[id] = connection }
        connection.closeFuture.whenComplete { _ in
            self.state.withLock { $0.connections[id] = nil }
        }
    }

    /// Passes received data and the end of the connection to the other side.
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

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
