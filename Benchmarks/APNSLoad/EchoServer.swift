internal import Foundation
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// The least that a push server does: 200, with the request's `apns-id`, which some clients need.
enum EchoServer {
    static func serve(certificate: String, privateKey: String) async throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKey, format: .pem))
        )
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var http2 = NIOHTTP2Handler.ConnectionConfiguration()
                    http2.initialSettings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 100)]
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(NIOHTTP2Handler(mode: .server, connectionConfiguration: http2))
                    try pipeline.addHandler(Echo())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        // Not `print`, which buffers: the benchmark reads this line from a pipe.
        let line = "listening \(listener.localAddress?.port ?? 0)\n"
        try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        try await listener.closeFuture.get()
    }

    /// Answers the requests of one connection.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        typealias OutboundOut = HTTP2Frame

        private var ids: [HTTP2StreamID: String] = [:]
        private var bytes = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = Self.unwrapInboundIn(data)
            switch frame.payload {
            case .headers(let headers): self.ids[frame.streamID] = headers.headers.first(name: "apns-id") ?? ""
            case .data(let data):
                self.bytes += data.data.readableBytes
                guard data.endStream, let id = self.ids.removeValue(forKey: frame.streamID) else { return }
                let headers: HPACKHeaders = [":status": "200", "apns-id": id]
                let answer = HTTP2Frame(
                    streamID: frame.streamID,
                    payload: .headers(.init(headers: headers, endStream: true))
                )
                context.write(Self.wrapOutboundOut(answer), promise: nil)
            default: break
            }
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            if self.bytes > 32_767 {
                let update = HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: self.bytes))
                context.write(Self.wrapOutboundOut(update), promise: nil)
                self.bytes = 0
            }
            context.flush()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
