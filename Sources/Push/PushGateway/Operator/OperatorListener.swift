public import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Answers an operator on a Unix socket that only its owner can use: HTTP with JSON, so that `curl --unix-socket` works, too.
///
/// `GET /status`, `GET /pushes/APNS-ID`, `GET /devices` with `?after=KEY`, `DELETE /devices/KEY`, `GET /devices/KEY/tokens`,
/// `DELETE /tokens/TOKEN`, `GET /keys`, `PUT /keys`, `DELETE /keys/TEAM`, `DELETE /keys/TEAM/KEY` and `GET /senders`.
public struct OperatorListener: Sendable {
    private let channel: any Channel
    private let socket: OwnSocket

    /// Starts to listen; replaces an abandoned socket, but not one in use.
    ///
    /// - Throws: ``GatewayError`` naming the path and the remedy.
    public init(path: String, gateway: PushGateway, group: any EventLoopGroup) async throws {
        switch SocketFile(path) {
        case .missing, .abandoned: break
        case .inUse:
            throw GatewayError(
                .cannotListen,
                "\(path): another program listens there; end that one, or give a path of its own with --control"
            )
        case .noSocket:
            throw GatewayError(
                .cannotListen,
                "\(path): exists, and is not a socket; give another path with --control"
            )
        case .notOurs, .badPath: throw Self.refusal(path)
        }
        // Do not use NIO's socket, which would remove any file at the path when it is closed.
        guard let socket = OwnSocket(at: path) else { throw Self.refusal(path) }
        do {
            self.channel = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                        try pipeline.addHandler(JSONRequestHandler { try await OperatorHandler.answer($0, gateway) })
                    }
                }
                .withBoundSocket(socket.descriptor).get()
        } catch {
            socket.removeFile()
            throw Self.refusal(path)
        }
        self.socket = socket
    }

    private static func refusal(_ path: String) -> GatewayError {
        GatewayError(
            .cannotListen,
            "\(path): cannot be listened on; give a path of at most \(SocketFile.longestPath) bytes in a directory that is there, and "
                + "that this user may write"
        )
    }

    /// Stops listening, and removes the socket's file, unless another process has replaced it.
    public func close() async throws {
        self.socket.removeFile()
        try await self.channel.close()
    }
}
