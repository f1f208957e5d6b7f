internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PushGateway
internal import PushLinkMessages
internal import Testing

@testable internal import PushLink

@Suite struct PushLinkTests {
    typealias DeviceFrame = Whereabouts_Pushlink_V1_DeviceFrame
    typealias GatewayFrame = Whereabouts_Pushlink_V1_GatewayFrame

    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    // MARK: The parts.

    /// Goal: waits grow up to the cap, never below the base, spread out, and are the same for the same seed.
    @Test func backoffGrowsToItsCapWithDecorrelatedJitter() {
        func draw(_ seed: UInt64, _ count: Int) -> [Double] {
            var generator = SplitMix(state: seed)
            var backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
            return (0..<count).map { _ in backoff.next(using: &generator) / .seconds(1) }
        }
        let draws = (UInt64(0)..<500).map { draw($0, 12) }
        for waits in draws {
            #expect(waits.allSatisfy { (0.5...30).contains($0) })
            #expect(zip([0.5] + waits, waits).allSatisfy { $1 <= $0 * 3 + 1e-9 })
        }
        #expect(draws.contains { $0[0] < 0.6 } && draws.contains { $0[0] > 1.4 })
        func mean(_ index: Int) -> Double { draws.map { $0[index] }.reduce(0, +) / Double(draws.count) }
        #expect(mean(0) < mean(2) && mean(2) < mean(8))
        #expect(draws.contains { $0[11] == 30 })
        #expect(draw(7, 12) == draws[7])
        var generator = SplitMix(state: 1)
        var backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
        _ = backoff.next(using: &generator)
        backoff.reset()
        #expect(backoff == Backoff(base: .milliseconds(500), cap: .seconds(30)))
    }

    @Test func aProofIsForOneNonceAndOneKey() throws {
        let key = Curve25519.Signing.PrivateKey()
        let device = Array(key.publicKey.rawRepresentation)
        let nonce = Array(repeating: UInt8(7), count: 32)
        let signature = try PushLinkProof.sign(nonce: nonce, key: key)
        #expect(PushLinkProof.isValid(signature: signature, nonce: nonce, deviceKey: device))
        #expect(!PushLinkProof.isValid(signature: signature, nonce: nonce.reversed() + [0], deviceKey: device))
        let other = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        #expect(!PushLinkProof.isValid(signature: signature, nonce: nonce, deviceKey: other))
        #expect(!PushLinkProof.isValid(signature: [], nonce: nonce, deviceKey: []))
    }

    @Test func aFrameOverTheLimitIsNotWritten() throws {
        let limit = PushLinkFraming.messageBytesMax
        for (count, fits) in [(limit - 100, true), (limit + 1, false)] {
            var frame = GatewayFrame()
            frame.push.payload = Data(count: count)
            let isWritten = (try? PushLinkFraming.frame(frame, allocator: ByteBufferAllocator())) != nil
            #expect(isWritten == fits)
        }
    }

    // MARK: A device that breaks the protocol.

    @Test func aWrongSignatureEndsTheLink() async throws {
        try await self.expectGoAway("the signature is not by the device key") { nonce in
            let key = Curve25519.Signing.PrivateKey()
            let signature = try PushLinkProof.sign(nonce: nonce.reversed(), key: key)
            var frame = DeviceFrame()
            frame.proof.deviceKey = key.publicKey.rawRepresentation
            frame.proof.signature = Data(signature)
            return frame
        }
    }

    @Test func anythingBeforeTheProofEndsTheLink() async throws {
        try await self.expectGoAway("the first frame must be the proof") { _ in
            var frame = DeviceFrame()
            frame.register.topic = GatewayRig.topic
            return frame
        }
    }

    private func expectGoAway(_ reason: String, _ answer: ([UInt8]) throws -> DeviceFrame) async throws {
        try await self.rig.withGateway { gateway in
            let device = try await RawDevice(gateway: gateway, rig: self.rig)
            let challenge = try await device.frames.next("the challenge") { $0.challenge.nonce.count == 32 }
            // The gateway may have closed the link before the write is reported; what it says of the frame counts.
            try? await device.send(try answer(Array(challenge.challenge.nonce)))
            let end = try await device.frames.next("the end") { $0.body != nil }
            #expect(end.goAway.reason.hasPrefix(reason))
        }
    }

    @Test func aFrameOverTheLimitEndsTheLink() async throws {
        try await self.rig.withGateway { gateway in
            let device = try await RawDevice(gateway: gateway, rig: self.rig)
            try await device.send(ByteBuffer(integer: UInt32(PushLinkFraming.messageBytesMax + 1)))
            let end = try await device.frames.next("the end") { $0.goAway.reason.contains("at most 65536") }
            #expect(!end.goAway.reason.isEmpty)
        }
    }

    /// Speaks the link's frames, in whatever order.
    private struct RawDevice {
        let frames = Events<GatewayFrame>()
        private let channel: any Channel

        private final class Recorder: ChannelInboundHandler, Sendable {
            typealias InboundIn = GatewayFrame

            private let frames: Events<GatewayFrame>

            init(frames: Events<GatewayFrame>) {
                self.frames = frames
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                self.frames.record(Self.unwrapInboundIn(data))
            }

            func errorCaught(context: ChannelHandlerContext, error: any Error) {}
        }

        init(gateway: PushGateway, rig: GatewayRig) async throws {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(rig.path("ca.pem"))
            let context = try NIOSSLContext(configuration: tls)
            self.channel = try await ClientBootstrap(group: GatewayRig.group)
                .channelInitializer { [frames] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                        try pipeline.addHandler(ByteToMessageHandler(PushLinkFrameDecoder<GatewayFrame>()))
                        try pipeline.addHandler(Recorder(frames: frames))
                    }
                }
                .connect(host: "127.0.0.1", port: gateway.deviceAddress.port).get()
        }

        func send(_ frame: DeviceFrame) async throws {
            try await self.send(try PushLinkFraming.frame(frame, allocator: self.channel.allocator))
        }

        func send(_ bytes: ByteBuffer) async throws {
            try await self.channel.writeAndFlush(bytes)
        }
    }
}

/// Draws the same sequence for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var bits = self.state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
