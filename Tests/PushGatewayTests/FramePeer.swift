internal import FakeAPNS
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A provider that sends raw bytes and sees the received frames, so that it can break any rule of HTTP/2.
final class FramePeer: Sendable {
    enum Event: Sendable, Equatable {
        case frame(RawFrame)
        case closed
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let events: Events<Event>
        private var buffer = ByteBuffer()

        init(_ events: Events<Event>) {
            self.events = events
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = Self.unwrapInboundIn(data)
            self.buffer.writeBuffer(&bytes)
            while let frame = RawFrame(takingFrom: &self.buffer) { self.events.record(.frame(frame)) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.events.record(.closed)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    let events = Events<Event>()
    private let channel: any Channel

    init(port: Int, trustRootsPath: String) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(trustRootsPath)
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        self.channel = try await ClientBootstrap(group: GatewayRig.group)
            .channelInitializer { [events] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    try pipeline.addHandler(Reader(events))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Sends bytes; a closed connection accepts none.
    func send(_ bytes: [UInt8]) {
        self.channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Waits for a frame, or for the end of the connection.
    func next(_ what: String, where matches: @escaping @Sendable (RawFrame) -> Bool) async throws -> RawFrame? {
        let event = try await self.events.next(what) { event in
            switch event {
            case .frame(let frame): matches(frame)
            case .closed: true
            }
        }
        switch event {
        case .frame(let frame): return frame
        case .closed:
            // Each wait after it sees it, too.
            self.events.record(.closed)
            return nil
        }
    }

    /// Reads nothing from now on, not even the close of TLS.
    func stopReading() async throws {
        try await self.channel.setOption(.autoRead, value: false).get()
    }

    func close() {
        self.channel.close(promise: nil)
    }
}

/// Header blocks as literals without a table (RFC 7541, 6.2.2): nothing about them is checked.
enum HeaderBlock {
    static func bytes(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + self.text($0.0) + self.text($0.1) }
    }

    private static func text(_ text: String) -> [UInt8] {
        var (length, bytes) = (text.utf8.count, [UInt8]())
        // An integer with a prefix of seven bits (RFC 7541, 5.1).
        if length < 127 { return [UInt8(length)] + Array(text.utf8) }
        bytes.append(127)
        length -= 127
        while length >= 128 {
            bytes.append(UInt8(length % 128 + 128))
            length /= 128
        }
        return bytes + [UInt8(length)] + Array(text.utf8)
    }
}
