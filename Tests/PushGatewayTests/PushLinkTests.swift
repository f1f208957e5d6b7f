internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsPushLinkMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushLink

@Suite struct PushLinkTests {
    typealias DeviceFrame = PushLinkDeviceFrame
    typealias GatewayFrame = PushLinkGatewayFrame

    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    // MARK: The parts.

    @Test func aProofIsForOneNonceAndOneKey() throws {
        let key = Curve25519.Signing.PrivateKey()
        let nonce = Array(repeating: UInt8(7), count: LinkProof.nonceBytesCount)
        let proof = try LinkProof(signing: nonce, key: key)
        #expect(proof.device.bytes == Array(key.publicKey.rawRepresentation))
        #expect(proof.isValid(for: nonce))
        #expect(!proof.isValid(for: nonce.dropLast() + [0]))
        let other = DeviceKey(bytes: Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation))
        #expect(!LinkProof(device: other, signature: proof.signature).isValid(for: nonce))
        #expect(!LinkProof(device: DeviceKey(bytes: []), signature: []).isValid(for: nonce))
    }

    @Test(arguments: [
        DeviceMessage.proof(LinkProof(device: DeviceKey(bytes: [1]), signature: [2])),
        .request(.register(topic: "a")), .request(.unregister(topic: "a")), .request(.enableTopics(["a", "b"])),
        .request(.enableTopics([])), .request(.acknowledge(id: [1, 2])), .ping(0), .ping(7),
    ])
    func aMessageOfADeviceSurvivesItsFrame(_ message: DeviceMessage) throws {
        let bytes: [UInt8] = try message.frame.serializedBytes()
        #expect(DeviceMessage(try DeviceFrame(serializedBytes: bytes)) == message)
    }

    @Test(arguments: [
        GatewayMessage.challenge(nonce: [1, 2]), .welcome(keepalive: .zero), .welcome(keepalive: .seconds(210)),
        .unregistered(topic: "a"), .pong(0), .pong(7), .goAway(reason: "why"),
    ])
    func aMessageOfTheGatewaySurvivesItsFrame(_ message: GatewayMessage) throws {
        let bytes: [UInt8] = try message.frame.serializedBytes()
        #expect(GatewayMessage(try GatewayFrame(serializedBytes: bytes)) == message)
    }

    @Test(arguments: Priority.allCases, [Expiration.once, .until(1_800_000_000)])
    func tokensAndPushesSurviveTheirFrames(priority: Priority, expiration: Expiration) throws {
        let push = StoredPush(
            id: PushID(high: 1, low: 2),
            topic: "a",
            payload: [3],
            priority: priority,
            expiration: expiration,
            collapseID: priority == .immediate ? nil : "c"
        )
        let token = try #require(DeviceToken(bytes: [4]))
        for message in [GatewayMessage.push(push), .registered(topic: "a", token: token)] {
            #expect(GatewayMessage(message.frame) == message)
        }
    }

    /// Goal: unknown fields of a later version are ignored, and unreadable messages are not misread.
    @Test func aFrameThatMeansNothingHereIsUnknown() throws {
        #expect(DeviceMessage(DeviceFrame()) == nil)
        #expect(GatewayMessage(GatewayFrame()) == nil)
        #expect(GatewayMessage(.with { $0.push.pushID = Data([1]) }) == nil)
        #expect(GatewayMessage(.with { $0.registered.topic = "a" }) == nil)
        var later = GatewayFrame()
        later.push.pushID = Data(count: 16)
        later.push.priority = 7
        guard case .push(let push) = GatewayMessage(later) else {
            Issue.record("a push of another priority was not read")
            return
        }
        #expect(push.priority == .powerFirst)
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
            return DeviceMessage.proof(try LinkProof(signing: nonce.reversed(), key: key)).frame
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
            // The gateway may have closed the link before the write is reported; only its reaction to the frame counts.
            try? await device.send(try answer(Array(challenge.challenge.nonce)))
            let end = try await device.frames.next("the end") { $0.body != nil }
            #expect(end.goAway.reason.hasPrefix(reason))
        }
    }

    @Test func theLongestListOfTopicsFitsAFrame() throws {
        let topics = (0..<TokenDecision.topicsMax).map { number in
            String(repeating: "t", count: Limits.topicBytesMax - 3) + "\(100 + number)"
        }
        #expect(TopicList(topics) != nil)
        _ = try PushLinkFraming.frame(
            DeviceMessage.request(.enableTopics(topics)).frame,
            allocator: ByteBufferAllocator()
        )
    }

    @Test func aFrameOverTheLimitEndsTheLink() async throws {
        try await self.rig.withGateway { gateway in
            let device = try await RawDevice(gateway: gateway, rig: self.rig)
            try await device.send(ByteBuffer(integer: UInt32(PushLinkFraming.messageBytesMax + 1)))
            let end = try await device.frames.next("the end") {
                $0.goAway.reason.contains("at most \(PushLinkFraming.messageBytesMax)")
            }
            #expect(!end.goAway.reason.isEmpty)
        }
    }

    /// Sends the link's frames in any order.
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
