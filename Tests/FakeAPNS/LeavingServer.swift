internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import WhereaboutsCertificates

/// A push server that repeatedly sends GOAWAY during a load test.
///
/// It answers all streams up to the last processed one, and ignores later ones (RFC 9113, 6.8).
///
/// NIO's server would fail at frames that cross its GOAWAY, so this one handles raw frames.
package final class LeavingServer: Sendable {
    private struct State {
        var bodies: [String] = []
        var connections = 0
    }

    private let state = Mutex(State())
    private let listener = Mutex<(any Channel)?>(nil)
    /// The PEM certificate of its authority.
    package let authorityPEM: String
    private let tls: NIOSSLContext
    private let requestsPerConnection: Int

    /// Listens; each connection ends after that many requests.
    package static func start(requestsPerConnection: Int) async throws -> LeavingServer {
        let server = try LeavingServer(requestsPerConnection: requestsPerConnection)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    server.state.withLock { $0.connections += 1 }
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: server.tls))
                    try channel.pipeline.syncOperations.addHandler(Frames(server: server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.listener.withLock { $0 = channel }
        return server
    }

    private init(requestsPerConnection: Int) throws {
        self.requestsPerConnection = requestsPerConnection
        let certificate = try LoopbackCertificate()
        self.authorityPEM = certificate.authorityPEM
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificatePEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem))
        )
        tls.applicationProtocols = ["h2"]
        self.tls = try NIOSSLContext(configuration: tls)
    }

    package var port: Int { self.listener.withLock { $0?.localAddress?.port } ?? 0 }
    /// The bodies of the processed requests.
    package var bodies: [String] { self.state.withLock { $0.bodies } }
    /// The number of connections that were opened.
    package var connections: Int { self.state.withLock { $0.connections } }

    package func stop() async throws {
        try await self.listener.withLock { $0 }?.close()
    }

    private func acted(on body: [UInt8]) {
        self.state.withLock { $0.bodies.append(String(decoding: body, as: UTF8.self)) }
    }

    /// The frames of one connection.
    private final class Frames: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: LeavingServer
        private var buffer = ByteBuffer()
        private var hasPreface = false
        private var requests = 0
        private var last: UInt32 = 0
        private var isLeaving = false

        init(server: LeavingServer) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = Self.unwrapInboundIn(data)
            self.buffer.writeBuffer(&bytes)
            if !self.hasPreface {
                guard self.buffer.readBytes(length: RawFrame.preface.utf8.count) != nil else { return }
                self.hasPreface = true
                self.write(RawFrame(.settings), context)
            }
            while let frame = RawFrame(takingFrom: &self.buffer) { self.took(frame, context) }
            context.flush()
        }

        private func took(_ frame: RawFrame, _ context: ChannelHandlerContext) {
            switch frame.kind {
            case .settings where frame.flags & RawFrame.ack == 0:
                self.write(RawFrame(.settings, flags: RawFrame.ack), context)
            case .ping where frame.flags & RawFrame.ack == 0:
                self.write(RawFrame(.ping, flags: RawFrame.ack, frame.payload), context)
            case .data where frame.flags & RawFrame.endStream != 0:
                if self.isLeaving, frame.stream > self.last { return }
                self.requests += 1
                self.last = max(self.last, frame.stream)
                self.server.acted(on: frame.payload)
                // `:status: 200` is number 8 of HPACK's static table (RFC 7541, appendix A).
                let flags = RawFrame.endHeaders | RawFrame.endStream
                self.write(RawFrame(.headers, flags: flags, stream: frame.stream, [0x88]), context)
                guard !self.isLeaving, self.requests == self.server.requestsPerConnection else { return }
                self.isLeaving = true
                self.write(RawFrame(.goAway, RawFrame.bytes(of: self.last) + RawFrame.bytes(of: 0)), context)
            default: break
            }
        }

        private func write(_ frame: RawFrame, _ context: ChannelHandlerContext) {
            context.write(Self.wrapOutboundOut(ByteBuffer(bytes: frame.bytes())), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }
}
