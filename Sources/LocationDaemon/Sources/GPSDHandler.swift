internal import LocationEngine
internal import LocationHost
internal import LocationSources
internal import NIOCore

/// Turns the bytes of a connection to gpsd into events.
final class GPSDHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var decoder = GPSDDecoder()
    private let report: (FixSourceEvent) -> Void

    init(report: @escaping (FixSourceEvent) -> Void) {
        self.report = report
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: GPSDDecoder.watchCommand)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for event in self.decoder.feed(self.unwrapInboundIn(data).readableBytesView) {
            switch event {
            case .ready: self.report(.ready)
            case .measured(let measurement): self.report(.measured(Update.Element(measurement)))
            case .devices(let paths) where paths.isEmpty: self.report(.lost("gpsd has no receiver"))
            case .deviceLost: self.report(.lost("gpsd lost its receiver"))
            case .deviceFound: self.report(.ready)
            case .failed(let message): self.report(.lost("gpsd reports: \(message)"))
            // No fix yet: the engine knows how long to be patient. A wrong line: the next one counts.
            case .watching, .devices, .noFix, .malformed: break
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
