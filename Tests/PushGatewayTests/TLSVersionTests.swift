internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import Testing
internal import WhereaboutsCertificates

@testable internal import WhereaboutsPushGateway

/// Goal: both listeners accept TLS 1.2 and 1.3 and nothing older, with the newest certificate.
@Suite struct TLSVersionTests {
    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    @Test(arguments: [
        (TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true),
    ])
    func oldVersionsAreRefused(version: TLSVersion, isSpoken: Bool) async throws {
        try await self.rig.withGateway { gateway in
            for port in [gateway.providerAddress.port, gateway.deviceAddress.port] {
                let isShaken = try await self.shakesHands(port: port, version)
                #expect(isShaken == isSpoken, "port \(port)")
            }
        }
    }

    @Test func aRenewedCertificateIsShownOnceItIsRead() async throws {
        try await self.rig.withGateway { gateway in
            let renewed = try LoopbackCertificate()
            try Data(renewed.authorityPEM.utf8).write(to: URL(filePath: self.rig.path("next.pem")))
            try Data(renewed.certificatePEM.utf8).write(to: URL(filePath: self.rig.path("tls.pem")))
            try Data(renewed.keyPEM.utf8).write(to: URL(filePath: self.rig.path("tls.key")))
            for port in [gateway.providerAddress.port, gateway.deviceAddress.port] {
                #expect(try await self.shakesHands(port: port, .tlsv13), "port \(port)")
            }
            try gateway.reloadCertificate()
            for port in [gateway.providerAddress.port, gateway.deviceAddress.port] {
                #expect(try await self.shakesHands(port: port, .tlsv13, trusting: "next.pem"), "port \(port)")
                #expect(try await !self.shakesHands(port: port, .tlsv13), "port \(port)")
            }
        }
    }

    private func shakesHands(
        port: Int,
        _ version: TLSVersion,
        trusting authority: String = "ca.pem"
    ) async throws -> Bool {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(self.rig.path(authority))
        tls.minimumTLSVersion = version
        tls.maximumTLSVersion = version
        let context = try NIOSSLContext(configuration: tls)
        let shaken = GatewayRig.group.next().makePromise(of: Bool.self)
        let channel = try await ClientBootstrap(group: GatewayRig.group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    try pipeline.addHandler(Handshake(shaken: shaken))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let isShaken = try await shaken.futureResult.get()
        try? await channel.close()
        return isShaken
    }

    private final class Handshake: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let shaken: EventLoopPromise<Bool>

        init(shaken: EventLoopPromise<Bool>) {
            self.shaken = shaken
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted = event as? TLSUserEvent { self.shaken.succeed(true) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.shaken.succeed(false)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.shaken.succeed(false)
        }
    }
}
