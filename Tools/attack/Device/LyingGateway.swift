internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Rig
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsPushLink
internal import WhereaboutsPushLinkMessages

/// A hostile push gateway: it accepts every device, and sends it arbitrary frames.
final class LyingGateway: Sendable {
    private let listener: any Channel
    private let device: Handler.Connected

    private init(_ listener: any Channel, _ device: Handler.Connected) {
        self.listener = listener
        self.device = device
    }

    /// Listens on loopback, with the certificate that the device trusts.
    static func start(_ workspace: Workspace) async throws -> LyingGateway {
        let tls = try TLSConfiguration.makeServerConfiguration(
            certificateChain: NIOSSLCertificate.fromPEMFile(workspace.certificatePath).map { .certificate($0) },
            privateKey: .privateKey(NIOSSLPrivateKey(file: workspace.privateKeyPath, format: .pem))
        )
        let context = try NIOSSLContext(configuration: tls)
        let device = Handler.Connected()
        let listener = try await ServerBootstrap(group: Strangers.group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(ByteToMessageHandler(PushLinkFrameDecoder<PushLinkDeviceFrame>()))
                    try pipeline.addHandler(Handler(device))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return LyingGateway(listener, device)
    }

    var port: Int { self.listener.localAddress?.port ?? 0 }

    /// Sends a frame to the device that connected last; waits while the device does not read, up to the bounds.
    ///
    /// - Returns: whether the frame could be sent.
    func say(_ frame: PushLinkGatewayFrame, _ bounds: Bounds) async throws -> Bool {
        while !bounds.isOver {
            if let channel = self.device.channel, channel.isActive, channel.isWritable {
                channel.writeAndFlush(try PushLinkFraming.frame(frame, allocator: channel.allocator), promise: nil)
                return true
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    /// Ends the listener and the connections.
    func stop() async {
        try? await self.listener.close()
        try? await self.device.channel?.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = PushLinkDeviceFrame

        /// The device that proved its key last.
        final class Connected: Sendable {
            private let state = Mutex<(any Channel)?>(nil)

            var channel: (any Channel)? {
                get { self.state.withLock { $0 } }
                set { self.state.withLock { $0 = newValue } }
            }
        }

        private let device: Connected

        init(_ device: Connected) {
            self.device = device
        }

        func channelActive(context: ChannelHandlerContext) {
            self.say(.with { $0.challenge.nonce = Data(repeating: 7, count: 32) }, context)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .proof = Self.unwrapInboundIn(data).body else { return }
            self.say(.with { $0.welcome.keepaliveSeconds = 60 }, context)
            self.device.channel = context.channel
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        private func say(_ frame: PushLinkGatewayFrame, _ context: ChannelHandlerContext) {
            guard let bytes = try? PushLinkFraming.frame(frame, allocator: context.channel.allocator) else { return }
            context.channel.writeAndFlush(bytes, promise: nil)
        }
    }
}
