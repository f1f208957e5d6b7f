internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A proxy between a store and PostgreSQL that causes network faults.
public final class PostgreSQLProxy: Sendable {
    /// The fault for the next connection that sends `COMMIT`.
    public enum Fault: Sendable {
        /// The connection is closed before the server receives the commit.
        case cutBeforeCommit
        /// The server receives the commit, but the connection is closed before its reply.
        case cutAfterCommit
        /// The client receives a wrong process number of the server, as behind a pooler.
        case otherProcess
    }

    private struct State {
        var fault: Fault?
        var cutsNextReply = false
        /// The name of the prepared `COMMIT` between two zero bytes, as in the message that executes it.
        var commit: [UInt8]?
    }

    /// The folder of the socket.
    public let directory: String
    private let channel: any Channel
    private let state: Box

    private final class Box: Sendable {
        let state = Mutex(State())

        /// Returns the bytes to forward to the server; nil: close both connections.
        func fromClient(_ bytes: ByteBuffer) -> ByteBuffer? {
            self.state.withLock { state in
                // The text of the statement ends with a 0; that of `READ COMMITTED` does not end there.
                let view = bytes.readableBytesView
                let text = view.firstRange(of: Array("COMMIT".utf8) + [0])
                if let text {
                    let name = view[..<(text.lowerBound - 1)].reversed().prefix { $0 >= UInt8(ascii: "0") }.reversed()
                    state.commit = [0] + name + [0]
                }
                guard text != nil || state.commit.flatMap(view.firstRange) != nil else { return bytes }
                switch state.fault {
                case .cutBeforeCommit:
                    state.fault = nil
                    return nil
                case .cutAfterCommit:
                    (state.fault, state.cutsNextReply) = (nil, true)
                    return bytes
                case .otherProcess, nil: return bytes
                }
            }
        }

        func fromServer(_ bytes: ByteBuffer) -> ByteBuffer? {
            self.state.withLock { state in
                if state.cutsNextReply {
                    state.cutsNextReply = false
                    return nil
                }
                // BackendKeyData: its letter, its length, and the process.
                let start: [UInt8] = [UInt8(ascii: "K"), 0, 0, 0, 12]
                guard case .otherProcess = state.fault, let key = bytes.readableBytesView.firstRange(of: start) else {
                    return bytes
                }
                var changed = bytes
                changed.setInteger(UInt32(1), at: key.upperBound)
                return changed
            }
        }
    }

    /// Forwards bytes from one side to the other.
    private final class Relay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let other: any Channel
        private let filter: (ByteBuffer) -> ByteBuffer?

        init(to other: any Channel, _ filter: @escaping (ByteBuffer) -> ByteBuffer?) {
            self.other = other
            self.filter = filter
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let bytes = self.filter(self.unwrapInboundIn(data)) else {
                self.other.close(promise: nil)
                return context.close(promise: nil)
            }
            self.other.writeAndFlush(bytes, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { self.other.close(promise: nil) }
    }

    /// Listens in a folder of its own.
    ///
    /// - Parameter server: the folder of the server's socket.
    /// - Throws: an error of the system.
    public init(to server: String) async throws {
        self.directory = "/tmp/proxy-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: false)
        let (box, name) = (Box(), ".s.PGSQL.5432")
        self.state = box
        self.channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .childChannelInitializer { client in
                // Another connection uses other names for its statements.
                box.state.withLock { $0.commit = nil }
                return ClientBootstrap(group: client.eventLoop).connect(unixDomainSocketPath: "\(server)/\(name)")
                    .flatMapThrowing {
                        try $0.pipeline.syncOperations.addHandler(Relay(to: client, box.fromServer))
                        try client.pipeline.syncOperations.addHandler(Relay(to: $0, box.fromClient))
                    }
            }
            .bind(unixDomainSocketPath: "\(self.directory)/\(name)").get()
    }

    deinit {
        self.channel.close(promise: nil)
        try? FileManager.default.removeItem(atPath: self.directory)
    }

    /// Sets the fault of the next connection.
    public func set(_ fault: Fault) { self.state.state.withLock { $0.fault = fault } }
}
