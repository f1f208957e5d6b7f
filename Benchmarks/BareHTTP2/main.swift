internal import Foundation
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// The reference for the gateway: the least that an HTTP/2 server on NIO does for a push.
private final class Answer: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let frame) where frame.endStream: self.answer(context)
        case .data(let frame) where frame.endStream: self.answer(context)
        default: break
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let headers: HPACKHeaders = [":status": "200", "apns-id": "EABEAE54-14A8-11E5-B60B-1697F925EC7B"]
        context.writeAndFlush(Self.wrapOutboundOut(.headers(.init(headers: headers, endStream: true))), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

let files = CommandLine.arguments.dropFirst().map { $0 }
guard files.count == 2 else { fatalError("give the certificate chain and its key, both PEM") }
var tls = TLSConfiguration.makeServerConfiguration(
    certificateChain: try NIOSSLCertificate.fromPEMFile(files[0]).map { .certificate($0) },
    privateKey: .privateKey(try NIOSSLPrivateKey(file: files[1], format: .pem))
)
tls.applicationProtocols = ["h2"]
let context = try NIOSSLContext(configuration: tls)
let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .serverChannelOption(.backlog, value: 256)
    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            var http2 = NIOHTTP2Handler.ConnectionConfiguration()
            http2.initialSettings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 1000)]
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLServerHandler(context: context))
            _ = try pipeline.configureHTTP2Pipeline(
                mode: .server,
                connectionConfiguration: http2,
                streamConfiguration: .init()
            ) { stream in
                stream.eventLoop.makeCompletedFuture { try stream.pipeline.syncOperations.addHandler(Answer()) }
            }
        }
    }
    .bind(host: "127.0.0.1", port: 0).get()
// Not `print`, which buffers: the benchmark reads this line from a pipe.
try FileHandle.standardOutput.write(contentsOf: Data("listening \(listener.localAddress?.port ?? 0)\n".utf8))
try await listener.closeFuture.get()
