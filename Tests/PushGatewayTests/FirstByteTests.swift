internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import WhereaboutsPushGateway

/// Goal: a connection gets a TLS session only when its first byte arrives.
struct FirstByteTests {
    /// Records what reaches the handlers of a connection.
    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var events: [String] = []

        func channelActive(context: ChannelHandlerContext) { self.events.append("active") }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.events.append(String(buffer: Self.unwrapInboundIn(data)))
        }
    }

    private let recorder = Recorder()
    private let silences = Events<Void>()

    private func connect() throws -> EmbeddedChannel {
        let recorder = self.recorder
        let silences = self.silences
        let handler = FirstByteHandler(gaveUp: { silences.record(()) }) { channel, _ in
            try channel.pipeline.syncOperations.addHandler(recorder)
        }
        let channel = EmbeddedChannel(handler: handler)
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/x"), promise: nil)
        return channel
    }

    @Test func silenceMakesNothingReadyAndEnds() throws {
        let channel = try self.connect()
        channel.embeddedEventLoop.advanceTime(by: TimeAmount(FirstByteHandler.patience) - .nanoseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        #expect(!channel.isActive)
        #expect(self.recorder.events.isEmpty && self.silences.pending.count == 1)
    }

    @Test func theFirstByteReachesTheHandlersThatItBrought() throws {
        let channel = try self.connect()
        try channel.writeInbound(ByteBuffer(string: "a"))
        try channel.writeInbound(ByteBuffer(string: "b"))
        channel.embeddedEventLoop.advanceTime(by: TimeAmount(FirstByteHandler.patience))
        #expect(self.recorder.events == ["active", "a", "b"] && self.silences.pending.isEmpty)
        #expect(channel.isActive)
    }
}
