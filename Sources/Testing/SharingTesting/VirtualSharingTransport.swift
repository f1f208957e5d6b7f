internal import Synchronization
internal import WhereaboutsLocationTesting
public import WhereaboutsSharing
internal import WhereaboutsSharingServer

/// A transport to a ``VirtualSharingServer`` over the virtual network.
public final class VirtualSharingTransport: ServerTransport {
    private let server: VirtualSharingServer
    private let silent = Mutex(false)

    /// Whether requests get lost, so that no reply comes.
    public var isSilent: Bool {
        get { self.silent.withLock { $0 } }
        set { self.silent.withLock { $0 = newValue } }
    }

    init(to server: VirtualSharingServer) {
        self.server = server
    }

    /// Sends a request once, and reads the whole reply.
    public func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
        var (status, database, body): (Int, String?, [UInt8]) = (0, nil, [])
        for try await piece in self.pieces(request, within: timeout) {
            switch piece {
            case .head(let code, let name): (status, database) = (code, name)
            case .bytes(let bytes): body += bytes
            }
        }
        return ServerReply(status: status, body: body, database: database)
    }

    /// Sends a request, and passes the bytes of the reply to `handle` as they arrive.
    public func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int {
        var status = 0
        for try await piece in self.pieces(request, within: nil) {
            switch piece {
            case .head(let code, _): status = code
            case .bytes(let bytes): if status == 200 { try await handle(bytes) }
            }
        }
        return status
    }

    private func pieces(
        _ request: ServerRequest,
        within timeout: Duration?
    ) -> AsyncThrowingStream<SocketlessServer.Piece, any Error> {
        VirtualNetwork.stream(within: timeout) { [server] send in
            guard self.isSilent else {
                return try await server.reply(to: request) { try send($0) }
            }
            // A connection without data stays open until the reader's timeout.
            let (nothing, end) = AsyncStream.makeStream(of: Void.self)
            for await _ in nothing {}
            withExtendedLifetime(end) {}
        }
    }
}
