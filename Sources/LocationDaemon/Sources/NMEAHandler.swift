internal import LocationEngine
internal import LocationHost
internal import LocationSources
internal import NIOCore

/// Turns the bytes of a connection that speaks NMEA 0183 into events.
final class NMEAHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The silence on the line after which the epoch under way is taken to be over.
    ///
    /// A tenth of a second: the gap of receivers between two epochs of one second; those that are faster are found out by
    /// their cycle.
    private static let quiet = TimeAmount.milliseconds(100)

    private var decoder = NMEADecoder(learnsCycle: true)
    private var flush: Scheduled<Void>?
    private let report: (FixSourceEvent) -> Void

    init(report: @escaping (FixSourceEvent) -> Void) {
        self.report = report
    }

    func channelActive(context: ChannelHandlerContext) {
        self.report(.ready)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.flush?.cancel()
        self.tell(self.decoder.feed(self.unwrapInboundIn(data).readableBytesView))
        self.flush = context.eventLoop.assumeIsolated().scheduleTask(in: Self.quiet) { self.tell(self.decoder.flush()) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.flush?.cancel()
    }

    private func tell(_ events: [NMEADecoder.Event]) {
        for event in events {
            switch event {
            case .measured(let measurement): self.report(.measured(Update.Element(measurement)))
            // No fix yet: the engine knows how long to be patient. A wrong sentence: the next one counts.
            case .noFix, .malformed: break
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
