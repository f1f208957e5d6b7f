internal import NIOCore
internal import NIOHTTP2

/// One HTTP/2 connection: the handler of its own frames, behind the HTTP/2 handler.
///
/// An error that NIO reports here may be of one stream, which has ended with it: no more requests start on this connection
/// then, and those under way go on. TLS and TCP close a connection that they cannot use.
///
/// It is ready with the server's SETTINGS, so that its limit of concurrent streams is known before the first request.
/// Of more requests than that the HTTP/2 handler holds the rest back; the client bounds them all.
final class APNSConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let ready: EventLoopPromise<Void>
    /// When something came in the last time.
    private(set) var lastRead = NIODeadline.now()
    /// The last stream that the server acts on, once it said GOAWAY.
    private(set) var lastStreamID: HTTP2StreamID?
    private(set) var isClosed = false
    /// Set when no more requests may start here.
    var isRetired = false
    /// Called with each error.
    var failed: (() -> Void)?

    init(ready: EventLoopPromise<Void>) {
        self.ready = ready
    }

    var isUsable: Bool { !self.isRetired && !self.isClosed && self.lastStreamID == nil }

    /// Returns whether the server certainly did not act on a stream.
    func refused(_ stream: HTTP2StreamID) -> Bool {
        self.lastStreamID.map { stream > $0 } ?? false
    }

    /// Records that a response came.
    func responded() {
        self.lastRead = .now()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.lastRead = .now()
        switch Self.unwrapInboundIn(data).payload {
        case .settings(.settings): self.ready.succeed()
        case .goAway(let lastStreamID, _, _): self.lastStreamID = lastStreamID
        case .settings, .alternativeService, .data, .headers, .origin, .ping, .priority, .pushPromise, .rstStream,
            .windowUpdate:
            break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.isClosed = true
        // It holds this connection.
        self.failed = nil
        self.ready.fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Without effect once it was ready.
        self.ready.fail(error)
        self.failed?()
    }
}
