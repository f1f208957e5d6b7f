internal import Foundation
internal import Logging
internal import NIOCore
internal import PushEngine
internal import PushLink
internal import PushLinkMessages
internal import SwiftProtobuf

/// One connection of a device, from the challenge to its end.
///
/// Everything that breaks the protocol ends the connection with a reason; the device comes back and says all again.
final class DeviceLinkHandler: ChannelInboundHandler {
    typealias InboundIn = Whereabouts_Pushlink_V1_DeviceFrame
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// TLS is under way, or the device has not answered the challenge.
        case unproven(nonce: [UInt8])
        /// The device proved its key.
        case open(DeviceLink)
        /// The end was decided here.
        case ended
    }

    private let id: UInt64
    private let host: GatewayHost
    private let keepaliveSeconds: UInt32
    private let handshakeSeconds: UInt32
    private let logger: Logger
    private var state: State
    private var deadline: Scheduled<Void>?
    private var lastRead = NIODeadline.uptimeNanoseconds(0)

    init(id: UInt64, host: GatewayHost, keepaliveSeconds: UInt32, handshakeSeconds: UInt32, logger: Logger) {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<PushLinkProof.nonceBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        self.id = id
        self.host = host
        self.keepaliveSeconds = keepaliveSeconds
        self.handshakeSeconds = handshakeSeconds
        self.logger = logger
        self.state = .unproven(nonce: nonce)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let patience = TimeAmount.seconds(Int64(self.handshakeSeconds))
        self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
            self.end("no proof within \(self.handshakeSeconds) s", context: context)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        if case .unproven(let nonce) = self.state {
            self.write(.challenge(.with { $0.nonce = Data(nonce) }), context: context)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.deadline?.cancel()
        if case .open(let link) = self.state { self.closed(link) }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is GatewayShutdown {
            self.end("the gateway is shutting down", context: context)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.end(error is PushLinkError ? "\(error)" : "the connection failed", context: context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.lastRead = .now()
        let frame = Self.unwrapInboundIn(data)
        switch (self.state, frame.body) {
        case (.unproven(let nonce), .proof(let proof)): self.prove(proof, nonce: nonce, context: context)
        case (.unproven, _): self.end("the first frame must be the proof", context: context)
        case (.open, .proof): self.end("a proof was given already", context: context)
        case (.open(let link), .register(let body)): self.host.requested(.register(topic: body.topic), on: link)
        case (.open(let link), .unregister(let body)): self.host.requested(.unregister(topic: body.topic), on: link)
        case (.open(let link), .topics(let body)): self.host.requested(.enableTopics(body.enabled), on: link)
        case (.open(let link), .acknowledge(let body)):
            self.host.requested(.acknowledge(id: Array(body.pushID)), on: link)
        case (.open, .ping(let ping)): self.write(.pong(.with { $0.number = ping.number }), context: context)
        case (.open, nil): break  // A frame of a later version: ignored, as protobuf does with fields.
        case (.ended, _): break
        }
    }

    private func prove(_ proof: Whereabouts_Pushlink_V1_Proof, nonce: [UInt8], context: ChannelHandlerContext) {
        let key = Array(proof.deviceKey)
        guard PushLinkProof.isValid(signature: Array(proof.signature), nonce: nonce, deviceKey: key) else {
            return self.end("the signature is not by the device key over this connection's nonce", context: context)
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let link = DeviceLink(
            id: LinkID(self.id),
            device: DeviceKey(bytes: key),
            send: { body in eventLoop.execute { bound.value.0.send(body, context: bound.value.1) } },
            close: { reason in eventLoop.execute { bound.value.0.end(reason, context: bound.value.1) } }
        )
        self.state = .open(link)
        self.deadline?.cancel()
        self.watchSilence(context)
        self.write(.welcome(.with { $0.keepaliveSeconds = self.keepaliveSeconds }), context: context)
        self.logger.info("device connected", metadata: ["link": "\(self.id)"])
        self.host.opened(link)
    }

    /// Ends the link once the device was silent for three keepalive intervals.
    private func watchSilence(_ context: ChannelHandlerContext) {
        let limit = TimeAmount.seconds(Int64(self.keepaliveSeconds) * 3)
        let left = self.lastRead + limit - NIODeadline.now()
        guard left > .zero else {
            return self.end("the device said nothing for \(limit.nanoseconds / 1_000_000_000) s", context: context)
        }
        self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: left) { self.watchSilence(context) }
    }

    /// Sends what the host decided, unless the device does not read: then the link ends and what is stored waits on
    /// disk, not in our memory.
    private func send(_ body: Whereabouts_Pushlink_V1_GatewayFrame.OneOf_Body, context: ChannelHandlerContext) {
        guard case .open = self.state else { return }
        guard context.channel.isWritable else { return self.end("the device reads too slowly", context: context) }
        self.write(body, context: context)
    }

    private func write(_ body: Whereabouts_Pushlink_V1_GatewayFrame.OneOf_Body, context: ChannelHandlerContext) {
        do {
            let frame = Whereabouts_Pushlink_V1_GatewayFrame.with { $0.body = body }
            let buffer = try PushLinkFraming.frame(frame, allocator: context.channel.allocator)
            context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: nil)
        } catch {
            self.logger.error("a frame could not be written", metadata: ["error": "\(error)"])
            context.close(promise: nil)
        }
    }

    private func end(_ reason: String, context: ChannelHandlerContext) {
        let previous = self.state
        self.state = .ended
        switch previous {
        case .ended: return
        case .unproven: break
        case .open(let link): self.closed(link)
        }
        self.deadline?.cancel()
        self.write(.goAway(.with { $0.reason = reason }), context: context)
        self.logger.info("device link ended", metadata: ["link": "\(self.id)", "reason": "\(reason)"])
        context.close(promise: nil)
    }

    private func closed(_ link: DeviceLink) {
        self.host.closed(link)
        self.logger.debug("device disconnected", metadata: ["link": "\(self.id)"])
    }
}
